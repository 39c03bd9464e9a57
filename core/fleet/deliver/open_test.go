package deliver

import (
	"log/slog"
	"testing"
	"time"

	"cupola/core/fleet/announce"
	"cupola/core/fleet/conversation"
	"cupola/core/fleet/fleettest"
	"cupola/core/fleet/observe"
	"cupola/core/fleet/resolve"
	"cupola/core/fleet/rundir"
)

// open returns a Sender made of an engine and of what else a test sets: a Dir, else one without a runtime folder,
// Kinds, else those built in and the stub, Journal, Afford and Environ.
func open(t testing.TB, o Options) *Sender {
	t.Helper()
	if o.Kinds == nil {
		o.Kinds = fleettest.Kinds(t, fleettest.StubKind)
	}
	o.Now, o.Log = time.Now, slog.New(slog.DiscardHandler)
	if o.Dir == nil {
		o.Dir = rundir.New(o.Engine, "", "", o.Now, o.Log)
	}
	o.Resolver = resolve.New(o.Kinds, false)
	o.Observer = observe.New(observe.Options{
		Engine: o.Engine, Kinds: o.Kinds, Resolver: o.Resolver, Dir: o.Dir, Now: o.Now, Log: o.Log,
	})
	asked, _ := o.Journal.(conversation.Journal)
	o.Conversations = conversation.New(conversation.Options{
		Engine: o.Engine, Observer: o.Observer, Resolver: o.Resolver, Journal: asked, Now: o.Now, Log: o.Log,
	})
	alerts, _ := o.Journal.(announce.Journal)
	o.Announcer = announce.New(announce.Options{
		Engine: o.Engine, Dir: o.Dir, Journal: alerts, Environ: o.Environ, Now: o.Now, Log: o.Log,
	})
	return New(o)
}
