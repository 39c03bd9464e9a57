package tmux

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"cupola/core"
	"cupola/core/engine"
)

// fakeEyes is a server whose panes a test sets. It counts looks.
type fakeEyes struct {
	sync.Mutex
	panes    []pane
	err      error
	looks    int
	programs int
	glances  int
	probes   int
}

func (e *fakeEyes) look(_ context.Context, detail engine.Detail, _ *sight) (*sight, error) {
	e.Lock()
	defer e.Unlock()
	e.looks++
	if detail != 0 {
		e.programs++
	}
	if e.err != nil {
		return nil, e.err
	}
	return sightAt(time.Now(), slices.Clone(e.panes)...), nil
}

func (e *fakeEyes) glance(_ context.Context, ids []core.PaneID) ([]pane, time.Time, error) {
	e.Lock()
	defer e.Unlock()
	e.glances++
	var found []pane
	for _, p := range e.panes {
		if slices.Contains(ids, p.ID) {
			found = append(found, p)
		}
	}
	return found, time.Now(), e.err
}

func (e *fakeEyes) probe(_ context.Context, ids []core.PaneID, closely bool) ([]byte, error) {
	e.Lock()
	defer e.Unlock()
	e.probes++
	var answer []byte
	for _, p := range e.panes {
		switch {
		case len(ids) > 0 && !slices.Contains(ids, p.ID):
		case closely || len(ids) > 0:
			answer = fmt.Appendln(answer, p.ID, p.Process.PID, p.Process.Dead, p.activity, p.Title)
		default:
			answer = fmt.Appendln(answer, p.ID, p.activity)
		}
	}
	return answer, e.err
}

// now changes or reads what the feed reads and changes, too.
func (e *fakeEyes) now(do func()) {
	e.Lock()
	defer e.Unlock()
	do()
}

func (e *fakeEyes) glanced() (n int) {
	e.now(func() { n = e.glances })
	return n
}

// watching runs a test on a feed in which time passes at once.
func watching(t *testing.T, eyes *fakeEyes,
	test func(t *testing.T, feed *feed, pass func(time.Duration) []engine.Change),
) {
	synctest.Test(t, func(t *testing.T) {
		feed := watch(t.Context(), eyes, time.Now, patience)
		pass := func(d time.Duration) (changes []engine.Change) {
			end := time.NewTimer(d)
			for {
				select {
				case c := <-feed.changes:
					changes = append(changes, c)
				case <-end.C:
					synctest.Wait()
					return changes
				}
			}
		}
		test(t, feed, pass)
	})
}

// between reports whether n is about want.
func between(t *testing.T, what string, n, low, high int) {
	t.Helper()
	if n < low || n > high {
		t.Errorf("%d %s, want %d to %d", n, what, low, high)
	}
}

func TestAFeedLooksAsOftenAsItsGazeSays(t *testing.T) {
	eyes := &fakeEyes{panes: []pane{paneOf("%0", 0)}}
	watching(t, eyes, func(t *testing.T, feed *feed, pass func(time.Duration) []engine.Change) {
		pass(10 * time.Second)
		eyes.now(func() { between(t, "calm looks in 10 s", eyes.looks, 10, 12) })
		eyes.now(func() { between(t, "looks at programs", eyes.programs, 1, 2) })
		eyes.now(func() { eyes.looks = 0 })
		feed.Look(engine.Gaze{Watched: true, Visible: []core.PaneID{"%0"}})
		pass(10 * time.Second)
		eyes.now(func() { between(t, "watched looks in 10 s", eyes.looks, 2, 5) })
		eyes.now(func() { between(t, "looks and probes", eyes.looks+eyes.probes, 39, 44) })
		if eyes.glanced() != 0 {
			t.Errorf("%d glances at a quiet pane", eyes.glanced())
		}
	})
}

func TestActiveVisiblePanesAreLookedAtTwentyTimesASecond(t *testing.T) {
	eyes := &fakeEyes{panes: []pane{paneOf("%0", 0), paneOf("%1", 0)}}
	watching(t, eyes, func(t *testing.T, feed *feed, pass func(time.Duration) []engine.Change) {
		feed.Look(engine.Gaze{Watched: true, Visible: []core.PaneID{"%0"}})
		pass(time.Second)
		for range 40 {
			eyes.now(func() {
				eyes.panes[0].activity = time.Now().Unix()
				eyes.panes[0].View.Cursor.X++
			})
			pass(50 * time.Millisecond)
		}
		eyes.now(func() { between(t, "looks and glances in 3 s", eyes.looks+eyes.glances, 38, 50) })
		pass(4 * time.Second)
		eyes.now(func() { eyes.glances = 0 })
		pass(10 * time.Second)
		if eyes.glanced() != 0 {
			t.Errorf("%d glances after the pane fell quiet", eyes.glanced())
		}
		eyes.now(func() { eyes.panes[1].View.Cursor.X++ })
		pass(5 * time.Second)
		if eyes.glanced() != 0 {
			t.Errorf("%d glances at panes that nobody sees", eyes.glanced())
		}
	})
}

func TestNothingNewIsNothingSent(t *testing.T) {
	watching(t, &fakeEyes{panes: []pane{paneOf("%0", 0)}},
		func(t *testing.T, _ *feed, pass func(time.Duration) []engine.Change) {
			if first := pass(time.Second / 2); len(first) != 1 {
				t.Errorf("first: %+v", first)
			}
			if more := pass(time.Minute); len(more) != 0 {
				t.Errorf("more: %+v", more)
			}
		})
}

func TestWhatNobodyPrintedIsFoundWithTheNextSecond(t *testing.T) {
	eyes := &fakeEyes{panes: []pane{paneOf("%0", 0), paneOf("%1", 0)}}
	watching(t, eyes, func(t *testing.T, feed *feed, pass func(time.Duration) []engine.Change) {
		feed.Look(engine.Gaze{Watched: true})
		pass(10 * time.Second)
		title := eyes.panes[1].Title
		for _, now := range []string{"other", title, "other", title} {
			eyes.now(func() { eyes.panes[1].Title = now })
			got := pass(1100 * time.Millisecond)
			if len(got) != 1 || !got[0].Structural || got[0].Listing.Panes[1].Title != now {
				t.Errorf("changes: %+v", got)
			}
		}
		// Whatever looks between find of it, a title that is as before is known so.
		for range 50 {
			eyes.now(func() { eyes.panes[1].Title = "other" })
			pass(270 * time.Millisecond)
			eyes.now(func() { eyes.panes[1].Title = title })
			pass(1100 * time.Millisecond)
			if was := feed.tracker.last.panes[1].Title; was != title {
				t.Fatalf("the title is thought to be %q", was)
			}
		}
	})
}

func TestALostServerIsReportedOnce(t *testing.T) {
	eyes := &fakeEyes{err: engine.ErrNoServer}
	watching(t, eyes, func(t *testing.T, _ *feed, pass func(time.Duration) []engine.Change) {
		lost := pass(time.Minute)
		if len(lost) != 1 || !errors.Is(lost[0].Lost, engine.ErrNoServer) {
			t.Fatalf("lost: %+v", lost)
		}
		eyes.now(func() { eyes.err, eyes.panes = nil, []pane{paneOf("%0", 0)} })
		back := pass(time.Minute)
		if len(back) != 1 || back[0].Lost != nil || !back[0].Structural || len(back[0].Dirty) != 1 {
			t.Errorf("back: %+v", back)
		}
	})
}

func TestUnreadChangesAreMerged(t *testing.T) {
	eyes := &fakeEyes{panes: []pane{paneOf("%0", 0), paneOf("%1", 0), paneOf("%2", 0)}}
	watching(t, eyes, func(t *testing.T, feed *feed, pass func(time.Duration) []engine.Change) {
		pass(time.Second)
		idle := func() { <-time.After(3 * time.Second) }
		eyes.now(func() { eyes.panes[2].View.Cursor.X++ })
		idle()
		eyes.now(func() { eyes.panes[0].View.Cursor.X++ })
		idle()
		eyes.now(func() { eyes.panes = append(eyes.panes, paneOf("%3", 0)) })
		idle()
		eyes.now(func() { eyes.panes = slices.Delete(eyes.panes, 2, 3) })
		idle()
		got := pass(time.Second / 2)
		if len(got) != 1 || !got[0].Structural || !slices.Equal(got[0].Dirty, []core.PaneID{"%0", "%3"}) ||
			len(got[0].Listing.Panes) != 3 {
			t.Errorf("merged: %+v", got)
		}
	})
}

func TestANewProgramIsAskedForAtOnce(t *testing.T) {
	eyes := &fakeEyes{panes: []pane{paneOf("%0", 0)}}
	watching(t, eyes, func(t *testing.T, _ *feed, pass func(time.Duration) []engine.Change) {
		pass(time.Second / 2)
		var before int
		eyes.now(func() { before = eyes.programs })
		eyes.now(func() { eyes.panes[0].Process.PID++ })
		if got := pass(time.Second); len(got) != 1 || !got[0].Structural {
			t.Errorf("changes: %+v", got)
		}
		eyes.now(func() { between(t, "looks at programs", eyes.programs-before, 1, 1) })
	})
}

func TestAFeedForSomePanesLooksAtTheRestSeldom(t *testing.T) {
	eyes := &fakeEyes{panes: []pane{paneOf("%0", 0), paneOf("%1", 0)}}
	watching(t, eyes, func(t *testing.T, feed *feed, pass func(time.Duration) []engine.Change) {
		feed.Look(engine.Gaze{Only: true})
		pass(20 * time.Second)
		eyes.now(func() { between(t, "looks in 20 s", eyes.looks, 4, 6) })
		if eyes.glanced() != 0 {
			t.Errorf("%d glances at nothing", eyes.glanced())
		}
		feed.Look(engine.Gaze{Only: true, Visible: []core.PaneID{"%0"}})
		eyes.now(func() { eyes.looks = 0 })
		pass(20 * time.Second)
		eyes.now(func() { between(t, "looks in 20 s", eyes.looks, 3, 5) })
		eyes.now(func() { between(t, "glances and probes in 20 s", eyes.glances+eyes.probes, 72, 82) })
		between(t, "glances at a quiet pane", eyes.glanced(), 0, 1)
		eyes.now(func() { eyes.glances = 0 })
		for range 40 {
			eyes.now(func() {
				eyes.panes[0].activity, eyes.panes[0].View.Cursor.X = time.Now().Unix(), eyes.panes[0].View.Cursor.X+1
			})
			pass(50 * time.Millisecond)
		}
		between(t, "glances in 2 active s", eyes.glanced(), 34, 50)
	})
}

func TestAFeedForSomePanesLooksAtOnceForOneItDoesNotKnow(t *testing.T) {
	eyes := &fakeEyes{panes: []pane{paneOf("%0", 0)}}
	watching(t, eyes, func(t *testing.T, feed *feed, pass func(time.Duration) []engine.Change) {
		feed.Look(engine.Gaze{Only: true, Visible: []core.PaneID{"%0"}})
		pass(time.Second)
		eyes.now(func() { eyes.looks, eyes.panes = 0, append(eyes.panes, paneOf("%1", 0)) })
		feed.Look(engine.Gaze{Only: true, Visible: []core.PaneID{"%0", "%1"}})
		if got := pass(10 * time.Millisecond); len(got) != 1 || !slices.Equal(got[0].Dirty, []core.PaneID{"%1"}) {
			t.Errorf("changes: %+v", got)
		}
		eyes.now(func() { eyes.looks, eyes.panes = 0, eyes.panes[:1] })
		pass(2 * time.Second)
		eyes.now(func() { between(t, "looks for a pane that is gone", eyes.looks, 0, 1) })
	})
}

func TestAFeedForSomePanesHearsOfALossAndAReturnSoon(t *testing.T) {
	eyes := &fakeEyes{panes: []pane{paneOf("%0", 0)}}
	watching(t, eyes, func(t *testing.T, feed *feed, pass func(time.Duration) []engine.Change) {
		feed.Look(engine.Gaze{Only: true, Visible: []core.PaneID{"%0"}})
		pass(time.Second)
		eyes.now(func() { eyes.err = engine.ErrNoServer })
		if got := pass(300 * time.Millisecond); len(got) != 1 || got[0].Lost == nil {
			t.Fatalf("lost: %+v", got)
		}
		eyes.now(func() { eyes.err = nil })
		if got := pass(300 * time.Millisecond); len(got) != 1 || len(got[0].Dirty) != 1 {
			t.Errorf("back: %+v", got)
		}
	})
}

func TestARepaintInTheSecondOfAReportIsReportedAgain(t *testing.T) {
	for name, gaze := range map[string]engine.Gaze{
		"all":  {Watched: true},
		"only": {Only: true, Visible: []core.PaneID{"%0"}},
	} {
		t.Run(name, func(t *testing.T) {
			eyes := &fakeEyes{panes: []pane{paneOf("%0", 0), paneOf("%1", 0)}}
			watching(t, eyes, func(t *testing.T, feed *feed, pass func(time.Duration) []engine.Change) {
				feed.Look(gaze)
				pass(10 * time.Second)
				second := time.Now().Unix()
				eyes.now(func() { eyes.panes[0].activity = second })
				pass(300 * time.Millisecond)
				if soon := pass(300 * time.Millisecond); len(soon) == 0 {
					t.Error("what is printed in the same second waits")
				}
				reported := 0
				// From the next second on, nothing that was printed in this one can be missed.
				for range 12 {
					for _, c := range pass(250 * time.Millisecond) {
						if slices.Contains(c.Dirty, "%0") && c.Listing.Taken.Unix() > second {
							reported++
						}
					}
				}
				if reported != 1 {
					t.Errorf("reported %d times after the second was over", reported)
				}
			})
		})
	}
}

func TestAServerThatDoesNotAnswerIsNotCalledGone(t *testing.T) {
	for name, gaze := range map[string]engine.Gaze{
		"calm": {}, "watched": {Watched: true, Visible: []core.PaneID{"%0"}},
		"only": {Only: true, Visible: []core.PaneID{"%0"}},
	} {
		t.Run(name, func(t *testing.T) {
			eyes := &fakeEyes{panes: []pane{paneOf("%0", 0), paneOf("%1", 0)}}
			watching(t, eyes, func(t *testing.T, feed *feed, pass func(time.Duration) []engine.Change) {
				feed.Look(gaze)
				pass(5 * time.Second)
				for _, err := range []error{engine.ErrSilent, context.DeadlineExceeded, errors.New("a surprise")} {
					eyes.now(func() { eyes.err = err })
					changes := pass(20 * time.Second)
					if len(changes) != 1 || !errors.Is(changes[0].Silent, err) || changes[0].Lost != nil {
						t.Fatalf("%v: %+v", err, changes)
					}
					eyes.now(func() { eyes.err = nil })
					changes = pass(7 * time.Second)
					if len(changes) == 0 || changes[0].Silent != nil || changes[0].Structural ||
						len(changes[0].Listing.Panes) != 2 {
						t.Fatalf("it answers again: %+v", changes)
					}
				}
				eyes.now(func() { eyes.err = engine.ErrSilent })
				pass(20 * time.Second)
				eyes.now(func() { eyes.err = engine.ErrNoServer })
				if changes := pass(7 * time.Second); len(changes) != 1 ||
					!errors.Is(changes[0].Lost, engine.ErrNoServer) {
					t.Errorf("it ends: %+v", changes)
				}
			})
		})
	}
}

func TestSilenceTakesNothingFromAChangeThatWasNotRead(t *testing.T) {
	unread := &engine.Change{
		Listing: engine.Listing{Panes: []engine.Pane{{ID: "%0"}}}, Structural: true,
		Dirty: []core.PaneID{"%0"},
	}
	silent := merge(unread, engine.Change{Silent: engine.ErrSilent})
	if silent.Silent == nil || !silent.Structural || len(silent.Dirty) != 1 || len(silent.Listing.Panes) != 1 {
		t.Errorf("got %+v", silent)
	}
	again := merge(silent, engine.Change{Listing: unread.Listing})
	if again.Silent != nil || !again.Structural || len(again.Dirty) != 1 {
		t.Errorf("got %+v", again)
	}
}
