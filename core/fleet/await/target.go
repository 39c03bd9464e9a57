package await

import (
	"slices"
	"strings"

	"cupola/core"
	"cupola/core/fleet/resolve"
)

// waitTarget says which panes are waited for.
type waitTarget struct {
	resolver *resolve.Resolver
	target   resolve.Target
}

// panes returns those that are waited for, at least one.
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

// beside are the panes that are not waited for because they run a command of the user's
// own and nothing names them.
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
