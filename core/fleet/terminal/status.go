package terminal

import (
	"fmt"

	"cupola/core"
	"cupola/core/agent"
	"cupola/core/fleet/observe"
)

// DialogOpen describes an open dialog and the rule that found it.
func DialogOpen(block agent.Block) string {
	return fmt.Sprintf("a dialog is open (%s, by the rule %s)", block.Reason, Matched(block.Match))
}

// Matched returns a rule and the line that it matched.
func Matched(m agent.Match) string { return m.Rule.ID + ": " + core.Excerpt(m.Line) }

// PlainStatus returns the status of a pane without screen rules: idle for a shell at its prompt, else
// running.
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
