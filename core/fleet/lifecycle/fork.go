package lifecycle

import (
	"context"
	"strings"

	"cupola/core"
	"cupola/core/agent"
	"cupola/core/config/recipe"
	"cupola/core/engine"
	"cupola/core/fleet/observe"
	"cupola/core/fleet/resolve"
)

// forkOf says how to start an agent in a conversation of its own that begins where that of the agent at an address is.
// The tag records which conversation that agent keeps: the new record begins with the same prompts, which no longer
// distinguish the two. It returns NotImplemented for kinds that cannot, and Conflict if the agent's conversation is not
// known for sure.
func (d *describer) forkOf(ctx context.Context, seen *observe.Observation, address string) (
	fork recipe.Pane, own engine.Tag, err error,
) {
	_, pane, err := resolve.OnePane(seen.Snapshot, address)
	if err != nil {
		return fork, own, err
	}
	if !pane.IsAgent() {
		return fork, own, core.Errorf(core.AgentNotFound, "pane %s holds no agent", pane.Address())
	}
	kind, known := d.opts.Kinds.Find(string(pane.Agent.Kind))
	if !known || len(kind.Launch.Fork) == 0 {
		err := core.Errorf(core.NotImplemented, "%s: an agent of kind %s cannot fork its conversation", pane.Address(),
			pane.Agent.Kind)
		err.Hint = "These kinds can: " + strings.Join(forking(d.opts.Kinds), ", ") + "."
		return fork, own, err
	}
	session, lost := d.resumableOf(ctx, pane, d.opts.Conversations.Places(ctx, seen).Of(pane))
	switch {
	case session == "" && lost == "":
		err := core.Errorf(core.Conflict, "%s has no conversation yet to fork", pane.Address())
		err.Hint = "Add another agent of its kind, or send it a prompt first."
		return fork, own, err
	case session == "":
		err := core.Errorf(core.Conflict, "%s: %s, so it cannot be forked", pane.Address(), lost)
		err.Hint = "A prompt that is sent to it shows which conversation is its own."
		return fork, own, err
	}
	fork = d.recipeOf(ctx, pane)
	fork.Name, fork.Label, fork.Ordinal = "", "", nil
	fork.Resume, fork.Fork = session, true
	return fork, engine.Tag{Pane: pane.ID, Name: engine.TagSession, Value: session}, nil
}

// forking returns the kinds whose agents can fork their conversations.
func forking(all *agent.Kinds) (kinds []string) {
	for _, kind := range all.All() {
		if len(kind.Launch.Fork) > 0 {
			kinds = append(kinds, string(kind.ID))
		}
	}
	return kinds
}
