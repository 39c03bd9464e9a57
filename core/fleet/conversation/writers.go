package conversation

import (
	"context"

	"cupola/core"
	"cupola/core/agent"
	"cupola/core/agent/transcript"
	"cupola/core/fleet/fault"
	"cupola/core/fleet/observe"
	"cupola/core/fleet/parallel"
)

// Writers returns the agents of all sessions that keep transcripts, and the paths of these.
// It does not read them.
func (r *Reader) Writers(ctx context.Context) (_ []transcript.Writer, err error) {
	defer func() { err = fault.Wrap("writers", err) }()
	seen, err := r.opts.Observer.Outline(ctx, observe.View{Dirs: true, Brief: true})
	if err != nil {
		return nil, err
	}
	places := r.Places(ctx, seen)
	var panes []*core.Pane
	for _, pane := range seen.Snapshot.Panes() {
		if pane.IsAgent() && transcript.Keeps(pane.Agent.Kind) {
			panes = append(panes, pane)
		}
	}
	writers := make([]transcript.Writer, len(panes))
	parallel.Each(panes, nil, "look", func(i int, pane *core.Pane) {
		w := transcript.Writer{PaneRef: pane.Ref(), Dir: pane.Process.Dir, Started: pane.Agent.Started}
		w.Kind = agent.NativeOf(w.Kind).Kind
		if own, err := transcript.Identify(ctx, places.Of(pane)); err == nil {
			w.Record, w.Certain = own.Path, own.Certain
			if own.Certain {
				w.Own = own.Session
			}
			w.Earlier = transcript.Earlier(ctx, places.Of(pane))
		}
		writers[i] = w
	})
	return writers, ctx.Err()
}
