package setup

import (
	"context"
	"fmt"
	"strings"

	"cupola/core"
	"cupola/core/agent/account"
	"cupola/core/agent/plugin"
	"cupola/core/system/shell"
	"cupola/core/verb/money"
	"cupola/core/verb/plugins"
	"cupola/core/verb/settings"
	"cupola/core/verb/tools"
)

// listPrograms are the rows of agents or of tools.
func (e *examination) listPrograms(kind string) []checkRow {
	var rows []checkRow
	for _, program := range e.versioned() {
		if program.Kind != kind {
			continue
		}
		row := checkRow{
			Name: program.Tool, State: checkOK, Version: program.Version, Path: program.Path,
			Detail: program.Gives,
		}
		switch {
		case !program.Installed && program.Problem != "":
			row.State, row.Detail = checkBad, program.Problem
		case !program.Installed:
			row.State, row.Fix = checkMissing, program.Install
			if row.Fix == "" && program.Home != "" {
				row.Detail += "; see " + program.Home
			}
		case program.Problem != "":
			row.State, row.Detail = checkWarn, "it does not say its version: "+program.Problem
		}
		if known := program.Agent; known != nil {
			var newest string
			if newest, row.VersionUnseen = known.Unseen(program.Version); row.VersionUnseen {
				row.Detail = "newer than " + newest + ", the newest that is known: its dialogs and keys may differ"
			}
		}
		if program.Slow {
			row.Detail = "it was too slow to say its version"
		}
		rows = append(rows, row)
	}
	return rows
}

// installed is the program of an agent kind; nil where there is none.
func (e *examination) installed(kind core.Kind) *tools.ProgramRow {
	for i := range e.programs {
		if p := &e.programs[i]; p.Kind == tools.ToolAgent && p.Tool == string(kind) && p.Installed {
			return p
		}
	}
	return nil
}

// accounts are the rows of the agents that are installed: whether an account is
// signed in, and where that is kept. No secret is looked at.
func (e *examination) accounts() []checkRow {
	var rows []checkRow
	for i := range account.Providers {
		p := &account.Providers[i]
		if program := e.installed(p.Kind); program != nil {
			rows = append(rows, accountCheck(&money.AccountsOf(&e.env.Local, p)[0], program.Path))
		}
	}
	return rows
}

func accountCheck(a *account.Account, program string) checkRow {
	row := checkRow{Name: string(a.Kind), State: checkOK, Path: a.Source}
	switch a.State {
	case account.SignedIn:
		row.Detail = "signed in at " + a.Provider + " (" + a.Method + ")"
	case account.Unknown:
		row.Detail = "unknown whether an account is signed in at " + a.Provider
	case account.Expired:
		row.State, row.Fix, row.Detail = checkWarn, program,
			"what signs in at "+a.Provider+" has expired; sign in again"
	default:
		row.Detail = "no sign-in at " + a.Provider +
			" was found; the agent may have its own settings, or ask when it starts"
	}
	return row
}

func (e *examination) hooks() []checkRow {
	plugins, err := e.env.Plugins()
	if err != nil {
		return nil // the row of the agent kinds says why
	}
	var rows []checkRow
	for _, p := range plugins {
		if e.installed(p.Kind) != nil && p.Supports(plugin.Hooks) {
			rows = append(rows, hooksRow(p))
		}
	}
	return rows
}

// hooksRow is the row of the hooks in one agent's settings.
func hooksRow(p *plugin.Plugin) checkRow {
	row := checkRow{Name: string(p.Kind), State: checkOK, Path: p.File, Detail: "installed"}
	status, err := p.Status()
	install := "cupola plugin-install " + string(p.Kind) + " --yes"
	switch {
	case err != nil:
		row.State, row.Detail = checkWarn, core.AsError(err).Error()
	case status.State == plugin.Absent:
		row.State, row.Fix, row.Detail = checkMissing, install, "without hooks its state is read from its screen alone"
	case status.State == plugin.Drifted:
		row.State, row.Fix, row.Detail = checkWarn, install,
			"not as they should be: "+strings.Join(plugins.SortedProblems(status), "; ")
		row.foreign, row.repair = true, func(context.Context) error { return settings.Apply(p.Install()) }
	}
	return row
}

// mostNamed is how many processes the row of leftovers names.
const mostNamed = 5

// leftovers has a row for each session whose agents are gone and left processes behind.
func (e *examination) leftovers() []checkRow {
	f, err := e.env.Fleet()
	if err != nil {
		return nil // the engine's row says why
	}
	left, err := f.Launcher.Jobs.Leftovers(e.ctx, "")
	if err != nil {
		return nil // as above
	}
	named := map[string][]string{}
	var sessions []string
	for i := range left {
		if named[left[i].Session] == nil {
			sessions = append(sessions, left[i].Session)
		}
		named[left[i].Session] = append(named[left[i].Session],
			fmt.Sprintf("%d (%s of %s)", left[i].PID, left[i].Name, left[i].Agent))
	}
	return core.Map(sessions, func(session string) checkRow {
		all := named[session]
		shown := strings.Join(all[:min(len(all), mostNamed)], ", ")
		if more := len(all) - mostNamed; more > 0 {
			shown += fmt.Sprintf(" and %d more", more)
		}
		return checkRow{
			Name: "leftovers of " + session, State: checkWarn, Detail: "their panes are gone and they keep " +
				"running: " + shown,
			Fix: shell.Line("cupola", "kill", session, "--leftovers"),
		}
	})
}
