package observe

import (
	"slices"
	"strings"

	"cupola/core"
	"cupola/core/engine"
	"cupola/core/system/process"
)

// assignRole sets the agent's role among agents that its own program runs. The arguments are read only of programs that
// Cupola did not start, since another agent may have started them.
func (o *Observer) assignRole(pane *engine.Pane, found *core.Agent) {
	kind, ok := o.opts.Kinds.Find(string(found.Kind))
	if !ok || pane.Process.Dead {
		return
	}
	if kind.Process.ShowsOverview(pane.Title) {
		found.Role = core.RoleOverview
		return
	}
	if kind.Process.Member == "" || found.Launch != "" {
		return
	}
	argv := argvOf(o.opts.Engine.Processes(), pane, found)
	if member := flagOf(argv, kind.Process.Member); member != "" {
		found.Role, found.Member, found.Team = core.RoleMember, member, flagOf(argv, kind.Process.Team)
	}
}

// argvOf returns the arguments of the agent of a pane.
func argvOf(processes process.Source, pane *engine.Pane, found *core.Agent) []string {
	pid := found.PID
	if pid == 0 {
		pid = Foreground(processes, pane.Process.PID).PID
	}
	return processes.Argv(pid)
}

// flagOf returns the value of a flag in a command line; empty if it has none.
func flagOf(argv []string, flag string) string {
	for i, arg := range argv {
		if value, joined := strings.CutPrefix(arg, flag+"="); joined {
			return value
		}
		if arg == flag && i+1 < len(argv) {
			return argv[i+1]
		}
	}
	return ""
}

// markLeads sets the role of agents that lead teams: a member names the session of its lead. Without members nothing is
// read.
func (o *Observer) markLeads(snapshot *core.Snapshot, rows []engine.Pane) {
	for _, member := range snapshot.Panes() {
		if member.Agent.Role != core.RoleMember {
			continue
		}
		kind, _ := o.opts.Kinds.Find(string(member.Agent.Kind))
		i := slices.IndexFunc(rows, func(row engine.Pane) bool { return row.ID == member.ID })
		lead := flagOf(argvOf(o.opts.Engine.Processes(), &rows[i], &member.Agent), kind.Process.Lead)
		for _, pane := range snapshot.Panes() {
			var live LiveStatus
			if lead != "" && pane.Agent.Kind == kind.ID && pane.Agent.Role == "" && !pane.Process.Dead &&
				live.Find(o.opts.Engine.Processes(), pane) && live.Live != nil && live.Live.Session == lead {
				pane.Agent.Role, pane.Agent.Team = core.RoleLead, member.Agent.Team
			}
		}
	}
}
