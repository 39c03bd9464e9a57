package measure

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"cupola/core"
	"cupola/core/fleet/conversation"
	"cupola/core/fleet/observe"
	"cupola/core/fleet/resolve"
)

func TestTheReplyOfAFinishedTurnIsReadOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := 0
		g := &ReplyMonitor{
			again: time.Second, ended: map[core.PaneID]time.Time{}, wake: make(chan struct{}, 1),
			replies: func(_ context.Context, target resolve.Target) ([]conversation.Reply, error) {
				asked++
				reply := conversation.Reply{Message: conversation.Message{
					Text: "\n## All 41 tests pass.\nmore", Complete: asked > 1 && target.Session == "%1",
				}}
				return []conversation.Reply{reply}, nil
			},
		}
		var said []string
		ctx, stop := context.WithCancel(t.Context())
		go g.Run(ctx, func(pane core.PaneID, turn observe.Turn) { said = append(said, string(pane)+" "+turn.Said) })
		done := core.Status{State: core.Idle, Notes: []core.Note{core.NoteDone}, Since: time.Now()}
		idle := core.Status{State: core.Idle, Since: time.Now()}
		snapshot := &core.Snapshot{Sessions: []core.Session{{Panes: []core.Pane{
			{ID: "%1", Status: done}, {ID: "%2", Status: idle},
		}}}}
		for range 3 {
			g.Note(snapshot)
			time.Sleep(5 * time.Second)
		}
		synctest.Wait()
		if asked != 2 || !slices.Equal(said, []string{"%1 All 41 tests pass."}) {
			t.Errorf("%d times, %q", asked, said)
		}
		stop()
		synctest.Wait()
	})
	if line := firstLine(strings.Repeat("é", 200)); len(line) > mostSaid+3 || !strings.HasSuffix(line, "é…") {
		t.Errorf("a long line is kept as %q", line)
	}
}
