package keeper

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"cupola/core"
	"cupola/core/engine"
	"cupola/core/engine/enginetest"
	"cupola/core/fleet/fleettest"
	"cupola/core/fleet/rundir"
)

// gallery is a stage whose panes have screens. It counts the questions.
type gallery struct {
	fleettest.FeedEngine

	hung     sync.Mutex
	screens  map[core.PaneID]string
	asked    [][]core.PaneID
	refused  error
	slow     time.Duration
	inFlight int
	most     int
}

func (g *gallery) Capture(ctx context.Context, asks ...engine.Ask) ([]core.Screen, error) {
	g.now(func() { g.inFlight++ })
	if g.slow > 0 {
		_ = core.Sleep(ctx, g.slow)
	}
	g.hung.Lock()
	defer g.hung.Unlock()
	g.most = max(g.most, g.inFlight)
	g.inFlight--
	var ids []core.PaneID
	var screens []core.Screen
	for _, ask := range asks {
		ids = append(ids, ask.Pane)
		if text, there := g.screens[ask.Pane]; there && ask.Escapes {
			screens = append(screens, core.Screen{Pane: ask.Pane, Lines: strings.Split(text, "\n")})
		}
	}
	slices.Sort(ids)
	g.asked = append(g.asked, ids)
	return screens, g.refused
}

// now changes or reads what Capture reads and changes, too.
func (g *gallery) now(do func()) {
	g.hung.Lock()
	defer g.hung.Unlock()
	do()
}

// paint sets the screens of panes, given as id and text in turns.
func (g *gallery) paint(pairs ...string) {
	g.now(func() {
		for i := 0; i < len(pairs); i += 2 {
			g.screens[core.PaneID(pairs[i])] = pairs[i+1]
		}
	})
}

// questions returns what was asked for since the last time.
func (g *gallery) questions() (asked [][]core.PaneID) {
	g.now(func() { asked, g.asked = g.asked, nil })
	return asked
}

// dirty plays output on panes of the sessions a, b and c.
func (g *gallery) dirty(ids ...core.PaneID) {
	g.Emit(engine.Change{Listing: fleettest.Listing("a", "b", "c"), Dirty: ids})
}

// paneA, paneB and paneC are the panes of the sessions a, b and c.
const paneA, paneB, paneC core.PaneID = "%97", "%98", "%99"

// inGallery runs a test in false time with three panes and a live reader.
func inGallery(t *testing.T, test func(t *testing.T, g *gallery, f *Streams, l *viewing)) {
	t.Helper()
	kinds := fleettest.BuiltinKinds(t)
	synctest.Test(t, func(t *testing.T) {
		g := &gallery{screens: map[core.PaneID]string{paneA: "A", paneB: "B", paneC: "C"}}
		g.Change = engine.Change{Listing: fleettest.Listing("a", "b", "c"), Structural: true}
		f := openStreams(t, kinds, "", Options{Engine: g})
		l := lively(t, f)
		test(t, g, f, l)
		l.end()
		synctest.Wait()
	})
}

// viewing reads a Live in a test.
type viewing struct {
	*Live
	t    testing.TB
	stop context.CancelFunc
}

// lively returns a Live that is over before the test is.
func lively(t testing.TB, f *Streams) *viewing {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	l, err := f.Live(ctx, false)
	if err != nil {
		stop()
		t.Fatal(err)
	}
	v := &viewing{l, t, stop}
	t.Cleanup(v.end)
	return v
}

func (v *viewing) end() {
	v.stop()
	for range v.Frames {
	}
}

// next returns the next frame.
func (v *viewing) next() Frame {
	v.t.Helper()
	select {
	case f, open := <-v.Frames:
		if !open {
			v.t.Fatalf("the frames ended: %v", v.Err())
		}
		return f
	case <-time.After(testTimeout):
		v.t.Fatal("no frame came")
	}
	return Frame{}
}

// nothing fails if there is a frame within a time.
func (v *viewing) nothing(within time.Duration) {
	v.t.Helper()
	select {
	case f := <-v.Frames:
		v.t.Errorf("unexpected: %+v", f)
	case <-time.After(within):
	}
}

// shown checks the screens of a frame, given as in paint.
func shown(t testing.TB, f Frame, pairs ...string) {
	t.Helper()
	if len(f.Screens) != len(pairs)/2 {
		t.Errorf("%d screens, want %q: %v", len(f.Screens), pairs, f.Screens)
	}
	for i := 0; i < len(pairs); i += 2 {
		screen := f.Screens[core.PaneID(pairs[i])]
		if got := screen.Text(); got != pairs[i+1] {
			t.Errorf("%s shows %q, want %q", pairs[i], got, pairs[i+1])
		}
	}
}

func TestTheFirstFrameIsTheSnapshotAndWaitsForNoScreen(t *testing.T) {
	inGallery(t, func(t *testing.T, g *gallery, f *Streams, l *viewing) {
		g.now(func() { g.slow = time.Second })
		l.Display([]core.PaneID{paneA})
		began := time.Now()
		first := l.next()
		if first.Snapshot == nil || sessionNames(first.Snapshot) != "[a b c]" ||
			len(first.Screens) > 0 || !time.Now().Equal(began) {
			t.Errorf("%+v after %v", first, time.Since(began))
		}
		if len(first.Events) != 1 || first.Events[0].Type != core.Resynced {
			t.Errorf("%q", fleettest.EventLines(first.Events))
		}
		second := l.next()
		if second.Snapshot != nil || len(second.Events) > 0 {
			t.Errorf("%+v", second)
		}
		shown(t, second, "%97", "A")
		l.nothing(time.Hour)
	})
}

func TestOnlyVisibleDirtyPanesAreAskedForAndTogether(t *testing.T) {
	inGallery(t, func(t *testing.T, g *gallery, f *Streams, l *viewing) {
		l.next()
		g.dirty(paneA, paneB, paneC)
		l.nothing(time.Second)
		if asked := g.questions(); len(asked) > 0 {
			t.Errorf("with no pane on display: %q", asked)
		}
		l.Display([]core.PaneID{paneC, paneA})
		shown(t, l.next(), "%97", "A", "%99", "C")
		g.paint("%97", "A2", "%98", "B2", "%99", "C2")
		g.dirty(paneA, paneB)
		shown(t, l.next(), "%97", "A2")
		g.dirty(paneC)
		shown(t, l.next(), "%99", "C2")
		g.dirty(paneA, paneC)
		l.nothing(time.Second)
		want := [][]core.PaneID{{paneA, paneC}, {paneA}, {paneC}, {paneA, paneC}}
		if asked := g.questions(); !slices.EqualFunc(asked, want, slices.Equal) {
			t.Errorf("asked %q, want %q", asked, want)
		}
		if focus := g.NewestFocus(); !focus.Watched || focus.Only ||
			!slices.Equal(focus.Visible, []core.PaneID{paneA, paneC}) {
			t.Errorf("%+v", focus)
		}
	})
}

func TestOneQuestionForScreensAtATime(t *testing.T) {
	inGallery(t, func(t *testing.T, g *gallery, f *Streams, l *viewing) {
		l.next()
		g.now(func() { g.slow = time.Second })
		l.Display([]core.PaneID{paneA, paneB})
		for range 20 {
			synctest.Wait()
			g.dirty(paneA)
			l.Display([]core.PaneID{paneA, paneB, paneC})
			<-time.After(50 * time.Millisecond)
		}
		<-time.After(10 * time.Second)
		g.now(func() {
			if g.most != 1 || len(g.asked) != 2 {
				t.Errorf("%d at a time, %d in all", g.most, len(g.asked))
			}
		})
	})
}

func TestWhatWasNotReadIsMergedIntoTheNewest(t *testing.T) {
	inGallery(t, func(t *testing.T, g *gallery, f *Streams, l *viewing) {
		l.next()
		l.Display([]core.PaneID{paneA, paneB})
		for _, text := range []string{"1", "2", "3"} {
			g.paint("%97", text)
			g.dirty(paneA)
			<-time.After(time.Second)
		}
		g.Show("a", "b")
		g.Show("a", "b", "d")
		synctest.Wait()
		newest := l.next()
		shown(t, newest, "%97", "3", "%98", "B")
		var types []string
		for _, e := range newest.Events {
			types = append(types, string(e.Type)+" "+e.Session)
		}
		if want := "pane_closed c,session_closed c,session_created d,pane_opened d"; strings.Join(types, ",") != want {
			t.Errorf("%q", types)
		}
		if sessionNames(newest.Snapshot) != "[a b d]" {
			t.Errorf("the snapshot shows %s", sessionNames(newest.Snapshot))
		}
		l.nothing(time.Hour)
	})
}

func TestALostServerTakesItsScreensAlong(t *testing.T) {
	inGallery(t, func(t *testing.T, g *gallery, f *Streams, l *viewing) {
		l.next()
		l.Display([]core.PaneID{paneA, paneB})
		l.next()
		g.paint("%97", "never seen")
		g.dirty(paneA)
		synctest.Wait()
		g.now(func() { g.refused = engine.ErrNoServer })
		g.Emit(engine.Change{Lost: engine.ErrNoServer})
		synctest.Wait()
		lost := l.next()
		if lost.Snapshot == nil || lost.Snapshot.EngineUp || len(lost.Screens) > 0 {
			t.Errorf("%+v", lost)
		}
		g.paint("%97", "on another server")
		g.now(func() { g.refused, g.slow = nil, time.Second })
		g.Emit(engine.Change{Listing: fleettest.Listing("a"), Structural: true, Dirty: []core.PaneID{paneA}})
		synctest.Wait()
		back := l.next()
		if back.Snapshot == nil || !back.Snapshot.EngineUp || len(back.Screens) > 0 {
			t.Errorf("%+v", back)
		}
		shown(t, l.next(), "%97", "on another server")
	})
}

func TestAPaneThatWasClosedBetweenFramesIsSeenAgain(t *testing.T) {
	inGallery(t, func(t *testing.T, g *gallery, f *Streams, l *viewing) {
		l.next()
		l.Display([]core.PaneID{paneA})
		l.next()
		g.Show("b")
		g.Show("a", "b")
		synctest.Wait()
		shown(t, l.next(), "%97", "A")
	})
}

func TestAFollowerLooksAtNothingButWhatIsVisible(t *testing.T) {
	h := houseWith(t, "a", "b")
	subscribed(t, h.open(t), Interest{}).next()
	l := lively(t, h.open(t))
	if l.next().Keeper {
		t.Fatal("there are two keepers")
	}
	l.Display([]core.PaneID{paneB})
	enginetest.Eventually(t, testTimeout, func() bool {
		h.Mu.Lock()
		feeds := len(h.Feeds)
		h.Mu.Unlock()
		focus := h.NewestFocus()
		return feeds == 2 && focus.Only && slices.Equal(focus.Visible, []core.PaneID{paneB})
	}, nil)
	l.end()
}

func TestAnotherPaneOfTheSameIDIsSeenAgain(t *testing.T) {
	inGallery(t, func(t *testing.T, g *gallery, f *Streams, l *viewing) {
		l.next()
		l.Display([]core.PaneID{paneA})
		l.next()
		other := fleettest.Listing("a", "b", "c")
		other.Panes[0].Process.PID++
		g.Emit(engine.Change{Listing: other, Structural: true, Dirty: []core.PaneID{paneA}})
		shown(t, l.next(), "%97", "A")
	})
}

func TestAPaneThatComesIntoViewIsSeen(t *testing.T) {
	inGallery(t, func(t *testing.T, g *gallery, f *Streams, l *viewing) {
		l.next()
		l.Display([]core.PaneID{paneA, paneB})
		l.next()
		l.Display([]core.PaneID{paneB})
		g.paint("%97", "unseen")
		g.dirty(paneA)
		l.nothing(time.Second)
		l.Display([]core.PaneID{paneA, paneB})
		shown(t, l.next(), "%97", "unseen")
		l.Display([]core.PaneID{"%12345", ""})
		l.nothing(time.Second)
	})
}

func TestScreensThatCouldNotBeCapturedAreAskedForAgain(t *testing.T) {
	inGallery(t, func(t *testing.T, g *gallery, f *Streams, l *viewing) {
		l.next()
		g.now(func() { g.refused = errors.New("broken") })
		l.Display([]core.PaneID{paneA})
		l.nothing(10 * time.Second)
		if n := len(g.questions()); n < 10 || n > 50 {
			t.Errorf("%d questions in 10 s", n)
		}
		g.now(func() { g.refused = nil })
		shown(t, l.next(), "%97", "A")
		g.questions() // the last that was refused may be as late as the look above
		g.now(func() { g.refused = engine.ErrNoServer })
		g.dirty(paneA)
		l.nothing(10 * time.Second)
		if n := len(g.questions()); n > 2 {
			t.Errorf("%d questions to a server that is not there", n)
		}
	})
}

func TestTwoLivesShareOneFeedAndOnePoller(t *testing.T) {
	inGallery(t, func(t *testing.T, g *gallery, f *Streams, l *viewing) {
		l.next()
		l.Display([]core.PaneID{paneA, paneB})
		l.next()
		other := lively(t, f)
		other.Display([]core.PaneID{paneB, paneC})
		synctest.Wait()
		shown(t, other.next(), "%98", "B", "%99", "C")
		if focus := g.NewestFocus(); !slices.Equal(focus.Visible, []core.PaneID{paneA, paneB, paneC}) ||
			len(g.Feeds) != 1 {
			t.Errorf("%d feeds, %+v", len(g.Feeds), focus)
		}
		if asked := g.questions(); len(asked) != 2 || !slices.Equal(asked[1], []core.PaneID{paneC}) {
			t.Errorf("asked %q", asked)
		}
		g.paint("%98", "B2")
		g.dirty(paneB)
		shown(t, l.next(), "%98", "B2")
		shown(t, other.next(), "%98", "B2")
		l.end()
		if l.Err() != nil {
			t.Error(l.Err())
		}
		if focus := g.NewestFocus(); !slices.Equal(focus.Visible, []core.PaneID{paneB, paneC}) {
			t.Errorf("after one left: %+v", focus)
		}
		g.paint("%99", "C2")
		g.dirty(paneC)
		shown(t, other.next(), "%99", "C2")
		l.Display([]core.PaneID{paneA}) // is over, and does nothing
		if focus := g.NewestFocus(); len(focus.Visible) != 2 {
			t.Errorf("%+v", focus)
		}
		other.end()
	})
}

func TestALiveBeginsAnewAfterTheLastEnded(t *testing.T) {
	inGallery(t, func(t *testing.T, g *gallery, f *Streams, l *viewing) {
		l.next()
		l.end()
		again := lively(t, f)
		again.Display([]core.PaneID{paneA})
		synctest.Wait()
		first := again.next()
		if first.Snapshot == nil || len(g.Feeds) != 2 {
			t.Errorf("%+v of %d feeds", first, len(g.Feeds))
		}
		shown(t, first, "%97", "A")
		again.end()
	})
}

func TestALiveWhoseFeedEndsSaysSo(t *testing.T) {
	kinds := fleettest.BuiltinKinds(t)
	synctest.Test(t, func(t *testing.T) {
		feed, end := context.WithCancel(t.Context())
		g := &gallery{}
		g.Change = engine.Change{Listing: fleettest.Listing("a"), Structural: true}
		l := lively(t, openStreams(t, kinds, "", Options{Engine: brief{g, feed}}))
		l.next()
		end()
		for range l.Frames {
		}
		if core.AsError(l.Err()) == nil || !errors.Is(l.Err(), errFeedEnded) {
			t.Errorf("it ended with %v", l.Err())
		}
	})
}

func TestSnapshotsAreNotMadeForEveryLineThatIsPrinted(t *testing.T) {
	inBubble(t, func(t *testing.T, s *fleettest.FeedEngine, f *Streams) {
		var snapshots atomic.Int32
		s.Change = engine.Change{Listing: fleettest.Listing("a"), Structural: true}
		m := f.newMember(rundir.Files{}, Interest{})
		made := m.snapshot
		m.snapshot = func(ctx context.Context, c *engine.Change) (*core.Snapshot, error) {
			snapshots.Add(1)
			return made(ctx, c)
		}
		m.due = func() time.Time { return time.Now().Add(time.Hour) }
		ctx, stop := context.WithCancel(t.Context())
		r := &reader{subscribe(ctx, m, false), t, stop}
		r.next()
		for range 200 {
			s.Emit(engine.Change{Listing: fleettest.Listing("a"), Dirty: []core.PaneID{paneA}})
			<-time.After(50 * time.Millisecond)
		}
		if n := snapshots.Load(); n < 42 || n > 52 {
			t.Errorf("%d snapshots in 10 s", n)
		}
		<-time.After(time.Second)
		before := snapshots.Load()
		for range 2 {
			s.Emit(engine.Change{Listing: fleettest.Listing("a"), Dirty: []core.PaneID{paneA}})
			<-time.After(10 * time.Millisecond)
		}
		<-time.After(snapshotEvery)
		if n := snapshots.Load() - before; n != 2 {
			t.Errorf("%d snapshots of two lines; the last must not be missed", n)
		}
		at := time.Now()
		s.Show("a", "b")
		r.next()
		if time.Since(at) > 0 {
			t.Errorf("what came is told after %v", time.Since(at))
		}
		r.end()
	})
}
