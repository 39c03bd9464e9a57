package effect

import (
	"slices"
	"strings"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/verb/agents"
	"cupola/core/verb/registry"
	"cupola/core/verb/sessions"
	"cupola/tui/intent"
)

func TestSpawnAddRenameKill(t *testing.T) {
	th := open(t)
	in := sessions.SpawnIn{Session: "api"}
	in.Dir, in.Cmd = registry.ReadPath(th.tmux.Dir), []string{"exec cat"}
	th.must(act(in), "started 2 panes in api")
	if dir := th.snapshot().Session("api").Dir; dir != th.tmux.Dir {
		t.Errorf("it is in %s", dir)
	}
	more := sessions.AddIn{Session: "api"}
	more.Cmd = []string{"exec sleep 1000"}
	th.must(act(more), "started 1 pane in api")
	th.must(act(sessions.RenameIn{To: "web"}, whole("api")), "renamed api to web")
	gone := th.target("web.1")
	th.must(kill(gone), "ended web.1")
	if th.snapshot().Pane(gone.Pane) != nil {
		t.Error("the pane is still there")
	}
	th.must(kill(whole("web")), "ended web with 2 panes")
	if n := len(th.snapshot().Sessions); n != 0 {
		t.Errorf("%d sessions are left", n)
	}
}

func TestAPromptIsSentAndItsTurnInterrupted(t *testing.T) {
	th := open(t)
	th.must(spawn("api", []string{"scripted"}), "started 2 panes in api")
	th.shows("api.1", "? for help")
	one := th.target("api.1")
	th.must(act(agents.InterruptIn{}, one), "nothing to interrupt in api.1")
	th.must(send(one, "slow 600\nin two lines"), "api.1 delivered")
	th.shows("api.1", "esc to interrupt")
	th.must(act(agents.InterruptIn{}, one), "interrupted api.1")
	th.shows("api.1", "? for help")
	th.must(send(whole("api"), "say all"), "api.1 delivered")
}

func TestRefusedPaneIsNamed(t *testing.T) {
	th := open(t)
	th.must(spawn("api", []string{"scripted=2"}), "started 3 panes in api")
	th.shows("api.1", "? for help")
	th.shows("api.2", "? for help")
	two := th.target("api.2")
	th.must(send(two, "approve"), "api.2 delivered")
	th.shows("api.2", "enter to confirm")
	done := th.do(send(whole("api"), "say hello"))
	if e := core.AsError(done.Err); e == nil || e.Code != core.DeliveryFailed {
		t.Fatalf("got %+v", done)
	}
	if !slices.Equal(done.Unsent, []intent.Target{two}) {
		t.Errorf("unsent: %+v", done.Unsent)
	}
	if done.Said != "1 delivered, 1 refused: api.2 waits" {
		t.Errorf("said %q", done.Said)
	}
}

func TestAttachingHandsOverTheEnginesClient(t *testing.T) {
	th := open(t)
	th.must(spawn("api", nil, "exec cat"), "started 2 panes in api")
	one := th.target("api.1")
	for _, target := range []intent.Target{one, {Session: "api", Address: "api"}} {
		handover, ok := th.effects.Do(intent.Attach{Target: target})().(Handover)
		if !ok {
			t.Fatalf("attaching to %s hands nothing over", target.Address)
		}
		argv := handover.Command.Args
		if !slices.Contains(argv, "attach-session") || !slices.Contains(argv, th.tmux.Socket) {
			t.Errorf("argv %q", argv)
		}
		if names := strings.Contains(argv[len(argv)-1], string(one.Pane)); names != (target.Pane != "") {
			t.Errorf("%s: argv %q", target.Address, argv)
		}
		if handover.Intent.(intent.Attach).Target != target {
			t.Errorf("it answers %+v", handover.Intent)
		}
	}
}

func TestFailedActReturnsError(t *testing.T) {
	th := open(t)
	th.tmux.Start()
	missing := sessions.AddIn{Session: "gone"}
	missing.Cmd = []string{"cat"}
	gone := whole("gone")
	for _, test := range []struct {
		wanted intent.Intent
		want   core.Code
	}{
		{send(gone, "x"), core.SessionNotFound},
		{
			send(intent.Target{Session: "first", Pane: "%99", Address: "first.9"}, "x"),
			core.PaneNotFound,
		},
		{spawn("first", nil, "cat"), core.AlreadyExists},
		{spawn("new", []string{"claude=none"}), core.InvalidInput},
		{act(missing), core.SessionNotFound},
		{kill(gone), core.SessionNotFound},
		{act(sessions.RenameIn{To: "x"}, gone), core.SessionNotFound},
		{act(agents.InterruptIn{}, gone), core.SessionNotFound},
		{intent.Attach{Target: gone}, core.SessionNotFound},
	} {
		done := th.do(test.wanted)
		if e := core.AsError(done.Err); e == nil || e.Code != test.want || done.Said != "" {
			t.Errorf("%T: got %+v, want %s", test.wanted, done, test.want)
		}
	}
}

func TestFramesBecomeMessages(t *testing.T) {
	th := open(t)
	if framed, ok := th.effects.Next().(Framed); !ok || framed.Frame.Snapshot == nil || framed.Frame.Snapshot.EngineUp {
		t.Fatalf("the first frame is %+v", framed)
	}
	th.must(spawn("api", nil, "echo here; exec cat"), "started 2 panes in api")
	pane := th.pane("api.1").ID
	th.effects.Look([]core.PaneID{pane})
	seen := make(chan struct{})
	go func() {
		defer close(seen)
		for {
			framed, ok := th.effects.Next().(Framed)
			if !ok {
				return
			}
			if screen := framed.Frame.Screens[pane]; strings.Contains(screen.Text(), "here") {
				return
			}
		}
	}()
	select {
	case <-seen:
	case <-time.After(testTimeout):
		t.Fatal("what the pane prints is not seen")
	}
	if ended := th.end(); ended.Err != nil {
		t.Errorf("ended with %v", ended.Err)
	}
}

func TestDoIgnoresOtherIntents(t *testing.T) {
	e := &Effects{}
	for _, wanted := range []intent.Intent{
		intent.Move{By: 1},
		intent.Scroll{},
		intent.Quit{},
		intent.Back{},
		intent.Submit{},
		intent.AskSend{},
	} {
		if e.Do(wanted) != nil {
			t.Errorf("%T is acted upon", wanted)
		}
	}
	for _, wanted := range []intent.Intent{intent.Suspend{}, intent.Redraw{}} {
		if e.Do(wanted) == nil {
			t.Errorf("%T is not acted upon", wanted)
		}
	}
}
