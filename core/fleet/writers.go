package fleet

import (
	"context"
	"time"

	"cupola/core"
	"cupola/core/transcript"
)

// Writer is an agent that may keep a record of its own.
type Writer struct {
	PaneRef
	// Dir is where it works, since when it was started; zero is not known.
	Dir     string
	Started time.Time
	// Record is the path of its record, Own the id that it gives its session; empty
	// where they are not known. They are Certain where no other agent can be meant.
	Record, Own string
	Certain     bool
}

// nobodys is a session that cannot be: naming it judges no pane.
const nobodys = "\x00"

// Writers returns the agents of every session that keep records, and where these
// are. Nothing of them is read.
func (f *lookout) Writers(ctx context.Context) (_ []Writer, err error) {
	defer func() { err = translate("writers", err) }()
	listing, snapshot, err := f.takeOf(ctx, View{Dirs: true, Brief: true}.detail(), nobodys, newMemory(false))
	if err != nil {
		return nil, err
	}
	places := placesOf(snapshot, tagsOf(&listing), nil)
	var panes []*core.Pane
	for _, pane := range snapshot.Panes() {
		if pane.IsAgent() && transcript.Keeps(pane.Agent.Kind) {
			panes = append(panes, pane)
		}
	}
	writers := make([]Writer, len(panes))
	eachPane(panes, nil, "look", func(i int, pane *core.Pane) {
		w := Writer{PaneRef: Ref(pane), Dir: pane.Process.Dir, Started: pane.Agent.Started}
		w.Record, w.Own, w.Certain = transcript.Find(places.of(pane))
		writers[i] = w
	})
	return writers, ctx.Err()
}
