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

// fakeServer is a server whose panes a test sets. It counts calls.
type fakeServer struct {
	sync.Mutex
	panes     []pane
	err       error
	lists     int
	programs  int
	paneLists int
	probes    int
}

func (s *fakeServer) list(_ context.Context, detail engine.Detail, _ *snapshot) (*snapshot, error) {
	s.Lock()
	defer s.Unlock()
	s.lists++
	if detail != 0 {
		s.programs++
	}
	if s.err != nil {
		return nil, s.err
	}
	return snapshotAt(time.Now(), slices.Clone(s.panes)...), nil
}

func (s *fakeServer) listPanes(_ context.Context, ids []core.PaneID) ([]pane, time.Time, error) {
	s.Lock()
	defer s.Unlock()
	s.paneLists++
	var found []pane
	for _, p := range s.panes {
		if slices.Contains(ids, p.ID) {
			found = append(found, p)
		}
	}
	return found, time.Now(), s.err
}

func (s *fakeServer) probe(_ context.Context, ids []core.PaneID, closely bool) ([]byte, error) {
	s.Lock()
	defer s.Unlock()
	s.probes++
	var answer []byte
	for _, p := range s.panes {
		switch {
		case len(ids) > 0 && !slices.Contains(ids, p.ID):
		case closely || len(ids) > 0:
			answer = fmt.Appendln(answer, p.ID, p.Process.PID, p.Process.Dead, p.activity, p.Title)
		default:
			answer = fmt.Appendln(answer, p.ID, p.activity)
		}
	}
	return answer, s.err
}

// now changes or reads what the feed reads and changes, too.
func (s *fakeServer) now(do func()) {
	s.Lock()
	defer s.Unlock()
	do()
}

func (s *fakeServer) paneListed() (n int) {
	s.now(func() { n = s.paneLists })
	return n
}

// watching runs a test on a feed in which time passes at once.
func watching(t *testing.T, server *fakeServer,
	test func(t *testing.T, feed *feed, pass func(time.Duration) []engine.Change),
) {
	watchingTerminals(t, server, nil, test)
}

func watchingTerminals(t *testing.T, server *fakeServer, of *fakeTerminals,
	test func(t *testing.T, feed *feed, pass func(time.Duration) []engine.Change),
) {
	synctest.Test(t, func(t *testing.T) {
		var reported terminals
		if of != nil {
			if of.output == nil {
				of.output, of.folder = make(chan struct{}, 1), make(chan struct{}, 1)
			}
			reported = of
		}
		feed := watch(t.Context(), server, reported, time.Now, timeout)
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

func TestFeedPollsAsOftenAsItsFocusSays(t *testing.T) {
	server := &fakeServer{panes: []pane{paneOf("%0", 0)}}
	watching(t, server, func(t *testing.T, feed *feed, pass func(time.Duration) []engine.Change) {
		pass(10 * time.Second)
		server.now(func() { between(t, "idle lists in 10 s", server.lists, 10, 12) })
		server.now(func() { between(t, "lists at programs", server.programs, 1, 2) })
		server.now(func() { server.lists = 0 })
		feed.SetFocus(engine.Focus{Watched: true, Visible: []core.PaneID{"%0"}})
		pass(10 * time.Second)
		server.now(func() { between(t, "watched lists in 10 s", server.lists, 2, 5) })
		server.now(func() { between(t, "lists and probes", server.lists+server.probes, 39, 44) })
		if server.paneListed() != 0 {
			t.Errorf("%d pane lists at a quiet pane", server.paneListed())
		}
	})
}

// fakeTerminals are terminals that report output when a test says so.
type fakeTerminals struct {
	sync.Mutex
	output  chan struct{}
	folder  chan struct{}
	watched int
	refuses bool
}

func (f *fakeTerminals) watch(*snapshot) bool {
	f.Lock()
	defer f.Unlock()
	f.watched++
	return !f.refuses
}

func (f *fakeTerminals) printed() <-chan struct{} { return f.output }
func (f *fakeTerminals) opened() <-chan struct{}  { return f.folder }

func TestFeedWithTerminalsPollsAtOutputAndOnceASecond(t *testing.T) {
	server := &fakeServer{panes: []pane{paneOf("%0", 0), paneOf("%1", 0)}}
	terminals := &fakeTerminals{}
	watchingTerminals(t, server, terminals, func(
		t *testing.T, feed *feed, pass func(time.Duration) []engine.Change,
	) {
		feed.SetFocus(engine.Focus{Watched: true, Visible: []core.PaneID{"%0"}})
		pass(5 * time.Second)
		polls := func() (n int) {
			server.now(func() { n, server.lists, server.probes = server.lists+server.probes, 0, 0 })
			return n
		}
		polls()
		pass(20 * time.Second)
		between(t, "polls in 20 quiet seconds", polls(), 19, 22)
		between(t, "times that terminals are watched", terminals.watched, 1, 2)

		server.now(func() { server.panes[0].activity, server.panes[0].View.Cursor.X = time.Now().Unix(), 1 })
		terminals.output <- struct{}{}
		if changes := pass(20 * time.Millisecond); len(changes) != 1 || !slices.Contains(changes[0].Dirty, "%0") {
			t.Errorf("20 ms after output: %+v", changes)
		}
		pass(time.Second)
		between(t, "polls in a second with output", polls(), 3, 7)
		pass(5 * time.Second)
		polls()
		pass(10 * time.Second)
		between(t, "polls in 10 quiet seconds after output", polls(), 9, 12)

		for range 100 { // other programs open and close terminals
			pass(100 * time.Millisecond)
			terminals.folder <- struct{}{}
		}
		between(t, "polls in 10 s in which terminals open", polls(), 9, 44)
		server.now(func() { server.panes = append(server.panes, paneOf("%2", 0)) })
		terminals.folder <- struct{}{}
		if changes := pass(300 * time.Millisecond); len(changes) != 1 || !changes[0].Structural {
			t.Errorf("300 ms after a pane opened: %+v", changes)
		}
		pass(5 * time.Second)

		terminals.output <- struct{}{}
		pass(50 * time.Millisecond)
		server.now(func() { server.panes[1].activity, server.panes[1].View.Cursor.X = time.Now().Unix(), 1 })
		if changes := pass(60 * time.Millisecond); len(changes) != 1 || !slices.Contains(changes[0].Dirty, "%1") {
			t.Errorf("output that tmux reads 50 ms later: %+v", changes)
		}
	})
}

func TestFeedPollsAsBeforeIfTerminalsCannotBeWatched(t *testing.T) {
	for name, terminals := range map[string]*fakeTerminals{
		"refused": {refuses: true},
		"ended":   {},
	} {
		t.Run(name, func(t *testing.T) {
			server := &fakeServer{panes: []pane{paneOf("%0", 0)}}
			watchingTerminals(t, server, terminals, func(
				t *testing.T, feed *feed, pass func(time.Duration) []engine.Change,
			) {
				feed.SetFocus(engine.Focus{Watched: true})
				pass(5 * time.Second)
				if name == "ended" {
					close(terminals.output)
					pass(time.Second)
				}
				server.now(func() { server.lists, server.probes = 0, 0 })
				pass(10 * time.Second)
				server.now(func() { between(t, "polls in 10 s", server.lists+server.probes, 39, 44) })
			})
		})
	}
}

func TestFeedPollsActiveVisiblePanesTwentyTimesASecond(t *testing.T) {
	server := &fakeServer{panes: []pane{paneOf("%0", 0), paneOf("%1", 0)}}
	watching(t, server, func(t *testing.T, feed *feed, pass func(time.Duration) []engine.Change) {
		feed.SetFocus(engine.Focus{Watched: true, Visible: []core.PaneID{"%0"}})
		pass(time.Second)
		for range 40 {
			server.now(func() {
				server.panes[0].activity = time.Now().Unix()
				server.panes[0].View.Cursor.X++
			})
			pass(50 * time.Millisecond)
		}
		server.now(func() { between(t, "lists and pane lists in 3 s", server.lists+server.paneLists, 38, 50) })
		pass(4 * time.Second)
		server.now(func() { server.paneLists = 0 })
		pass(10 * time.Second)
		if server.paneListed() != 0 {
			t.Errorf("%d pane lists after the pane fell quiet", server.paneListed())
		}
		server.now(func() { server.panes[1].View.Cursor.X++ })
		pass(5 * time.Second)
		if server.paneListed() != 0 {
			t.Errorf("%d pane lists at panes that are not visible", server.paneListed())
		}
	})
}

func TestFeedSendsNoEmptyChange(t *testing.T) {
	watching(t, &fakeServer{panes: []pane{paneOf("%0", 0)}},
		func(t *testing.T, _ *feed, pass func(time.Duration) []engine.Change) {
			if first := pass(time.Second / 2); len(first) != 1 {
				t.Errorf("first: %+v", first)
			}
			if more := pass(time.Minute); len(more) != 0 {
				t.Errorf("more: %+v", more)
			}
		})
}

func TestFeedFindsSilentChangesWithinASecond(t *testing.T) {
	server := &fakeServer{panes: []pane{paneOf("%0", 0), paneOf("%1", 0)}}
	watching(t, server, func(t *testing.T, feed *feed, pass func(time.Duration) []engine.Change) {
		feed.SetFocus(engine.Focus{Watched: true})
		pass(10 * time.Second)
		title := server.panes[1].Title
		for _, now := range []string{"other", title, "other", title} {
			server.now(func() { server.panes[1].Title = now })
			got := pass(1100 * time.Millisecond)
			if len(got) != 1 || !got[0].Structural || got[0].Listing.Panes[1].Title != now {
				t.Errorf("changes: %+v", got)
			}
		}
		// Lists in between do not hide that the title is as before.
		for range 50 {
			server.now(func() { server.panes[1].Title = "other" })
			pass(270 * time.Millisecond)
			server.now(func() { server.panes[1].Title = title })
			pass(1100 * time.Millisecond)
			if was := feed.tracker.last.panes[1].Title; was != title {
				t.Fatalf("the title is thought to be %q", was)
			}
		}
	})
}

func TestFeedReportsALostServerOnce(t *testing.T) {
	server := &fakeServer{err: engine.ErrNoServer}
	watching(t, server, func(t *testing.T, _ *feed, pass func(time.Duration) []engine.Change) {
		lost := pass(time.Minute)
		if len(lost) != 1 || !errors.Is(lost[0].Lost, engine.ErrNoServer) {
			t.Fatalf("lost: %+v", lost)
		}
		server.now(func() { server.err, server.panes = nil, []pane{paneOf("%0", 0)} })
		back := pass(time.Minute)
		if len(back) != 1 || back[0].Lost != nil || !back[0].Structural || len(back[0].Dirty) != 1 {
			t.Errorf("back: %+v", back)
		}
	})
}

func TestUnreadChangesAreMerged(t *testing.T) {
	server := &fakeServer{panes: []pane{paneOf("%0", 0), paneOf("%1", 0), paneOf("%2", 0)}}
	watching(t, server, func(t *testing.T, feed *feed, pass func(time.Duration) []engine.Change) {
		pass(time.Second)
		idle := func() { <-time.After(3 * time.Second) }
		server.now(func() { server.panes[2].View.Cursor.X++ })
		idle()
		server.now(func() { server.panes[0].View.Cursor.X++ })
		idle()
		server.now(func() { server.panes = append(server.panes, paneOf("%3", 0)) })
		idle()
		server.now(func() { server.panes = slices.Delete(server.panes, 2, 3) })
		idle()
		got := pass(time.Second / 2)
		if len(got) != 1 || !got[0].Structural || !slices.Equal(got[0].Dirty, []core.PaneID{"%0", "%3"}) ||
			len(got[0].Listing.Panes) != 3 {
			t.Errorf("merged: %+v", got)
		}
	})
}

func TestFeedListsNewProgramsAtOnce(t *testing.T) {
	server := &fakeServer{panes: []pane{paneOf("%0", 0)}}
	watching(t, server, func(t *testing.T, _ *feed, pass func(time.Duration) []engine.Change) {
		pass(time.Second / 2)
		var before int
		server.now(func() { before = server.programs })
		server.now(func() { server.panes[0].Process.PID++ })
		if got := pass(time.Second); len(got) != 1 || !got[0].Structural {
			t.Errorf("changes: %+v", got)
		}
		server.now(func() { between(t, "lists at programs", server.programs-before, 1, 1) })
	})
}

func TestFeedForSomePanesPollsTheRestRarely(t *testing.T) {
	server := &fakeServer{panes: []pane{paneOf("%0", 0), paneOf("%1", 0)}}
	watching(t, server, func(t *testing.T, feed *feed, pass func(time.Duration) []engine.Change) {
		feed.SetFocus(engine.Focus{Only: true})
		pass(20 * time.Second)
		server.now(func() { between(t, "lists in 20 s", server.lists, 4, 6) })
		if server.paneListed() != 0 {
			t.Errorf("%d pane lists at nothing", server.paneListed())
		}
		feed.SetFocus(engine.Focus{Only: true, Visible: []core.PaneID{"%0"}})
		server.now(func() { server.lists = 0 })
		pass(20 * time.Second)
		server.now(func() { between(t, "lists in 20 s", server.lists, 3, 5) })
		server.now(func() { between(t, "pane lists and probes in 20 s", server.paneLists+server.probes, 72, 82) })
		between(t, "pane lists at a quiet pane", server.paneListed(), 0, 1)
		server.now(func() { server.paneLists = 0 })
		for range 40 {
			server.now(func() {
				server.panes[0].activity = time.Now().Unix()
				server.panes[0].View.Cursor.X++
			})
			pass(50 * time.Millisecond)
		}
		between(t, "pane lists in 2 active s", server.paneListed(), 34, 50)
	})
}

func TestFeedForSomePanesListsAtOnceForAnUnknownPane(t *testing.T) {
	server := &fakeServer{panes: []pane{paneOf("%0", 0)}}
	watching(t, server, func(t *testing.T, feed *feed, pass func(time.Duration) []engine.Change) {
		feed.SetFocus(engine.Focus{Only: true, Visible: []core.PaneID{"%0"}})
		pass(time.Second)
		server.now(func() { server.lists, server.panes = 0, append(server.panes, paneOf("%1", 0)) })
		feed.SetFocus(engine.Focus{Only: true, Visible: []core.PaneID{"%0", "%1"}})
		if got := pass(10 * time.Millisecond); len(got) != 1 || !slices.Equal(got[0].Dirty, []core.PaneID{"%1"}) {
			t.Errorf("changes: %+v", got)
		}
		server.now(func() { server.lists, server.panes = 0, server.panes[:1] })
		pass(2 * time.Second)
		server.now(func() { between(t, "lists for a pane that is gone", server.lists, 0, 1) })
	})
}

func TestFeedForSomePanesReportsLossAndReturnSoon(t *testing.T) {
	server := &fakeServer{panes: []pane{paneOf("%0", 0)}}
	watching(t, server, func(t *testing.T, feed *feed, pass func(time.Duration) []engine.Change) {
		feed.SetFocus(engine.Focus{Only: true, Visible: []core.PaneID{"%0"}})
		pass(time.Second)
		server.now(func() { server.err = engine.ErrNoServer })
		if got := pass(300 * time.Millisecond); len(got) != 1 || got[0].Lost == nil {
			t.Fatalf("lost: %+v", got)
		}
		server.now(func() { server.err = nil })
		if got := pass(300 * time.Millisecond); len(got) != 1 || len(got[0].Dirty) != 1 {
			t.Errorf("back: %+v", got)
		}
	})
}

func TestARepaintInTheSecondOfAReportIsReportedAgain(t *testing.T) {
	for name, focus := range map[string]engine.Focus{
		"all":  {Watched: true},
		"only": {Only: true, Visible: []core.PaneID{"%0"}},
	} {
		t.Run(name, func(t *testing.T) {
			server := &fakeServer{panes: []pane{paneOf("%0", 0), paneOf("%1", 0)}}
			watching(t, server, func(t *testing.T, feed *feed, pass func(time.Duration) []engine.Change) {
				feed.SetFocus(focus)
				pass(10 * time.Second)
				second := time.Now().Unix()
				server.now(func() { server.panes[0].activity = second })
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

func TestSilentServerIsNotLost(t *testing.T) {
	for name, focus := range map[string]engine.Focus{
		"calm": {}, "watched": {Watched: true, Visible: []core.PaneID{"%0"}},
		"only": {Only: true, Visible: []core.PaneID{"%0"}},
	} {
		t.Run(name, func(t *testing.T) {
			server := &fakeServer{panes: []pane{paneOf("%0", 0), paneOf("%1", 0)}}
			watching(t, server, func(t *testing.T, feed *feed, pass func(time.Duration) []engine.Change) {
				feed.SetFocus(focus)
				pass(5 * time.Second)
				for _, err := range []error{engine.ErrSilent, context.DeadlineExceeded, errors.New("a surprise")} {
					server.now(func() { server.err = err })
					changes := pass(20 * time.Second)
					if len(changes) != 1 || !errors.Is(changes[0].Silent, err) || changes[0].Lost != nil {
						t.Fatalf("%v: %+v", err, changes)
					}
					server.now(func() { server.err = nil })
					changes = pass(7 * time.Second)
					if len(changes) == 0 || changes[0].Silent != nil || changes[0].Structural ||
						len(changes[0].Listing.Panes) != 2 {
						t.Fatalf("it answers again: %+v", changes)
					}
				}
				server.now(func() { server.err = engine.ErrSilent })
				pass(20 * time.Second)
				server.now(func() { server.err = engine.ErrNoServer })
				if changes := pass(7 * time.Second); len(changes) != 1 ||
					!errors.Is(changes[0].Lost, engine.ErrNoServer) {
					t.Errorf("it ends: %+v", changes)
				}
			})
		})
	}
}

func TestSilenceKeepsUnreadChanges(t *testing.T) {
	unread := &engine.Change{
		Listing: engine.Listing{Panes: []engine.Pane{{ID: "%0"}}}, Structural: true,
		Dirty: []core.PaneID{"%0"},
	}
	silent := engine.Merge(unread, engine.Change{Silent: engine.ErrSilent})
	if silent.Silent == nil || !silent.Structural || len(silent.Dirty) != 1 || len(silent.Listing.Panes) != 1 {
		t.Errorf("got %+v", silent)
	}
	again := engine.Merge(silent, engine.Change{Listing: unread.Listing})
	if again.Silent != nil || !again.Structural || len(again.Dirty) != 1 {
		t.Errorf("got %+v", again)
	}
}
