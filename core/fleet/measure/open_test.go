package measure

import (
	"log/slog"
	"os"
	"testing"
	"time"

	"cupola/core/engine"
	"cupola/core/fleet/conversation"
	"cupola/core/fleet/fleettest"
	"cupola/core/fleet/observe"
	"cupola/core/fleet/resolve"
	"cupola/core/fleet/rundir"
	"cupola/core/fleet/worklog"
)

// open returns an Observer and a Surveyor of an engine; the engine may be nil.
func open(t testing.TB, eng engine.Engine, now func() time.Time) (*observe.Observer, *worklog.Surveyor) {
	t.Helper()
	kinds, log := fleettest.BuiltinKinds(t), slog.New(slog.DiscardHandler)
	dir := rundir.New(eng, "", "", now, log)
	observer := observe.New(observe.Options{
		Engine: eng, Kinds: kinds, Resolver: resolve.New(kinds, false), Dir: dir, Now: now, Log: log,
	})
	conversations := conversation.New(conversation.Options{
		Engine: eng, Observer: observer, Resolver: resolve.New(kinds, false), Now: now, Log: log,
	})
	return observer, worklog.New(worklog.Options{
		Observer: observer, Conversations: conversations, Dir: dir, Environ: os.Environ(), Log: log,
	})
}
