package worklog

import (
	"log/slog"
	"os"
	"testing"
	"time"

	"cupola/core/fleet/conversation"
	"cupola/core/fleet/fleettest"
	"cupola/core/fleet/observe"
	"cupola/core/fleet/resolve"
	"cupola/core/fleet/rundir"
)

// open returns a Surveyor without a server.
func open(t testing.TB) *Surveyor {
	t.Helper()
	kinds, log := fleettest.BuiltinKinds(t), slog.New(slog.DiscardHandler)
	dir := rundir.New(nil, "", "", time.Now, log)
	observer := observe.New(observe.Options{
		Kinds: kinds, Resolver: resolve.New(kinds, false), Dir: dir, Now: time.Now, Log: log,
	})
	conversations := conversation.New(conversation.Options{
		Engine: &fleettest.Engine{}, Observer: observer, Resolver: resolve.New(kinds, false), Now: time.Now, Log: log,
	})
	return New(Options{Observer: observer, Conversations: conversations, Dir: dir, Environ: os.Environ(), Log: log})
}
