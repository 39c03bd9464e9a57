package fleet

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"cupola/core"
	"cupola/core/engine"
)

// listenTo follows the panes of a session until stop is called, which returns what
// was told.
func listenTo(t *testing.T, f *Fleet, session string) (stop func() []Said) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var said []Said
	done := make(chan error, 1)
	go func() {
		request := TailRequest{Target: Target{Session: session, All: true}, Escapes: true}
		_, err := f.Follow(ctx, request, func(one Said) error {
			said = append(said, one)
			return nil
		})
		done <- err
	}()
	synctest.Wait()
	return func() []Said {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
		return said
	}
}

func TestAPaneThatPrintsWithoutAPauseIsHeardMeanwhile(t *testing.T) {
	inGallery(t, func(t *testing.T, g *gallery, f *Fleet, _ *viewing) {
		stop := listenTo(t, f, "a")
		<-time.After(time.Second)
		lines := []string{"A"}
		for i := range 40 {
			lines = append(lines, fmt.Sprintf("line %d", i))
			g.paint(string(paneA), strings.Join(lines, "\n"))
			g.dirty(paneA)
			<-time.After(50 * time.Millisecond)
		}
		if said := stop(); len(said) < 30 || said[0].Text != "line 0" || slices.ContainsFunc(said, func(s Said) bool { return s.Type != SaidLine || s.Pane != paneA }) {
			t.Errorf("after two seconds of it were told %+v", said)
		}
	})
}

func TestAPaneThatClosesTakesNoWordsOfAnotherAlong(t *testing.T) {
	inGallery(t, func(t *testing.T, g *gallery, f *Fleet, _ *viewing) {
		both := listing("a", "b", "c")
		both.Panes[1].Session = both.Panes[0].Session
		g.play(engine.Change{Listing: both, Structural: true})
		stop := listenTo(t, f, "a")
		<-time.After(time.Second)
		g.paint(string(paneA), "A\nits last words", string(paneB), "B\nlost words")
		g.play(engine.Change{Listing: both, Dirty: []core.PaneID{paneA, paneB}})
		synctest.Wait()
		g.now(func() { delete(g.screens, paneB) })
		<-time.After(time.Second)
		g.show("a", "c")
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
