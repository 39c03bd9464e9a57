package fleet_test

import (
	"context"
	"cupola/core"
	"cupola/core/engine"
	"cupola/core/fleet"
	"cupola/core/fleet/fleettest"
	"cupola/core/fleet/output"
	"cupola/core/fleet/resolve"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// listenTo follows the panes of a session until stop is called, which returns what
// was told.
func listenTo(t *testing.T, f *fleet.Fleet, session string) (stop func() []output.Said) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var said []output.Said
	done := make(chan error, 1)
	go func() {
		request := output.Request{Target: resolve.Target{Session: session, All: true}, Escapes: true}
		_, err := f.Output.Follow(ctx, request, func(one output.Said) error {
			said = append(said, one)
			return nil
		})
		done <- err
	}()
	synctest.Wait()
	return func() []output.Said {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
		return said
	}
}

func TestAPaneThatPrintsWithoutAPauseIsHeardMeanwhile(t *testing.T) {
	keeper.inGallery(t, func(t *testing.T, g *keeper.gallery, f *fleet.Fleet, _ *keeper.viewing) {
		stop := listenTo(t, f, "a")
		<-time.After(time.Second)
		lines := []string{"A"}
		for i := range 40 {
			lines = append(lines, fmt.Sprintf("line %d", i))
			g.paint(string(keeper.paneA), strings.Join(lines, "\n"))
			g.dirty(keeper.paneA)
			<-time.After(50 * time.Millisecond)
		}
		if said := stop(); len(said) < 30 || said[0].Text != "line 0" || slices.ContainsFunc(said, func(s output.Said) bool { return s.Type != output.SaidLine || s.Pane != keeper.paneA }) {
			t.Errorf("after two seconds of it were told %+v", said)
		}
	})
}

func TestAPaneThatClosesTakesNoWordsOfAnotherAlong(t *testing.T) {
	keeper.inGallery(t, func(t *testing.T, g *keeper.gallery, f *fleet.Fleet, _ *keeper.viewing) {
		both := fleettest.Listing("a", "b", "c")
		both.Panes[1].Session = both.Panes[0].Session
		g.Play(engine.Change{Listing: both, Structural: true})
		stop := listenTo(t, f, "a")
		<-time.After(time.Second)
		g.paint(string(keeper.paneA), "A\nits last words", string(keeper.paneB), "B\nlost words")
		g.Play(engine.Change{Listing: both, Dirty: []core.PaneID{keeper.paneA, keeper.paneB}})
		synctest.Wait()
		g.now(func() { delete(g.screens, keeper.paneB) })
		<-time.After(time.Second)
		g.Show("a", "c")
		<-time.After(time.Second)
		var told []string
		for _, one := range stop() {
			told = append(told, fmt.Sprint(one.Pane, " ", one.Type, " ", one.Text))
		}
		if !slices.Contains(told, "%97 line its last words") || !slices.Contains(told, "%98 closed ") {
			t.Errorf("told were %q", told)
		}
	})
}
