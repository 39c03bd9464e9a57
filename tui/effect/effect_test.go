package effect

import (
	"slices"
	"strings"
	"testing"
	"time"

	"cupola/core"
	"cupola/tui/intent"
)

func TestSpawnAddRenameKill(t *testing.T) {
	th := open(t)
	th.must(intent.Spawn{Session: "api", Dir: th.tmux.Dir, Commands: []string{"exec cat"}}, "started 2 panes in api")
	if dir := th.snapshot().Session("api").Dir; dir != th.tmux.Dir {
		t.Errorf("it is in %s", dir)
	}
	th.must(intent.Add{Session: "api", Commands: []string{"exec sleep 1000"}}, "started 1 pane in api")
	th.must(intent.Rename{From: "api", To: "web"}, "renamed api to web")
	gone := th.target("web.1")
	th.must(intent.Kill{Target: gone}, "ended web.1")
	if th.snapshot().Pane(gone.Pane) != nil {
		t.Error("the pane is still there")
	}
	th.must(intent.Kill{Target: intent.Target{Session: "web", Address: "web"}}, "ended web")
	if n := len(th.snapshot().Sessions); n != 0 {
		t.Errorf("%d sessions are left", n)
	}
}

func TestAPromptIsSentAndItsTurnInterrupted(t *testing.T) {
	th := open(t)
	th.must(intent.Spawn{Session: "api", Agents: []string{"scripted"}}, "started 2 panes in api")
	th.shows("api.1", "? for help")
	one := th.target("api.1")
	th.must(intent.Interrupt{Target: one}, "nothing to interrupt in api.1")
	th.must(intent.Send{Target: one, Text: "slow 600\nin two lines"}, "api.1 delivered")
	th.shows("api.1", "esc to interrupt")
	th.must(intent.Interrupt{Target: one}, "interrupted api.1")
	th.shows("api.1", "? for help")
	th.must(intent.Send{Target: intent.Target{Session: "api", Address: "api"}, Text: "say all"}, "api.1 delivered")
}

func TestRefusedPaneIsNamed(t *testing.T) {
	th := open(t)
	th.must(intent.Spawn{Session: "api", Agents: []string{"scripted=2"}}, "started 3 panes in api")
	th.shows("api.1", "? for help")
	th.shows("api.2", "? for help")
	two := th.target("api.2")
	th.must(intent.Send{Target: two, Text: "approve"}, "api.2 delivered")
	th.shows("api.2", "enter to confirm")
	done := th.do(intent.Send{Target: intent.Target{Session: "api", Address: "api"}, Text: "say hello"})
	if e := core.AsError(done.Err); e == nil || e.Code != core.DeliveryFailed {
		t.Fatalf("got %+v", done)
	}
	if !slices.Equal(done.Unsent, []intent.Target{two}) {
		t.Errorf("unsent: %+v", done.Unsent)
	}
	if !strings.HasPrefix(done.Said, "api.1 delivered, api.2 refused: ") {
		t.Errorf("said %q", done.Said)
	}
}

func TestCopyPane(t *testing.T) {
	th := open(t)
	th.must(intent.Spawn{
		Session:  "api",
		Commands: []string{"printf 'one   \\n\\n\\033[31mtwo\\033[m\\n'; exec sleep 1000"},
	}, "started 2 panes in api")
	th.shows("api.1", "two")
	th.must(intent.Copy{Pane: th.pane("api.1").ID}, "copied 3 lines")
	if th.copied != "one\n\ntwo\n" {
		t.Errorf("copied %q", th.copied)
	}
}

func TestAttachingHandsOverTheEnginesClient(t *testing.T) {
	th := open(t)
	th.must(intent.Spawn{Session: "api", Commands: []string{"exec cat"}}, "started 2 panes in api")
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
	gone := intent.Target{Session: "gone", Address: "gone"}
	for _, test := range []struct {
		wanted intent.Intent
		want   core.Code
	}{
		{intent.Send{Target: gone, Text: "x"}, core.SessionNotFound},
		{
			intent.Send{Target: intent.Target{Session: "first", Pane: "%99", Address: "first.9"}, Text: "x"},
			core.PaneNotFound,
		},
		{intent.Spawn{Session: "first", Commands: []string{"cat"}}, core.AlreadyExists},
		{intent.Spawn{Session: "new", Agents: []string{"claude=none"}}, core.InvalidInput},
		{intent.Add{Session: "gone", Commands: []string{"cat"}}, core.SessionNotFound},
		{intent.Add{Session: "first", Agents: []string{"claude=0"}}, core.InvalidInput},
		{intent.Kill{Target: gone}, core.SessionNotFound},
		{intent.Rename{From: "gone", To: "x"}, core.SessionNotFound},
		{intent.Interrupt{Target: gone}, core.SessionNotFound},
		{intent.Copy{Pane: "%99"}, core.PaneNotFound},
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
	th.must(intent.Spawn{Session: "api", Commands: []string{"echo here; exec cat"}}, "started 2 panes in api")
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
