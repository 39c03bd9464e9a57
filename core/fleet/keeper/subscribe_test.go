package keeper

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"cupola/core"
	"cupola/core/engine"
	"cupola/core/engine/enginetest"
	"cupola/core/fleet/fleettest"
	"cupola/core/fleet/rundir"
	"cupola/core/fleet/wire"
)

// house is a runtime folder and a stage, for members that are all of this
// process.
type house struct {
	*fleettest.FeedEngine
	dir string
	log *log
}

func houseWith(t *testing.T, names ...string) *house {
	t.Helper()
	t.Cleanup(func() { goleak.VerifyNone(t) })
	s := &fleettest.FeedEngine{Socket: "/stage", Change: engine.Change{Listing: fleettest.Listing(names...)}}
	return &house{FeedEngine: s, dir: fleettest.RuntimeDir(t), log: &log{}}
}

func (h *house) open(t *testing.T) *Streams {
	t.Helper()
	o := Options{Engine: h.FeedEngine, Log: slog.New(slog.NewTextHandler(h.log, nil))}
	return openStreams(t, fleettest.BuiltinKinds(t), h.dir, o)
}

func (h *house) files() rundir.Files { return rundir.FilesOf(h.dir, engine.Info{Socket: h.Socket}) }

// log is a buffer for several writers.
type log struct {
	mu  sync.Mutex
	all bytes.Buffer
}

func (l *log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all.Write(p)
}

func (l *log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all.String()
}

func TestAStreamBeginsWithTheWholeSnapshot(t *testing.T) {
	h := houseWith(t, "a", "b")
	for range 2 { // the keeper itself, and one that it serves
		e := subscribed(t, h.open(t), Interest{}).next()
		if e.Type != core.Resynced || e.Revision != 1 || e.Snapshot.Revision != 1 ||
			sessionNames(e.Snapshot) != "[a b]" {
			t.Errorf("%s %d %s", e.Type, e.Revision, sessionNames(e.Snapshot))
		}
	}
}

func TestAllSubscribersGetTheSameEvents(t *testing.T) {
	h := houseWith(t)
	keeper, client := subscribed(t, h.open(t), Interest{}), (*reader)(nil)
	keeper.next()
	client = subscribed(t, h.open(t), Interest{})
	client.next()
	h.Show("a", "b")
	h.Show("b")
	mine, theirs := keeper.until(core.SessionClosed), client.until(core.SessionClosed)
	checkGapFree(t, 1, mine)
	if a, b := fleettest.EventLines(mine),
		fleettest.EventLines(theirs); strings.Join(a, "\n") != strings.Join(b, "\n") {
		t.Errorf("the keeper read %q, the client %q", a, b)
	}
	checkGapFree(t, 1, theirs)
}

func TestAStreamIsResumedWhereItEnded(t *testing.T) {
	h := houseWith(t)
	keeper := subscribed(t, h.open(t), Interest{})
	keeper.next()
	h.Show("a", "b")
	keeper.until(core.PaneOpened)
	for _, since := range []core.Revision{2, 3} {
		client := subscribed(t, h.open(t), Interest{Since: since})
		if e := client.next(); e.Revision != since+1 || e.Type == core.Resynced {
			t.Errorf("since %d begins with %s %d", since, e.Type, e.Revision)
		}
		client.end()
	}
	newest := keeper.next()
	client := subscribed(t, h.open(t), Interest{Since: newest.Revision})
	h.Show("a")
	if e := client.next(); e.Revision != newest.Revision+1 {
		t.Errorf("with nothing missed it begins with %s %d", e.Type, e.Revision)
	}
	for _, since := range []core.Revision{1000, 1 << 63} {
		client := subscribed(t, h.open(t), Interest{Since: since})
		if e := client.next(); e.Type != core.Resynced {
			t.Errorf("since %d begins with %s %d", since, e.Type, e.Revision)
		}
		client.end()
	}
}

func TestAfterAnOrderlyEndTheNextKeeperContinuesWithoutAGap(t *testing.T) {
	h := houseWith(t, "a")
	first := subscribed(t, h.open(t), Interest{})
	first.next()
	client := subscribed(t, h.open(t), Interest{})
	client.next()
	h.Show("a", "b")
	client.until(core.PaneOpened)
	first.end()
	events := client.until(core.Resynced)
	checkGapFree(t, 3, events)
	if len(events) != 2 || events[0].Type != core.KeeperChanged ||
		sessionNames(events[1].Snapshot) != "[a b]" {
		t.Errorf("%q", fleettest.EventLines(events))
	}
	h.Show("b")
	checkGapFree(t, 4, client.until(core.SessionClosed))
	client.end()
	if _, err := os.Stat(h.files().Socket); !os.IsNotExist(err) {
		t.Errorf("the socket stays: %v", err)
	}
	if got := rundir.LastRevision(rundir.FilesOf(h.dir, engine.Info{Socket: h.Socket})); got != 6 {
		t.Errorf("recorded is %d", got)
	}
}

func TestChangesWithoutKeeperArePublishedLater(t *testing.T) {
	h := houseWith(t, "a")
	subscribed(t, h.open(t), Interest{}).end()
	first := subscribed(t, h.open(t), Interest{})
	last := first.next().Revision
	first.end()
	h.Show("b")
	again := subscribed(t, h.open(t), Interest{Since: last})
	events := again.until(core.Resynced)
	checkGapFree(t, last, events)
	want := []string{"keeper_changed", "pane_closed", "session_closed", "session_created", "pane_opened", "resync"}
	for i, line := range fleettest.EventLines(events) {
		if i >= len(want) || !strings.HasPrefix(line, want[i]) {
			t.Fatalf("%q, want %q", fleettest.EventLines(events), want)
		}
		if i > 0 && want[i] != "resync" && (!events[i].Late || !strings.Contains(line, "found later")) {
			t.Errorf("%s is not marked", line)
		}
	}
}

func TestTheKeeperLooksCloselyWhileAnybodyDoes(t *testing.T) {
	h := houseWith(t)
	keeper := h.member(t, Interest{})
	keeper.timeouts.Heartbeat = time.Hour // no heartbeat finds out that the client is gone
	h.seated(t, keeper).next()
	if h.Watched() {
		t.Fatal("the feed is not Watched")
	}
	client := subscribed(t, h.open(t), Interest{Watched: true})
	client.next()
	if !h.Watched() {
		t.Error("the client's wish is not heard")
	}
	client.end()
	enginetest.Eventually(t, enginetest.Timeout, func() bool { return !h.Watched() }, nil)
}

func TestAMemberThatMissedNothingKnowsTheSnapshot(t *testing.T) {
	h := houseWith(t, "a")
	newest := subscribed(t, h.open(t), Interest{}).next().Revision
	m := h.member(t, Interest{Since: newest})
	h.seated(t, m)
	enginetest.Eventually(t, enginetest.Timeout, func() bool {
		snapshot, revision := m.hub.known()
		return snapshot != nil && revision == newest
	}, nil)
}

// member returns a member that has not started, and seated starts it.
func (h *house) member(t *testing.T, interest Interest) *member {
	t.Helper()
	info, err := h.Info(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	f := h.open(t)
	return f.newMember(f.opts.Dir.FilesOf(info), interest)
}

func (h *house) seated(t *testing.T, m *member) *reader {
	ctx, stop := context.WithCancel(t.Context())
	r := &reader{subscribe(ctx, m, false), t, stop}
	t.Cleanup(r.end)
	return r
}

func TestAKeeperOfAnotherVersionIsLeftAlone(t *testing.T) {
	for name, hello := range map[string]string{"another": `{"cupola":2}`, "nonsense": `hello`} {
		t.Run(name, func(t *testing.T) {
			h := houseWith(t, "a")
			h.occupied(t, hello)
			r := subscribed(t, h.open(t), Interest{Since: 3})
			e := r.next()
			if e.Type != core.Resynced || e.Revision != 0 || !strings.Contains(e.Message, "not shared") ||
				sessionNames(e.Snapshot) != "[a]" {
				t.Errorf("%s %d %q", e.Type, e.Revision, e.Message)
			}
			if !strings.Contains(h.log.String(), "WARN") {
				t.Errorf("logged is %q", h.log)
			}
			h.Show("a", "b")
			if e := r.next(); e.Type != core.SessionCreated || e.Revision != 0 {
				t.Errorf("%s %d", e.Type, e.Revision)
			}
		})
	}
}

// occupied is a keeper that answers every hello with one line.
func (h *house) occupied(t *testing.T, hello string) {
	t.Helper()
	s := h.files()
	lock, err := s.Take()
	if err != nil || lock == nil {
		t.Fatal(lock, err)
	}
	listener, err := net.Listen("unix", s.Socket)
	if err != nil {
		t.Fatal(err)
	}
	var talks sync.WaitGroup
	talks.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			talks.Go(func() {
				defer conn.Close()
				_, _ = bufio.NewReader(conn).ReadString('\n')
				_, _ = io.WriteString(conn, hello+"\n")
			})
		}
	})
	t.Cleanup(func() {
		listener.Close()
		talks.Wait()
		lock.Unlock()
	})
}

func TestAMemberOfAnotherVersionIsTurnedAway(t *testing.T) {
	h := houseWith(t)
	subscribed(t, h.open(t), Interest{}).next()
	conn, err := net.Dial("unix", h.files().Socket)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, `{"cupola":99,"since":"a word by then"}`+"\n"); err != nil {
		t.Fatal(err)
	}
	answer, err := io.ReadAll(conn)
	var hello wire.Welcome
	if err != nil || json.Unmarshal(answer, &hello) != nil || hello.Protocol != wire.Protocol ||
		bytes.Count(answer, []byte("\n")) != 1 {
		t.Errorf("%q %v", answer, err)
	}
}

func TestAReaderThatFallsBehindGetsTheWholeSnapshotInTheEnd(t *testing.T) {
	h := houseWith(t)
	keeper := subscribed(t, h.open(t), Interest{})
	keeper.next()
	client := h.member(t, Interest{})
	slow := h.seated(t, client)
	slow.next()
	newest := core.Revision(0)
	for i := range ringSize/2 + 2 {
		h.Show([]string{"a", "b"}[i%2])
		events := keeper.until(core.PaneOpened)
		newest = events[len(events)-1].Revision
	}
	enginetest.Eventually(t, enginetest.Timeout, func() bool {
		_, revision := client.hub.known()
		return revision == newest
	}, nil)
	// It may have taken one batch before it fell behind.
	events := slow.until(core.Resynced)
	if last := events[len(events)-1]; len(events) > ringSize+1 || last.Revision != newest {
		t.Errorf("%d events, then revision %d of %d", len(events), last.Revision, newest)
	}
}

func TestAClearedRuntimeFolderMakesANewKeeper(t *testing.T) {
	for name, clear := range map[string]func(*house) error{
		"all of it":       func(h *house) error { return os.RemoveAll(h.dir) },
		"only the socket": func(h *house) error { return os.Remove(h.files().Socket) },
	} {
		t.Run(name, func(t *testing.T) {
			h := houseWith(t, "a")
			first := subscribed(t, h.open(t), Interest{})
			revision := first.next().Revision
			enginetest.Eventually(t, enginetest.Timeout, func() bool {
				return rundir.LastRevision(rundir.FilesOf(h.dir, engine.Info{Socket: h.Socket})) == revision
			}, nil)
			if err := clear(h); err != nil {
				t.Fatal(err)
			}
			h.Show("a", "b")
			events := first.until(core.Resynced)
			checkGapFree(t, revision, events)
			second := subscribed(t, h.open(t), Interest{})
			if e := second.next(); e.Revision != events[len(events)-1].Revision {
				t.Errorf("the second subscriber begins with %d", e.Revision)
			}
		})
	}
}

func TestAStreamThatIsNotReadEndsWithItsContext(t *testing.T) {
	h := houseWith(t, "a")
	ctx, stop := context.WithCancel(t.Context())
	s, err := h.open(t).Subscribe(ctx, Interest{})
	if err != nil {
		t.Fatal(err)
	}
	stop()
	for range s.Events {
	}
	if s.Err() != nil {
		t.Error(s.Err())
	}
}

// checkGapFree fails the test if the revisions of events are not consecutive. A resync must
// have the revision of the event before.
func checkGapFree(t testing.TB, after core.Revision, events []core.Event) {
	t.Helper()
	for _, e := range events {
		if e.Type != core.Resynced {
			after++
		}
		if e.Revision != after {
			t.Fatalf("%s has revision %d instead of %d", e.Type, e.Revision, after)
		}
	}
}

// sessionNames returns the names of a snapshot's sessions, in a line.
func sessionNames(s *core.Snapshot) string {
	var all []string
	for _, session := range s.Sessions {
		all = append(all, session.Name)
	}
	return fmt.Sprint(all)
}
