package observe

import (
	"slices"
	"strings"
	"time"

	"cupola/core"
	"cupola/core/agent"
	"cupola/core/system/process"
)

// readAs returns the kind whose rules judge an agent's pane: its own, or the general signs where there is none. It does
// not decide how the pane is typed into; KindOf does.
func (a *judge) readAs(pane *core.Pane) *agent.Kind {
	if kind := a.observer.KindOf(pane); kind != nil {
		return kind
	}
	return a.observer.Generic()
}

// plainStatus returns the status of a pane that needs no rules; ok is false for others.
func (a *judge) plainStatus(pane *core.Pane, now time.Time) (status core.Status, ok bool) {
	switch {
	case pane.Process.Dead:
		return Ended(a.observer.opts.Engine.Processes(), pane.Process), true
	case pane.IsUser():
		return a.tracker.since(pane, ofShell(pane.Process), now), true
	case pane.Agent.Role == core.RoleOverview:
		return Undecided("its title says that it shows an overview of agents, which is none: " + pane.Title), true
	case pane.View.Partial && a.readAs(pane).ID == core.KindGeneric:
		return Undecided(core.PartialScreen), true
	case a.readAs(pane).ID == core.KindGeneric && pane.Process.AtPrompt:
		return Undecided("the shell " + pane.Process.Command + " is at its prompt, and no agent is seen"), true
	}
	return core.Status{}, false
}

// ofShell returns the status of a user's own pane: it rests while its shell has the keyboard.
func ofShell(held core.Process) core.Status {
	const sure = 0.9
	switch {
	case held.Command == "":
		return Undecided("the program in the foreground is not known")
	case held.AtPrompt:
		return core.Status{
			State: core.Idle, Confidence: sure,
			Evidence: []string{"the shell " + held.Command + " is at its prompt"},
		}
	}
	return core.Status{
		State: core.Working, Confidence: sure,
		Evidence: []string{held.Command + " is in the foreground"},
	}
}

// shellValues are flags of shells whose value is the next argument.
var shellValues = []string{"--rcfile", "--init-file", "-o", "+o", "-O", "+O"}

// AtPrompt reports whether a shell is in the foreground that runs no command and no script.
func AtPrompt(processes process.Source, held core.Process) bool {
	if held.Dead || !IsShell(held.Command) {
		return false
	}
	front := Foreground(processes, held.PID)
	return front.Bare() || isInteractive(processes.Argv(front.PID))
}

// isInteractive reports whether a shell's arguments give it neither a command nor a script to run.
func isInteractive(argv []string) bool {
	for i := 1; i < len(argv); i++ {
		switch arg := argv[i]; {
		case slices.Contains(shellValues, arg):
			i++
		case !strings.HasPrefix(arg, "-") && !strings.HasPrefix(arg, "+"),
			strings.HasSuffix(arg, "c") && !strings.HasPrefix(arg, "--"):
			return false
		}
	}
	return true
}

// plainState is the state of a pane without rules, since when it lasts, and its program: another pane may get its id.
type plainState struct {
	pid   int
	state core.State
	since time.Time
}

// since keeps since when a pane without rules has been in its state, for an
// observer that stays.
func (m *Tracker) since(pane *core.Pane, status core.Status, now time.Time) core.Status {
	if !m.lasting {
		return status
	}
	is := m.plain[pane.ID]
	if is.pid != pane.Process.PID || is.state != status.State {
		is = plainState{pane.Process.PID, status.State, now}
	}
	if m.plain == nil {
		m.plain = map[core.PaneID]plainState{}
	}
	m.plain[pane.ID], status.Since = is, is.since
	return status
}

// keptState returns the state from the keeper's tag of a program without rules, for a single snapshot; empty
// if no keeper runs.
func (a *judge) keptState(q *inquiry) core.State {
	if a.tracker.lasting || q.kind.Readable() || q.known.recorded.State == "" || !a.hasKeeper() {
		return ""
	}
	return q.known.recorded.State
}
