package keeper

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/engine/enginetest"
	"cupola/core/fleet/fleettest"
)

// screening is a Live on a private server, and what its reader knows.
type screening struct {
	*viewing
	tmux *enginetest.Tmux

	snapshot *core.Snapshot
	screens  map[core.PaneID]core.Screen
	keeper   bool
	events   []core.Event
}

// watching begins a Live that is read in the test's own goroutine.
func watching(t *testing.T, f *Streams, m *enginetest.Tmux) *screening {
	t.Helper()
	return &screening{viewing: lively(t, f), tmux: m, screens: map[core.PaneID]core.Screen{}}
}

// apply reads a frame as the documentation asks of readers.
func (s *screening) apply(f Frame) {
	s.keeper = f.Keeper
	s.events = append(s.events, f.Events...)
	for _, e := range f.Events {
		if e.Type == core.PaneClosed {
			delete(s.screens, e.PaneID)
		}
	}
	if f.Snapshot != nil {
		s.snapshot = f.Snapshot
		for id := range s.screens {
			if s.snapshot.Pane(id) == nil {
				delete(s.screens, id)
			}
		}
	}
	for id, screen := range f.Screens {
		s.screens[id] = screen
	}
}

// until reads frames until something is so.
func (s *screening) until(what string, so func() bool) {
	s.t.Helper()
	deadline := time.After(testTimeout)
	for !so() {
		select {
		case f, open := <-s.Frames:
			if !open {
				s.t.Fatalf("the frames ended before %s: %v", what, s.Err())
			}
			s.apply(f)
		case <-deadline:
			s.t.Fatalf("never: %s\n%s\n%+v", what, strings.Join(fleettest.EventLines(s.events), "\n"), s.screens)
		}
	}
}

// shows reads frames until a pane's screen holds a text.
func (s *screening) shows(pane core.PaneID, text string) core.Screen {
	s.t.Helper()
	s.until(string(pane)+" shows "+text, func() bool {
		screen := s.screens[pane]
		return strings.Contains(screen.Text(), text)
	})
	return s.screens[pane]
}

// open makes a pane that runs nothing, and returns it and its terminal.
func (s *screening) open() (core.PaneID, *os.File) {
	s.t.Helper()
	args := []string{
		"new-session", "-d", "-x", "60", "-y", "12", "-P", "-F", "#{pane_id} #{pane_tty}", "--", "sleep", "100000",
	}
	id, tty, _ := strings.Cut(s.tmux.Run(args...), " ")
	terminal, err := os.OpenFile(tty, os.O_WRONLY, 0)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { terminal.Close() })
	return core.PaneID(id), terminal
}

func (s *screening) prints(to *os.File, text string) {
	s.t.Helper()
	if _, err := to.WriteString(text); err != nil {
		s.t.Fatal(err)
	}
}

// eachRole runs a test with a Live that is the keeper, with one that follows,
// and with one that shares nothing.
func eachRole(t *testing.T, test func(t *testing.T, s *screening)) {
	t.Run("keeper", func(t *testing.T) {
		t.Parallel()
		f, m := onTmux(t, fleettest.RuntimeDir(t))
		s := watching(t, f, m.Start())
		test(t, s)
		if !s.keeper {
			t.Error("it is not the keeper")
		}
	})
	t.Run("follower", func(t *testing.T) {
		t.Parallel()
		f, m := onTmux(t, fleettest.RuntimeDir(t))
		subscribed(t, f, Interest{}).next()
		s := watching(t, f, m.Start())
		test(t, s)
		if s.keeper {
			t.Error("it is the keeper")
		}
	})
	t.Run("alone", func(t *testing.T) {
		t.Parallel()
		f, m := onTmux(t, "")
		test(t, watching(t, f, m.Start()))
	})
}

func TestWhatVisiblePanesPrintIsSeen(t *testing.T) {
	t.Parallel()
	eachRole(t, func(t *testing.T, s *screening) {
		one, first := s.open()
		two, second := s.open()
		s.Display([]core.PaneID{one, two})
		for i := range 10 {
			s.prints(first, fmt.Sprintf("\x1b[31mfirst %d\x1b[m\r\n", i))
			s.prints(second, fmt.Sprintf("second %d\r\n", i))
			got := s.shows(one, fmt.Sprint("first ", i))
			if !strings.Contains(got.Text(), "\x1b[31m") {
				t.Errorf("without colours: %q", got.Text())
			}
			s.shows(two, fmt.Sprint("second ", i))
		}
		s.prints(first, "\x1b[3;7H")
		s.until("the cursor moves", func() bool {
			return s.screens[one].View.Cursor == core.Cursor{X: 6, Y: 2, Visible: true}
		})
		s.tmux.Run("resize-window", "-t", string(one), "-x", "50", "-y", "10")
		s.until("the size changes",
			func() bool { return s.screens[one].View.Width == 50 && len(s.screens[one].Lines) == 10 })
	})
}

func TestNoRepaintOfAVisiblePaneIsMissed(t *testing.T) {
	t.Parallel()
	for name, setup := range map[string]string{"shell": "\x1b[2J\x1b[H", "full screen": "\x1b[?1049h\x1b[2J\x1b[H"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			eachRole(t, func(t *testing.T, s *screening) {
				pane, tty := s.open()
				s.prints(tty, setup)
				s.Display([]core.PaneID{pane})
				s.until("the pane is cleared", func() bool {
					screen, seen := s.screens[pane]
					return seen && screen.View.AlternateOn == (name == "full screen") &&
						strings.TrimSpace(screen.Text()) == ""
				})
				dice := rand.New(rand.NewPCG(1, 2))
				for i := range 12 {
					word := fmt.Sprintf("<%d>", i)
					s.prints(tty, fmt.Sprintf("\x1b7\x1b[%d;%dH%s\x1b8", 1+dice.IntN(10), 1+dice.IntN(30), word))
					s.shows(pane, word)
					rest := time.After(time.Duration(dice.IntN(300)) * time.Millisecond)
					for waiting := true; waiting; {
						select {
						case f := <-s.Frames:
							s.apply(f)
						case <-rest:
							waiting = false
						}
					}
				}
			})
		})
	}
}

func TestAQuietPaneMakesNoFrames(t *testing.T) {
	t.Parallel()
	eachRole(t, func(t *testing.T, s *screening) {
		pane, tty := s.open()
		s.Display([]core.PaneID{pane})
		s.prints(tty, "done")
		s.shows(pane, "done")
		const rest = 1500 * time.Millisecond
		quiet, late := time.NewTimer(rest), time.After(testTimeout)
		defer quiet.Stop()
		for {
			select {
			case f := <-s.Frames:
				s.apply(f)
				quiet.Reset(rest)
			case <-quiet.C:
				return
			case <-late:
				t.Fatalf("there are frames again and again; the events are %q", fleettest.EventLines(s.events))
			}
		}
	})
}

func TestAPaneThatIsKilledInViewGoes(t *testing.T) {
	t.Parallel()
	eachRole(t, func(t *testing.T, s *screening) {
		goes, first := s.open()
		stays, second := s.open()
		s.Display([]core.PaneID{goes, stays})
		s.prints(first, "to be killed")
		s.shows(goes, "to be killed")
		s.tmux.Run("kill-pane", "-t", string(goes))
		s.until("the pane is gone", func() bool { return s.snapshot.Pane(goes) == nil })
		if _, left := s.screens[goes]; left {
			t.Error("its screen stays")
		}
		s.prints(second, "alive")
		s.shows(stays, "alive")
		if _, back := s.screens[goes]; back {
			t.Error("its screen came back")
		}
	})
}

func TestALiveOutlivesTmux(t *testing.T) {
	t.Parallel()
	eachRole(t, func(t *testing.T, s *screening) {
		first := core.PaneID("%0")
		s.Display([]core.PaneID{first})
		s.until("the pane is seen", func() bool { _, seen := s.screens[first]; return seen })
		pid, err := strconv.Atoi(s.tmux.Run("display-message", "-p", "#{pid}"))
		if err != nil {
			t.Fatal(err)
		}
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		s.until("the server is lost", func() bool { return !s.snapshot.EngineUp })
		if len(s.screens) > 0 {
			t.Errorf("left are %v", s.screens)
		}
		// The pane gets the same id and shows the same.
		s.tmux.Start()
		s.until("the pane is back", func() bool { _, seen := s.screens[first]; return s.snapshot.EngineUp && seen })
		pane, tty := s.open()
		s.Display([]core.PaneID{first, pane})
		s.prints(tty, "on the new server")
		s.shows(pane, "on the new server")
	})
}

func TestAServerThatIsReplacedAtOnceIsSeenAnew(t *testing.T) {
	t.Parallel()
	eachRole(t, func(t *testing.T, s *screening) {
		first := core.PaneID("%0")
		s.Display([]core.PaneID{first})
		s.until("the pane is seen", func() bool { _, seen := s.screens[first]; return seen })
		s.tmux.Run("kill-server")
		enginetest.Eventually(t, enginetest.Timeout, func() bool {
			_, err := s.tmux.Try("new-session", "-d", "-s", "second", "-x", "80", "-y", "24", "--", "sleep", "100000")
			return err == nil
		}, nil)
		s.until("the new session is known", func() bool { return s.snapshot.Session("second") != nil })
		s.until("its pane is seen", func() bool { _, seen := s.screens[first]; return seen })
	})
}

func TestTwoLivesSeeTheirOwnPanes(t *testing.T) {
	t.Parallel()
	f, m := onTmux(t, fleettest.RuntimeDir(t))
	one, two := watching(t, f, m.Start()), watching(t, f, m)
	a, first := one.open()
	b, second := one.open()
	one.Display([]core.PaneID{a})
	two.Display([]core.PaneID{a, b})
	for i := range 3 {
		one.prints(first, fmt.Sprintf("first %d\r\n", i))
		one.prints(second, fmt.Sprintf("second %d\r\n", i))
		one.shows(a, fmt.Sprint("first ", i))
		two.shows(a, fmt.Sprint("first ", i))
		two.shows(b, fmt.Sprint("second ", i))
	}
	if _, seen := one.screens[b]; seen || !one.keeper || !two.keeper {
		t.Errorf("seen %t, keepers %t and %t", seen, one.keeper, two.keeper)
	}
	one.end()
	two.prints(second, "still here")
	two.shows(b, "still here")
}

func TestASlowReaderGetsTheNewestScreen(t *testing.T) {
	t.Parallel()
	eachRole(t, func(t *testing.T, s *screening) {
		pane, tty := s.open()
		s.Display([]core.PaneID{pane})
		s.shows(pane, "")
		s.until("the pane is seen", func() bool { _, seen := s.screens[pane]; return seen })
		for i := range 20 {
			s.prints(tty, fmt.Sprintf("line %d\r\n", i))
			s.tmux.Run("rename-session", "-t", string(pane), fmt.Sprint("name", i))
		}
		newest := func(f Frame) bool {
			screen := f.Screens[pane]
			return strings.Contains(screen.Text(), "line 19") && f.Snapshot != nil &&
				f.Snapshot.Session("name19") != nil
		}
		// Who begins to read now would get it whole.
		enginetest.Eventually(t, testTimeout, func() bool {
			f, _, _ := readerState{}.next(s.group, s.viewer)
			return newest(f)
		}, nil)
		// One that was held out before may be taken first.
		if f := s.next(); !newest(f) {
			s.apply(f)
			s.apply(s.next())
			if screen := s.screens[pane]; !strings.Contains(screen.Text(), "line 19") ||
				s.snapshot.Session("name19") == nil {
				t.Errorf("%q, %+v", screen.Text(), s.snapshot.Sessions)
			}
		}
		s.Display(slices.Repeat([]core.PaneID{pane}, 3))
		if len(s.screens) != 1 {
			t.Errorf("%d screens", len(s.screens))
		}
	})
}
