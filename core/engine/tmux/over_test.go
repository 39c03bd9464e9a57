package tmux_test

import (
	"strings"
	"testing"
	"time"

	"cupola/core/engine"
	"cupola/core/engine/enginetest"
	"cupola/core/engine/tmux"
	"cupola/core/system/shell"
)

// A server of another machine reports nothing that could be mistaken for something on this one.
func TestAServerOfAnotherMachine(t *testing.T) {
	t.Parallel()
	server := enginetest.Private(t)
	here := open(t, server, tmux.Exec)
	launch := engine.Launch{Session: "work", Dir: "/", Argv: []string{"cat"}, Width: 80, Height: 24}
	loc, err := here.Create(t.Context(), launch)
	if err != nil {
		t.Fatal(err)
	}
	over, err := tmux.Open(tmux.Options{
		Binary: server.Binary, Socket: server.Socket, Environ: server.Environ,
		Over: func(argv ...string) []string { return []string{"sh", "-c", "exec " + shell.Line(argv...)} },
	})
	if err != nil {
		t.Fatal(err)
	}
	if over.Overlaps() {
		t.Error("it asks the socket, which is that of this machine")
	}
	var seen engine.Listing
	// tmux starts the program from a shell, which the pane runs until then.
	enginetest.Eventually(t, time.Minute, func() bool {
		seen, err = over.List(t.Context(), engine.WithCommand|engine.WithDir)
		return err != nil || len(seen.Panes) != 1 || seen.Panes[0].Process.Command == "cat"
	}, func() string { return "its program is " + seen.Panes[0].Process.Command })
	if err != nil || len(seen.Panes) != 1 || len(seen.Sessions) != 1 {
		t.Fatalf("listed %+v, %v", seen, err)
	}
	pane := seen.Panes[0]
	if pane.Process.PID != loc.PID || pane.Process.Dir != "" || pane.TTY != "" || seen.Sessions[0].Dir != "" {
		t.Errorf("the pane is %+v in %q, want the pid %d and no folder or terminal", pane, seen.Sessions[0].Dir,
			loc.PID)
	}
	if err := over.Paste(t.Context(), loc.Pane, []byte("it's; \"quoted\" $HOME\n")); err != nil {
		t.Fatal(err)
	}
	shown := ""
	enginetest.Eventually(t, time.Minute, func() bool {
		screens, err := over.Capture(t.Context(), engine.Ask{Pane: loc.Pane})
		if err == nil && len(screens) == 1 {
			shown = strings.Join(screens[0].Lines, "\n")
		}
		return strings.Contains(shown, `it's; "quoted" $HOME`)
	}, func() string { return "typed text, and the screen is " + shown })
	feed := over.Watch(t.Context())
	if change := <-feed.Changes(); len(change.Listing.Panes) != 1 || change.Listing.Panes[0].Process.PID != loc.PID {
		t.Errorf("its feed shows %+v", change.Listing.Panes)
	}
}
