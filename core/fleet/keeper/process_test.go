package keeper

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/engine"
	"cupola/core/engine/enginetest"
	"cupola/core/fleet/fleettest"
	"cupola/core/fleet/wire"
)

// memberEnv names the folder of a process that is to be a member; hasteEnv, if
// set, makes it lose testTimeout soon.
const (
	memberEnv = "CUPOLA_TEST_MEMBER"
	hasteEnv  = "CUPOLA_TEST_HASTE"
)

// TestMemberProcess is not a test: started by the tests below with a folder, it
// subscribes, prints each event as a line, and ends with its standard input.
func TestMemberProcess(t *testing.T) {
	dir := os.Getenv(memberEnv)
	if dir == "" {
		t.Skip("only for processes that other tests start")
	}
	ctx, stop := context.WithCancel(t.Context())
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		stop()
	}()
	eng := &scenery{fleettest.FeedEngine{Socket: "/scenery"}, filepath.Join(dir, "scene")}
	f := openStreams(t, fleettest.BuiltinKinds(t), dir, Options{Engine: eng})
	files, err := f.opts.Dir.Files(ctx)
	if err != nil {
		t.Fatal(err)
	}
	m := f.newMember(files, Interest{})
	if os.Getenv(hasteEnv) != "" {
		m.timeouts = wire.Timeouts{
			Heartbeat: 100 * time.Millisecond, Silence: 500 * time.Millisecond, Welcome: 300 * time.Millisecond,
			Join: time.Second, Rejoin: 200 * time.Millisecond,
		}
	}
	s := subscribe(ctx, m, false)
	for e := range s.Events {
		line, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stdout.Write(append(line, '\n')); err != nil {
			t.Fatal(err)
		}
	}
	if s.Err() != nil {
		t.Fatal(s.Err())
	}
}

// scenery is an engine that several processes watch: the names of its sessions are in a file.
type scenery struct {
	fleettest.FeedEngine
	file string
}

func (s *scenery) Watch(ctx context.Context) engine.Feed {
	shown := s.read()
	s.Mu.Lock()
	s.Change = engine.Change{Listing: fleettest.Listing(strings.Fields(shown)...)}
	s.Mu.Unlock()
	feed := s.FeedEngine.Watch(ctx)
	go func() {
		again := time.NewTicker(5 * time.Millisecond)
		defer again.Stop()
		for {
			select {
			case <-again.C:
			case <-ctx.Done():
				return
			}
			if now := s.read(); now != shown {
				shown = now
				s.Show(strings.Fields(shown)...)
			}
		}
	}()
	return feed
}

func (s *scenery) read() string {
	body, _ := os.ReadFile(s.file)
	return string(body)
}

// hall is a runtime folder with a scene that processes watch.
type hall struct {
	t   *testing.T
	dir string
}

func (h *hall) show(names ...string) {
	h.t.Helper()
	file := filepath.Join(h.dir, "scene")
	if err := os.WriteFile(file+".new", []byte(strings.Join(names, " ")), 0o600); err != nil {
		h.t.Fatal(err)
	}
	if err := os.Rename(file+".new", file); err != nil {
		h.t.Fatal(err)
	}
}

// spectator is a member process and what it has printed.
type spectator struct {
	*exec.Cmd
	input io.Closer

	mu     sync.Mutex
	events []core.Event
	done   chan struct{}
}

func (h *hall) enter() *spectator {
	h.t.Helper()
	cmd := exec.CommandContext(h.t.Context(), os.Args[0], "-test.run=^TestMemberProcess$")
	s := &spectator{Cmd: cmd, done: make(chan struct{})}
	s.Env = append(os.Environ(), memberEnv+"="+h.dir)
	s.Stderr = os.Stderr
	input, err := s.StdinPipe()
	if err != nil {
		h.t.Fatal(err)
	}
	output, err := s.StdoutPipe()
	if err != nil {
		h.t.Fatal(err)
	}
	if err := s.Start(); err != nil {
		h.t.Fatal(err)
	}
	s.input = input
	go s.listen(output)
	h.t.Cleanup(func() {
		input.Close()
		<-s.done
		_ = s.Wait()
	})
	return s
}

func (s *spectator) listen(output io.Reader) {
	defer close(s.done)
	lines := bufio.NewScanner(output)
	lines.Buffer(nil, 32<<20)
	for lines.Scan() {
		var e core.Event
		if json.Unmarshal(lines.Bytes(), &e) != nil || e.Type == "" {
			continue
		}
		s.mu.Lock()
		s.events = append(s.events, e)
		s.mu.Unlock()
	}
}

// seen returns what was printed so far.
func (s *spectator) seen() []core.Event {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.events
}

func (s *spectator) story() string { return strings.Join(fleettest.EventLines(s.seen()), "\n") }

// count returns how many events of a type were printed.
func (s *spectator) count(what core.EventType) int {
	n := 0
	for _, e := range s.seen() {
		if e.Type == what {
			n++
		}
	}
	return n
}

// awaits waits until a type of event was printed n times.
func (h *hall) awaits(s *spectator, what core.EventType, n int) {
	h.t.Helper()
	enginetest.Eventually(h.t, testTimeout, func() bool { return s.count(what) >= n }, s.story)
}

// checkStory checks what a process printed: one resync at the beginning, and
// then no gap.
func checkStory(t *testing.T, s *spectator) {
	t.Helper()
	events := s.seen()
	if len(events) == 0 || events[0].Type != core.Resynced {
		t.Fatalf("the story is %q", fleettest.EventLines(events))
	}
	checkGapFree(t, events[0].Revision, events[1:])
}

func TestAnotherProcessTakesOverFromAKilledKeeper(t *testing.T) {
	h := &hall{t, fleettest.RuntimeDir(t)}
	h.show("a")
	keeper := h.enter()
	h.awaits(keeper, core.Resynced, 1)
	second, third := h.enter(), h.enter()
	h.awaits(second, core.Resynced, 1)
	h.awaits(third, core.Resynced, 1)
	h.show("a", "b")
	h.awaits(second, core.PaneOpened, 1)
	h.awaits(third, core.PaneOpened, 1)

	if err := keeper.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	h.show("b") // happens while no keeper runs
	for _, s := range []*spectator{second, third} {
		h.awaits(s, core.Resynced, 2)
		h.awaits(s, core.SessionClosed, 1)
	}
	h.show("b", "c")
	for _, s := range []*spectator{second, third} {
		h.awaits(s, core.PaneOpened, 2)
		checkStory(t, s)
		if n := s.count(core.KeeperChanged); n != 1 {
			t.Errorf("the keeper changed %d times", n)
		}
	}
	x, y := fleettest.EventLines(second.seen()[1:]), fleettest.EventLines(third.seen()[1:])
	if strings.Join(x, "\n") != strings.Join(y, "\n") {
		t.Errorf("the second read %q\nthe third %q", x, y)
	}
}

func TestKeepersThatAreKilledInTheMiddleNeverGoBack(t *testing.T) {
	h := &hall{t, fleettest.RuntimeDir(t)}
	h.show("a")
	watcher := h.enter()
	h.awaits(watcher, core.Resynced, 1)
	for i := range 4 {
		// The killed one leaves no process: the next one reads the record.
		h.show("a", "b")
		h.awaits(watcher, core.PaneOpened, 1)
		h.show("a")
		h.awaits(watcher, core.SessionClosed, 1)
		checkStory(t, watcher)
		if err := watcher.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		<-watcher.done
		events := watcher.seen()
		highest := events[len(events)-1].Revision
		watcher = h.enter()
		h.awaits(watcher, core.Resynced, 1)
		events = watcher.seen()
		if first := events[0].Revision; first <= highest {
			t.Fatalf("keeper %d begins with revision %d, after %d", i+2, first, highest)
		}
	}
}

func TestOfTwoThatStartTogetherOneIsTheKeeper(t *testing.T) {
	h := &hall{t, fleettest.RuntimeDir(t)}
	h.show("a")
	all := make([]*spectator, 4)
	for i := range all {
		all[i] = h.enter()
	}
	for _, s := range all {
		h.awaits(s, core.Resynced, 1)
	}
	h.show("a", "b")
	for _, s := range all {
		h.awaits(s, core.PaneOpened, 1)
		checkStory(t, s)
		events := s.seen()
		if last := events[len(events)-1]; last.Revision != 3 || last.Type != core.PaneOpened {
			t.Errorf("%q", fleettest.EventLines(events))
		}
	}
}

func TestSuspendedKeeperBlocksNoMember(t *testing.T) {
	t.Setenv(hasteEnv, "1")
	h := &hall{t, fleettest.RuntimeDir(t)}
	h.show("a")
	keeper := h.enter()
	h.awaits(keeper, core.Resynced, 1)
	client := h.enter()
	h.awaits(client, core.Resynced, 1)
	enginetest.Suspend(t, keeper.Process.Pid)
	h.awaitsLast(client, func(e core.Event) bool {
		return e.Type == core.Resynced && e.Revision == 0 && strings.Contains(e.Message, "not shared")
	})
	h.show("a", "b")
	h.awaitsLast(client, func(e core.Event) bool { return e.Type == core.PaneOpened && e.Revision == 0 })
	signal(t, keeper, syscall.SIGCONT)
	// The keeper may welcome the client before it sees the new session, which is an event then.
	enginetest.Eventually(t, testTimeout, func() bool {
		events := client.seen()
		last := len(events) - 1
		for last >= 0 && events[last].Type != core.Resynced {
			last--
		}
		opened := func(e core.Event) bool { return e.Type == core.PaneOpened }
		return last >= 0 && events[last].Revision > 0 && (slices.ContainsFunc(events[last:], opened) ||
			sessionNames(events[last].Snapshot) == "[a b]")
	}, client.story)
}

// awaitsLast waits until the last event printed is as it should be.
func (h *hall) awaitsLast(s *spectator, ok func(core.Event) bool) {
	h.t.Helper()
	enginetest.Eventually(h.t, testTimeout, func() bool {
		events := s.seen()
		return len(events) > 0 && ok(events[len(events)-1])
	}, s.story)
}

func signal(t *testing.T, s *spectator, sig os.Signal) {
	t.Helper()
	if err := s.Process.Signal(sig); err != nil {
		t.Fatal(err)
	}
}
