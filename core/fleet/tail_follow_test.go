package fleet_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"cupola/core"
	"cupola/core/engine"
	"cupola/core/fleet"
	"cupola/core/fleet/fleettest"
	"cupola/core/fleet/output"
	"cupola/core/fleet/resolve"
)

// paintedEngine is an engine whose screens a test paints. A pane without a screen cannot be
// captured.
type paintedEngine struct {
	fleettest.FeedEngine
	painting sync.Mutex
	screens  map[core.PaneID]string
}

func (e *paintedEngine) Capture(_ context.Context, asks ...engine.Ask) ([]core.Screen, error) {
	e.painting.Lock()
	defer e.painting.Unlock()
	var screens []core.Screen
	for _, ask := range asks {
		if text := e.screens[ask.Pane]; text != "" && ask.Escapes {
			screens = append(screens, core.Screen{Pane: ask.Pane, Lines: strings.Split(text, "\n")})
		}
	}
	return screens, nil
}

// paint sets the screens of panes, given as id and text in turns.
func (e *paintedEngine) paint(pairs ...string) {
	e.painting.Lock()
	defer e.painting.Unlock()
	for i := 0; i < len(pairs); i += 2 {
		e.screens[core.PaneID(pairs[i])] = pairs[i+1]
	}
}

// dirty plays output on panes of the sessions a, b and c.
func (e *paintedEngine) dirty(ids ...core.PaneID) {
	e.Emit(engine.Change{Listing: fleettest.Listing("a", "b", "c"), Dirty: ids})
}

// paneA and paneB are the panes of the sessions a and b.
const paneA, paneB core.PaneID = "%97", "%98"

// onPaintedScreens runs a test in false time with three panes and a display.
func onPaintedScreens(t *testing.T, test func(t *testing.T, e *paintedEngine, f *fleet.Fleet)) {
	t.Helper()
	kinds := fleettest.BuiltinKinds(t)
	synctest.Test(t, func(t *testing.T) {
		e := &paintedEngine{screens: map[core.PaneID]string{paneA: "A", paneB: "B", "%99": "C"}}
		e.Change = engine.Change{Listing: fleettest.Listing("a", "b", "c"), Structural: true}
		f := fleet.Open(fleet.Options{Engine: e, Kinds: kinds})
		shown := displayed(t, f)
		test(t, e, f)
		shown.end()
		synctest.Wait()
	})
}

// listenTo follows the panes of a session until stop is called, which returns the events.
func listenTo(t *testing.T, f *fleet.Fleet, session string) (stop func() []output.Event) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var said []output.Event
	done := make(chan error, 1)
	go func() {
		request := output.Request{Target: resolve.Target{Session: session, All: true}, Escapes: true}
		_, err := f.Output.Follow(ctx, request, func(one output.Event) error {
			said = append(said, one)
			return nil
		})
		done <- err
	}()
	synctest.Wait()
	return func() []output.Event {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
		return said
	}
}

func TestFollowReportsPaneThatPrintsWithoutPause(t *testing.T) {
	t.Parallel()
	onPaintedScreens(t, func(t *testing.T, g *paintedEngine, f *fleet.Fleet) {
		stop := listenTo(t, f, "a")
		<-time.After(time.Second)
		lines := []string{"A"}
		for i := range 40 {
			lines = append(lines, fmt.Sprintf("line %d", i))
			g.paint(string(paneA), strings.Join(lines, "\n"))
			g.dirty(paneA)
			<-time.After(50 * time.Millisecond)
		}
		if said := stop(); len(said) < 30 || said[0].Text != "line 0" ||
			slices.ContainsFunc(said,
				func(s output.Event) bool { return s.Type != output.EventLine || s.Pane != paneA }) {
			t.Errorf("after two seconds of it were told %+v", said)
		}
	})
}

func TestAPaneThatClosesTakesNoWordsOfAnotherAlong(t *testing.T) {
	onPaintedScreens(t, func(t *testing.T, g *paintedEngine, f *fleet.Fleet) {
		both := fleettest.Listing("a", "b", "c")
		both.Panes[1].Session = both.Panes[0].Session
		g.Emit(engine.Change{Listing: both, Structural: true})
		stop := listenTo(t, f, "a")
		<-time.After(time.Second)
		g.paint(string(paneA), "A\nits last words", string(paneB), "B\nlost words")
		g.Emit(engine.Change{Listing: both, Dirty: []core.PaneID{paneA, paneB}})
		synctest.Wait()
		g.paint(string(paneB), "")
		<-time.After(time.Second)
		g.Show("a", "c")
		<-time.After(time.Second)
		var reported []string
		for _, one := range stop() {
			reported = append(reported, fmt.Sprint(one.Pane, " ", one.Type, " ", one.Text))
		}
		if !slices.Contains(reported, "%97 line its last words") || !slices.Contains(reported, "%98 closed ") {
			t.Errorf("told were %q", reported)
		}
	})
}
