package conversation

import (
	"context"

	"cupola/core"
	"cupola/core/agent"
	"cupola/core/agent/transcript"
	"cupola/core/fleet/fault"
	"cupola/core/fleet/observe"
)

// Session names a conversation: the kind of the program that records it, and its own id of it.
type Session struct {
	Kind core.Kind
	ID   string
}

// Sessions returns the agents of this machine by the conversations in which they are for sure.
func (r *Reader) Sessions(ctx context.Context) (map[Session]core.PaneRef, error) {
	seen, err := r.opts.Observer.Outline(ctx, observe.View{Dirs: true})
	if err != nil {
		return nil, fault.Wrap("sessions", err)
	}
	agents := map[Session]core.PaneRef{}
	places := r.Places(ctx, seen)
	for _, pane := range seen.Snapshot.Panes() {
		place, ok := places[pane.ID]
		if !ok {
			continue
		}
		found, err := transcript.Identify(ctx, place())
		if err == nil && found.Certain && found.Session != "" {
			agents[Session{agent.NativeOf(pane.Agent.Kind).Kind, found.Session}] = pane.Ref()
		}
	}
	return agents, nil
}
