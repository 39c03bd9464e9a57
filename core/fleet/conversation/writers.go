package conversation

import (
	"context"
	"time"

	"cupola/core"
	"cupola/core/fleet/fault"
	"cupola/core/fleet/observe"
	"cupola/core/fleet/parallel"
	"cupola/core/transcript"
)

// Writer is an agent that may keep a record of its own.
type Writer struct {
	core.PaneRef
	// Dir is where it works, since when it was started; zero is not known.
	Dir     string
	Started time.Time
	// Record is the path of its record, Own the id that it gives its session; empty
	// where they are not known. They are Certain where no other agent can be meant.
	Record, Own string
	Certain     bool
}

// Writers returns the agents of every session that keep records, and where these
// are. Nothing of them is read.
func (r *Reader) Writers(ctx context.Context) (_ []Writer, err error) {
	defer func() { err = fault.Wrap("writers", err) }()
	seen, err := r.observer.Outline(ctx, observe.View{Dirs: true, Brief: true})
	if err != nil {
		return nil, err
	}
	places := PlacesOf(seen, nil)
	var panes []*core.Pane
	for _, pane := range seen.Snapshot.Panes() {
		if pane.IsAgent() && transcript.Keeps(pane.Agent.Kind) {
			panes = append(panes, pane)
		}
	}
	writers := make([]Writer, len(panes))
	parallel.Each(panes, nil, "look", func(i int, pane *core.Pane) {
		w := Writer{PaneRef: pane.Ref(), Dir: pane.Process.Dir, Started: pane.Agent.Started}
		w.Record, w.Own, w.Certain = transcript.Find(places.Of(pane))
		writers[i] = w
	})
	return writers, ctx.Err()
}
