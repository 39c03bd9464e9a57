package await

import (
	"slices"
	"strings"

	"cupola/core"
	"cupola/core/fleet/resolve"
)

// waitTarget selects the panes of a wait.
type waitTarget struct {
	resolver *resolve.Resolver
	target   resolve.Target
}

// panes returns the panes to wait for, at least one.
func (t waitTarget) panes(snapshot *core.Snapshot) ([]*core.Pane, error) {
	panes, err := t.resolver.Named(snapshot, t.target)
	if err == nil && len(panes) == 0 {
		err = core.Errorf(core.AgentNotFound, "no session holds an agent")
		if len(t.target.Kinds) > 0 {
			err = core.Errorf(core.AgentNotFound, "no session holds an agent of kind %s",
				strings.Join(t.target.Kinds, " or "))
		}
	}
	return panes, resolve.NoAgentError(t.target, err)
}

// beside returns the panes left out because they run the user's own commands and are not named.
func (t waitTarget) beside(snapshot *core.Snapshot, panes []*core.Pane) []core.SeenPane {
	t.target.Prompted = false
	all, err := t.resolver.Named(snapshot, t.target)
	if err != nil {
		return nil
	}
	var beside []core.SeenPane
	for _, pane := range all {
		if !slices.Contains(panes, pane) {
			beside = append(beside, pane.Seen())
		}
	}
	return beside
}
