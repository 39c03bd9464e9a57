package fleettest

import (
	"strings"

	"cupola/core"
)

// MixedSnapshot is a snapshot of agents, commands and shells: the session api has one of each and
// another agent, jobs has no agent, and web has one agent alone.
func MixedSnapshot() *core.Snapshot {
	job := func(p *core.Pane) { p.Agent = core.Agent{Name: "cmd_1", Kind: core.KindCommand} }
	codex := func(p *core.Pane) { p.Agent = core.Agent{Name: "cod_1", Kind: "codex"} }
	return Snapshot(
		Session("$1", "api", Pane(0, "%0", nil), Pane(1, "%1", Claude(core.Idle)), Pane(2, "%2", job),
			Pane(3, "%3", codex)),
		Session("$2", "jobs", Pane(0, "%4", nil), Pane(1, "%5", job)),
		Session("$3", "web", Pane(1, "%6", Claude(core.Idle))),
	)
}

// IDs returns the ids of panes, in a line.
func IDs(panes []*core.Pane) string {
	ids := core.Map(panes, func(pane *core.Pane) string { return string(pane.ID) })
	return strings.Join(ids, " ")
}
