package effect

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"go.uber.org/goleak"

	"cupola/core"
	"cupola/core/agent"
	"cupola/core/agent/scripted"
	"cupola/core/engine/enginetest"
	"cupola/core/fleet"
	"cupola/core/fleet/fleettest"
	"cupola/core/fleet/observe"
	"cupola/core/run/relay"
	"cupola/core/verb"
	"cupola/core/verb/agents"
	"cupola/core/verb/catalog"
	"cupola/core/verb/registry"
	"cupola/core/verb/sessions"
	"cupola/tui/intent"
	"cupola/tui/terminal"
)

// The test binary is also the program of the kind scripted.
func init() { scripted.Main(context.Background()) }

const testTimeout = enginetest.Timeout

// harness is the dashboard's effects over a private tmux server.
type harness struct {
	effects *Effects
	t       testing.TB
	tmux    *enginetest.Tmux
	fleet   *fleet.Fleet
	copied  string
	stop    context.CancelFunc
}

// doorOf is a door to the verbs of a fleet.
type doorOf struct {
	f       *fleet.Fleet
	catalog *registry.Catalog
}

func (v *doorOf) Doing(input any) string { return v.catalog.Taking(input).Doing }

func (v *doorOf) Call(ctx context.Context, at registry.Target, input any) (Answer, error) {
	called := v.catalog.Taking(input)
	in, err := registry.Ready(called, input, at)
	if err != nil {
		return Answer{}, err
	}
	env := &verb.Env{OpenFleet: func() (*fleet.Fleet, error) { return v.f, nil }}
	env.Catalog, env.Getenv = v.catalog, func(string) string { return "" }
	reply, err := called.Call(ctx, env, in, nil)
	if err != nil {
		details := core.AsError(err).Details
		return Answer{Said: registry.Said(details), Value: details}, err
	}
	return Answer{Said: reply.Said(), Value: reply.Value}, nil
}

// act is an act at a target, which is named by its address.
func act(input any, at ...intent.Target) intent.Act { return intent.Act{Input: input, At: at} }

// spawn is the act that starts a session with agents or commands.
func spawn(session string, agents []string, commands ...string) intent.Act {
	in := sessions.SpawnIn{Session: session}
	in.Agents, in.Cmd = agents, commands
	return act(in)
}

// send is the act that sends a text.
func send(at intent.Target, text string) intent.Act { return act(agents.SendIn{Msg: text}, at) }

// kill is the act that ends something.
func kill(at intent.Target) intent.Act {
	return act(sessions.KillIn{Consent: registry.Consent{Yes: true}}, at)
}

// whole is a session as a target.
func whole(session string) intent.Target { return intent.Target{Session: session, Address: session} }

// open makes effects over a server of their own, which does not run yet. What
// they started is gone when the test ends, goroutines included.
func open(t testing.TB) *harness {
	t.Helper()
	t.Cleanup(func() { goleak.VerifyNone(t) })
	server := enginetest.Private(t)
	engine := fleettest.EngineOf(t, server, "")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	kinds, err := agent.Load(fstest.MapFS{"scripted.toml": {Data: []byte("id = \"scripted\"\n[launch]\ncommand = " +
		"[\"{self}\", \"scripted\"]\n")}})
	if err != nil {
		t.Fatal(err)
	}
	f := fleet.Open(fleet.Options{
		Engine: engine, Kinds: kinds, Self: self, Environ: server.Environ,
		Runtime: filepath.Join(server.Dir, "run"),
	})
	t.Cleanup(func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	})
	th := &harness{t: t, tmux: server, fleet: f}
	ctx, stop := context.WithCancel(t.Context())
	th.stop = stop
	th.effects, err = Open(ctx, f, terminal.New(os.Stdin, io.Discard), Services{
		Clip: func(text string) error {
			th.copied = text
			return nil
		},
		Door:   &doorOf{f: f, catalog: catalog.All()},
		Relays: Relays{Directory: relay.Directory{Dir: filepath.Join(server.Dir, "relays")}},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { th.end() })
	return th
}

// end ends the effects and returns their last message.
func (th *harness) end() Ended {
	th.stop()
	for {
		if ended, ok := th.effects.Next().(Ended); ok {
			return ended
		}
	}
}

// do carries out an intent.
func (th *harness) do(wanted intent.Intent) Done {
	th.t.Helper()
	cmd := th.effects.Do(wanted)
	if cmd == nil {
		th.t.Fatalf("%T is not acted upon", wanted)
	}
	done, ok := cmd().(Done)
	if !ok {
		th.t.Fatalf("%T has no end", wanted)
	}
	return done
}

// must carries out an intent that has to succeed, and say something.
func (th *harness) must(wanted intent.Intent, said string) {
	th.t.Helper()
	if done := th.do(wanted); done.Err != nil || done.Said != said || fmt.Sprint(done.Intent) != fmt.Sprint(wanted) {
		th.t.Fatalf("%+v: got %+v (%v), want %q", wanted, done, errors.Unwrap(done.Err), said)
	}
}

// pane finds a pane by its address.
func (th *harness) pane(address string) *core.Pane {
	th.t.Helper()
	snapshot := th.snapshot()
	for _, pane := range snapshot.Panes() {
		if pane.Address() == address {
			return pane
		}
	}
	th.t.Fatalf("no pane %s", address)
	return nil
}

func (th *harness) snapshot() *core.Snapshot {
	th.t.Helper()
	snapshot, err := th.fleet.Overview.Snapshot(th.t.Context(), observe.View{})
	if err != nil {
		th.t.Fatal(err)
	}
	return snapshot
}

func (th *harness) target(address string) intent.Target {
	th.t.Helper()
	pane := th.pane(address)
	return intent.Target{Session: pane.Session, Pane: pane.ID, Address: address}
}

// shows waits for a pane to show a text.
func (th *harness) shows(address, text string) {
	th.t.Helper()
	enginetest.Eventually(th.t, testTimeout, func() bool { return strings.Contains(th.screen(address), text) },
		func() string { return th.screen(address) })
}

func (th *harness) screen(address string) string {
	th.t.Helper()
	return th.tmux.Run("capture-pane", "-p", "-t", string(th.pane(address).ID))
}

// answerTo asks for what the display shows; known is for a question that was answered before.
func answerTo[A any](e *Effects, question any, known bool) (answer A, err error) {
	answered, _ := e.Do(intent.Read{Question: question, Known: known})().(Answered)
	answer, _ = answered.Answer.(A)
	return answer, answered.Err
}
