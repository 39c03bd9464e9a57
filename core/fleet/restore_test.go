package fleet_test

import (
	"context"
	"testing"

	"cupola/core"
	"cupola/core/fleet/lifecycle"
	"cupola/core/fleet/observe"
)

// TestWhatRanStaysOnRecordWhereItsSessionIsRemovedAgain has a session that is lost with its server, and one of its name
// on the next server that is removed half way, because its caller gives up.
func TestWhatRanStaysOnRecordWhereItsSessionIsRemovedAgain(t *testing.T) {
	t.Parallel()
	th := open(t, "socket")
	spawn := func(ctx context.Context, progress core.ProgressFunc, commands ...string) error {
		launch := lifecycle.LaunchRequest{Dir: th.tmux.Dir, Commands: commands, Progress: progress}
		_, err := th.Launcher.Spawn(ctx, lifecycle.SpawnRequest{Session: "api", NoUserPane: true, Launch: launch})
		return err
	}
	ran := func() (panes int) {
		seen, err := th.Observer.Outline(t.Context(), observe.View{})
		if err != nil {
			t.Fatal(err)
		}
		for _, session := range th.Dir.Ran(t.Context(), seen.Snapshot) {
			panes += len(session.Panes)
		}
		return panes
	}
	if err := spawn(t.Context(), nil, "cat", "cat", "cat"); err != nil {
		t.Fatal(err)
	}
	ran()
	th.tmux.Stop()
	if n := ran(); n != 3 {
		t.Fatalf("%d panes ran, not 3", n)
	}
	ctx, giveUp := context.WithCancel(t.Context())
	defer giveUp()
	err := spawn(ctx, func(p core.Progress) {
		if p.Percent > 0 && ctx.Err() == nil {
			ran() // which records the one that is half made
			giveUp()
		}
	}, "cat", "cat")
	if err == nil {
		t.Error("the spawn of a caller that gave up succeeded")
	}
	if n := ran(); n != 3 {
		t.Errorf("then %d panes ran, not 3", n)
	}
}
