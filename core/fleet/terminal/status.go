package terminal

import (
	"fmt"

	"cupola/core"
	"cupola/core/agent"
	"cupola/core/fleet/observe"
)

// DialogOpen says in words that a dialog is open, and by which rule.
func DialogOpen(block agent.Block) string {
	return fmt.Sprintf("a dialog is open (%s, by the rule %s)", block.Reason, Matched(block.Match))
}

// Matched names a rule and the line that proves it.
func Matched(m agent.Match) string { return m.Rule.ID + ": " + core.Excerpt(m.Line) }

// PlainStatus is the status of a pane whose screen no rule reads: a shell waits
// for a command, anything else runs.
func PlainStatus(pane *core.Pane) core.Status {
	command := pane.Process.Command
	if pane.Agent.Kind == "" && observe.IsShell(command) {
		return core.Status{
			State:    core.Idle,
			Evidence: []string{fmt.Sprintf("the shell %s is in the foreground", command)},
		}
	}
	return core.Status{State: core.Working, Evidence: []string{fmt.Sprintf("%s is in the foreground", command)}}
}
