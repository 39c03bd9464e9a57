package fleet_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"cupola/core"
	"cupola/core/agent/scripted"
	"cupola/core/engine/enginetest"
	"cupola/core/fleet"
	"cupola/core/fleet/fleettest"
	"cupola/core/fleet/lifecycle"
	"cupola/core/fleet/observe"
	"cupola/core/fleet/output"
	"cupola/core/fleet/resolve"
	"cupola/core/fleet/wire"
)

// The test binary is also the program of the kind scripted.
func init() { scripted.Main(context.Background()) }

const testTimeout = enginetest.Timeout

// A keeper here is silent only where a test stops it.
func init() {
	wire.DefaultTimeouts.Silence, wire.DefaultTimeouts.Welcome, wire.DefaultTimeouts.Join = testTimeout, testTimeout,
		testTimeout
}

// tmuxFleet is a fleet over a private tmux server.
type tmuxFleet struct {
	*fleet.Fleet
	tmux    *enginetest.Tmux
	options fleet.Options
}

// reopen opens the fleet again with other options.
func (th *tmuxFleet) reopen(change func(*fleet.Options)) {
	change(&th.options)
	th.Fleet = fleet.Open(th.options)
}

// open makes a fleet over a server of its own, which does not run yet. flags are flags of the scripted agent.
func open(t testing.TB, transport string, flags ...string) *tmuxFleet {
	t.Helper()
	return openOn(t, enginetest.Private(t), transport, flags...)
}

// openOn is open over a given server.
func openOn(t testing.TB, server *enginetest.Tmux, transport string, flags ...string) *tmuxFleet {
	t.Helper()
	engine := fleettest.EngineOf(t, server, transport)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	words := []string{`"{self}"`, `"scripted"`}
	for _, flag := range flags {
		words = append(words, fmt.Sprintf("%q", flag))
	}
	kinds := fstest.MapFS{
		"scripted.toml": {Data: []byte("id = \"scripted\"\n[launch]\ncommand = [" + strings.Join(words, ", ") + "]\n")},
		"stub.toml":     fleettest.StubKind["stub.toml"],
	}
	options := fleet.Options{
		Engine: engine, Kinds: fleettest.Kinds(t, kinds), Self: self, Environ: server.Environ,
		Runtime: filepath.Join(server.Dir, "run"),
	}
	f := fleet.Open(options)
	t.Cleanup(func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	})
	return &tmuxFleet{f, server, options}
}

// until waits for a condition on the snapshot and shows it if it never holds.
func (th *tmuxFleet) until(t testing.TB, holds func(*core.Snapshot) bool) *core.Snapshot {
	t.Helper()
	var last *core.Snapshot
	enginetest.Eventually(t, testTimeout, func() bool {
		snapshot, err := th.Overview.Snapshot(t.Context(), observe.View{})
		if err != nil {
			t.Fatal(err)
		}
		last = snapshot
		return holds(snapshot)
	}, func() string {
		var rows []string
		for _, pane := range last.Panes() {
			rows = append(rows, fmt.Sprintf("%s %+v %+v", pane.Address(), pane.Process, pane.Status))
		}
		return strings.Join(rows, "\n")
	})
	return last
}

// shows waits until the tail of a pane holds a text.
func (th *tmuxFleet) shows(t *testing.T, address, text string) {
	t.Helper()
	last := ""
	enginetest.Eventually(t, testTimeout, func() bool {
		tails, err := th.Output.Tail(t.Context(), output.Request{Target: resolve.Target{Session: address}, Lines: 100})
		if err != nil {
			t.Fatal(err)
		}
		last = strings.Join(tails[0].Lines, "\n")
		return strings.Contains(last, text)
	}, func() string { return fmt.Sprintf("%s never shows %q; it shows:\n%s", address, text, last) })
}

func (th *tmuxFleet) spawn(t *testing.T, name string, launch lifecycle.LaunchRequest) *lifecycle.Launches {
	t.Helper()
	answer, err := th.Launcher.Spawn(t.Context(), lifecycle.SpawnRequest{Session: name, Launch: launch})
	if err != nil {
		t.Fatalf("spawn %s: %v (%v)", name, err, errors.Unwrap(err))
	}
	return answer
}
