package demo_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"cupola/cmd/demo"
	"cupola/core"
	"cupola/core/agent"
	"cupola/core/agent/scripted"
	"cupola/core/engine"
	"cupola/core/engine/enginetest"
	"cupola/core/engine/own"
	"cupola/core/engine/own/server"
	"cupola/core/fleet"
	"cupola/core/fleet/fleettest"
	"cupola/core/fleet/lifecycle"
	"cupola/core/fleet/observe"
	"cupola/core/fleet/output"
	"cupola/core/fleet/resolve"
	"cupola/core/system/process"
)

// play runs a demo in this process.
func (m *machine) play(ctx context.Context, open demo.Open) error {
	m.t.Helper()
	kinds, err := agent.Load()
	if err != nil {
		m.t.Fatal(err)
	}
	return demo.Run(ctx, demo.Options{
		Self:    m.self,
		Kinds:   kinds,
		Environ: m.environ,
		Temp:    m.temp,
		Engine:  process.Variable(m.environ, "CUPOLA_ENGINE_KIND"),
		Own:     own.Options{Start: []string{m.self, server.ServerWord}},
	}, open)
}

// watcher reads from the screens what the agents of a demo do.
type watcher struct {
	engine engine.Engine
	kind   *agent.Kind
	seen   map[string]bool
}

// look adds what the agents are at now: "api.cc_1 working".
func (w *watcher) look(ctx context.Context, f *fleet.Fleet) error {
	snapshot, err := f.Overview.Snapshot(ctx, observe.View{})
	if err != nil {
		return err
	}
	var asks []engine.Ask
	for _, pane := range snapshot.Panes() {
		asks = append(asks, engine.Ask{Pane: pane.ID})
		if state := pane.Status.State; state == core.Exited {
			w.note(pane, fmt.Sprintf("%s %s", state, pane.Status.Reason))
		}
	}
	screens, err := w.engine.Capture(ctx, asks...)
	if err != nil {
		return err
	}
	for i := range screens {
		if pane := snapshot.Pane(screens[i].Pane); pane.Agent.Kind != "" {
			w.read(pane, &screens[i])
		}
	}
	return nil
}

func (w *watcher) read(pane *core.Pane, screen *core.Screen) {
	reading := w.kind.Read(screen)
	text := screen.Text()
	block, blocked := reading.Blocked()
	_, working := reading.Working()
	switch {
	case blocked:
		w.note(pane, "waiting "+string(block.Reason))
	case working && strings.Contains(text, scripted.VerbWriting):
		w.note(pane, "streaming")
	case working:
		w.note(pane, "working")
	case strings.Contains(text, scripted.MarkTrouble+scripted.TroubleLimit):
		w.note(pane, "limited")
	case strings.Contains(text, scripted.MarkTrouble+scripted.TroubleError):
		w.note(pane, "error")
	case reading.Ready():
		w.note(pane, "idle")
	}
	if pane.View.AlternateOn {
		w.note(pane, "full-screen")
	}
}

func (w *watcher) note(pane *core.Pane, what string) {
	w.seen[pane.Session+"."+pane.Agent.Name+" "+strings.TrimSpace(what)] = true
}

// How it starts may be over before the first look.
func TestTheFleetReachesEveryOtherState(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	kinds, err := agent.Load()
	if err != nil {
		t.Fatal(err)
	}
	kind, _ := kinds.Find("scripted")
	want := []string{
		"api.cc_1 streaming", "api.cc_2 waiting approval", "api.cod_1 working", "docs.cc_1 error", "docs.cod_1 idle",
		"docs.oc_1 exited failed", "web.cc_1 waiting question", "web.cod_1 limited", "web.gmi_1 full-screen",
		"web.gmi_1 streaming",
	}
	err = m.play(t.Context(), func(ctx context.Context, f *fleet.Fleet, socket string) error {
		server := fleettest.EngineAt(t, socket)
		w := &watcher{engine: server, kind: kind, seen: map[string]bool{}}
		enginetest.Eventually(t, testTimeout, func() bool {
			if err := w.look(ctx, f); err != nil {
				t.Fatal(err)
			}
			return !slices.ContainsFunc(want, func(what string) bool { return !w.seen[what] })
		}, func() string {
			return fmt.Sprintf("seen is %q\nof %q", slices.Sorted(maps.Keys(w.seen)), want)
		})
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

func TestDemoFleetCanBeDriven(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	err := m.play(t.Context(), func(ctx context.Context, f *fleet.Fleet, _ string) error {
		launch := lifecycle.LaunchRequest{Agents: []lifecycle.AgentCount{{Kind: "scripted", Count: 1}}, WaitReady: true}
		added, err := f.Launcher.Add(ctx, lifecycle.AddRequest{Session: "docs", Launch: launch})
		if err != nil {
			return err
		}
		if got := added.Panes[0]; got.Agent != "scr_1" || !got.Ready || strings.Contains(got.Command, "--script") {
			t.Errorf("added %+v", got)
		}
		killed, err := f.Launcher.Kill(ctx, lifecycle.KillRequest{Target: resolve.Target{Session: "web"}})
		if err != nil {
			return err
		}
		if killed.Session != "web" || len(killed.Panes) != 3 {
			t.Errorf("killed %+v", killed)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

func TestAPanicStillEndsEverything(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	defer func() {
		if got := recover(); got != "lost" {
			t.Errorf("it panicked with %v", got)
		}
		m.mustBeClean()
	}()
	_ = m.play(t.Context(), func(context.Context, *fleet.Fleet, string) error { panic("lost") })
}

func TestStopKillsStubbornProcesses(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	closed := errors.New("closed")
	err := m.play(t.Context(), func(ctx context.Context, f *fleet.Fleet, socket string) error {
		launch := lifecycle.LaunchRequest{
			Commands: []string{`trap "" HUP TERM; echo deaf; while :; do sleep 0.1; done`},
		}
		if _, err := f.Launcher.Add(ctx, lifecycle.AddRequest{Session: "api", Launch: launch}); err != nil {
			return err
		}
		enginetest.Eventually(t, testTimeout, func() bool {
			tailed, err := f.Output.Tail(ctx, output.Request{Target: resolve.Target{Session: "api.4"}})
			return err == nil && len(tailed) == 1 && slices.Contains(tailed[0].Lines, "deaf")
		}, nil)
		return closed
	})
	if !errors.Is(err, closed) {
		t.Errorf("the demo ended with %v", err)
	}
}

func TestACancelledDemoIsNotRaised(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err := m.play(ctx, func(context.Context, *fleet.Fleet, string) error { t.Error("it was opened"); return nil })
	if e := core.AsError(err); e == nil || e.Code != core.Cancelled {
		t.Errorf("got %v", err)
	}
}
