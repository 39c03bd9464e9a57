package resolve

import (
	"slices"

	"cupola/core"
)

// Kept are panes that a call never acts on, nor waits for, even if they are named. The zero value keeps none.
type Kept struct {
	// Own is the pane in which the caller runs: a prompt sent there would come back to the caller. It is kept if an
	// agent runs in it, and otherwise only with OwnShell.
	Own      core.PaneID
	OwnShell bool
	// Shells keeps every pane without an agent, where a text would run as a command.
	Shells bool
}

// without removes the panes that are kept. It fails where nothing else is left, and where a shell was asked for.
func (k Kept) without(panes []*core.Pane, asked bool) ([]*core.Pane, error) {
	why, refused := "", false
	left := slices.DeleteFunc(slices.Clone(panes), func(pane *core.Pane) bool {
		agent := pane.Agent.Kind != "" && pane.Agent.Kind != core.KindCommand
		switch {
		case k.Own != "" && pane.ID == k.Own && (agent || k.OwnShell):
			why = pane.Address() + " is the caller's own pane"
		case k.Shells && !agent:
			refused = asked
			why = pane.Address() + " holds no agent: what is typed there runs as a command, and the caller may run none"
		default:
			return false
		}
		return true
	})
	if why == "" || len(left) > 0 && !refused {
		return left, nil
	}
	err := &core.Error{Code: core.PermissionDenied, Message: why, Actions: []string{}}
	err.Hint = "Name another pane."
	return nil, err
}
