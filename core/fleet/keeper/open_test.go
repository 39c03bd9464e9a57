package keeper

import (
	"context"
	"log/slog"
	"os"
	"testing"
	"time"

	"go.uber.org/goleak"

	"cupola/core"

	"cupola/core/agent"
	"cupola/core/engine/enginetest"
	"cupola/core/fleet/conversation"
	"cupola/core/fleet/observe"
	"cupola/core/fleet/overview"
	"cupola/core/fleet/resolve"
	"cupola/core/fleet/rundir"
	"cupola/core/fleet/wire"
	"cupola/core/fleet/worklog"
)

const testTimeout = enginetest.Timeout

// A keeper here is silent only where a test stops it.
func init() {
	wire.DefaultTimeouts.Silence, wire.DefaultTimeouts.Welcome, wire.DefaultTimeouts.Join = testTimeout, testTimeout,
		testTimeout
}

// No test leaves a goroutine behind. Those that run side by side cannot ask for themselves.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// openStreams returns streams as a fleet has them, with an Observer of their own. An empty runtime
// is no runtime directory. The options need name only the engine.
func openStreams(t testing.TB, kinds *agent.Kinds, runtime string, o Options) *Streams {
	t.Helper()
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	o.Dir = rundir.New(o.Engine, runtime, "", o.Now, o.Log)
	o.Observer = observe.New(observe.Options{
		Engine: o.Engine, Kinds: kinds, Resolver: resolve.New(kinds, o.HideForeign), Dir: o.Dir, Now: o.Now, Log: o.Log,
	})
	o.Conversations = conversation.New(conversation.Options{
		Engine: o.Engine, Observer: o.Observer, Resolver: resolve.New(kinds, o.HideForeign), Now: o.Now, Log: o.Log,
	})
	o.Surveyor = worklog.New(worklog.Options{
		Observer: o.Observer, Conversations: o.Conversations, Dir: o.Dir, Environ: os.Environ(), Log: o.Log,
	})
	s := New(o)
	s.opts.Preview = func(ctx context.Context) (*core.Snapshot, error) {
		return overviewOf(s, kinds, nil).Snapshot(ctx, observe.View{})
	}
	return s
}

// overviewOf takes single snapshots of what streams watch. The journal may be nil.
func overviewOf(s *Streams, kinds *agent.Kinds, journal overview.Journal) *overview.Overview {
	return overview.New(overview.Options{
		Engine: s.opts.Engine, Dir: s.opts.Dir, Resolver: resolve.New(kinds, s.opts.HideForeign),
		Observer: s.opts.Observer,
		Journal:  journal, Now: s.opts.Now, Log: s.opts.Log,
	})
}
