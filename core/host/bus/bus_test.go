package bus_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/engine/enginetest"
	"cupola/core/fleet/keeper"
	"cupola/core/host"
	"cupola/core/host/bus"
	"cupola/core/host/bus/bustest"
)

var quietLog = slog.New(slog.DiscardHandler)

const testTimeout = 30 * time.Second

func connect(t testing.TB, s *bustest.Server, user string) *bus.Conn {
	t.Helper()
	url := s.ClientURL()
	if user != "" {
		url = strings.Replace(url, "nats://", "nats://"+user+":x@", 1)
	}
	c, err := bus.Connect(t.Context(), &host.Bus{URL: url}, quietLog)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// pictured is a host's snapshot with a number of panes.
func pictured(revision core.Revision, panes int) *core.Snapshot {
	s := &core.Snapshot{Revision: revision, EngineUp: true, Sessions: []core.Session{{ID: "$0", Name: "api"}}}
	for i := range panes {
		s.Sessions[0].Panes = append(s.Sessions[0].Panes, core.Pane{
			ID: core.PaneID(fmt.Sprint("%", i)), Session: "api", Ordinal: i + 1,
			Title: fmt.Sprint("pane ", i, " at ", revision),
		})
	}
	return s
}

// publishing publishes snapshots under a name.
func publishing(t testing.TB, c *bus.Conn, name string) chan<- keeper.Frame {
	t.Helper()
	frames := make(chan keeper.Frame)
	var done sync.WaitGroup
	done.Go(func() {
		c.Publish(t.Context(), name, func() host.Hello { return host.NewHello("1.2.3", name) }, frames)
	})
	t.Cleanup(func() {
		close(frames)
		done.Wait()
	})
	return frames
}

// view collects the events and states that a follower receives.
type view struct {
	mu     sync.Mutex
	hosts  map[string]*bus.HostState
	events map[string][]core.Revision
}

func following(t testing.TB, c *bus.Conn) *view {
	t.Helper()
	v := &view{hosts: map[string]*bus.HostState{}, events: map[string][]core.Revision{}}
	var done sync.WaitGroup
	ctx, stop := context.WithCancel(t.Context())
	done.Go(func() {
		if err := c.Follow(ctx, v.update); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(func() {
		stop()
		done.Wait()
	})
	return v
}

func (v *view) update(seen *bus.HostState) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.hosts[seen.Host] = seen
	for _, e := range seen.Events {
		v.events[seen.Host] = append(v.events[seen.Host], e.Revision)
	}
}

func (v *view) revision(name string) core.Revision {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.hosts[name] == nil || v.hosts[name].Snapshot == nil {
		return 0
	}
	return v.hosts[name].Snapshot.Revision
}

func (v *view) waitFor(t *testing.T, name string, revision core.Revision) {
	t.Helper()
	enginetest.Eventually(t, testTimeout, func() bool { return v.revision(name) == revision }, func() string {
		return fmt.Sprintf("%s is at %d, want %d", name, v.revision(name), revision)
	})
}

// frame is a snapshot with an event that led to it.
func frame(revision core.Revision, panes int) keeper.Frame {
	return keeper.Frame{
		Snapshot: pictured(revision, panes), Events: []core.Event{{Type: core.StateChanged, Revision: revision}},
	}
}

// A follower has the newest snapshot of each host, and each event once, also across a restart of the server.
func TestFollowersMissNothing(t *testing.T) {
	t.Parallel()
	s := bustest.New(t)
	a := publishing(t, connect(t, s, ""), "gpu1")
	a <- frame(1, 3)
	early := following(t, connect(t, s, ""))
	early.waitFor(t, "gpu1", 1)
	for revision := core.Revision(2); revision < 40; revision++ {
		a <- frame(revision, 3+int(revision%3))
	}
	early.waitFor(t, "gpu1", 39)
	s.Restart(false)
	for revision := core.Revision(40); revision < 60; revision++ {
		a <- frame(revision, 4)
	}
	early.waitFor(t, "gpu1", 59)
	late := following(t, connect(t, s, ""))
	late.waitFor(t, "gpu1", 59)
	early.mu.Lock()
	defer early.mu.Unlock()
	if got := early.hosts["gpu1"].Snapshot.Sessions[0].Panes; len(got) != 4 || got[3].Title != "pane 3 at 59" {
		t.Errorf("%+v", got)
	}
	got := early.events["gpu1"]
	for i := range got {
		if got[i] != core.Revision(i+2) {
			t.Fatalf("events are %v", got)
		}
	}
	if len(got) != 58 {
		t.Errorf("%d events: %v", len(got), got)
	}
}

// What JetStream lost is there again.
func TestALostStoreIsFilledAgain(t *testing.T) {
	t.Parallel()
	s := bustest.New(t)
	a := publishing(t, connect(t, s, ""), "gpu1")
	a <- frame(1, 3)
	v := following(t, connect(t, s, ""))
	v.waitFor(t, "gpu1", 1)
	s.Restart(true)
	a <- frame(2, 3)
	v.waitFor(t, "gpu1", 2)
	a <- frame(3, 3)
	v.waitFor(t, "gpu1", 3)
}

// A host that leaves is reported to have left; when it comes back, its first picture is used.
func TestHostsLeaveAndComeBack(t *testing.T) {
	t.Parallel()
	s := bustest.New(t)
	c := connect(t, s, "")
	all := following(t, connect(t, s, ""))
	publish := func(revision core.Revision) {
		frames := make(chan keeper.Frame)
		var done sync.WaitGroup
		done.Go(func() {
			c.Publish(t.Context(), "gpu1", func() host.Hello { return host.NewHello("1.2.3", "gpu1") }, frames)
		})
		v := following(t, connect(t, s, ""))
		frames <- frame(revision, 1)
		v.waitFor(t, "gpu1", revision)
		all.waitFor(t, "gpu1", revision) // one that began to follow before there was a bucket asks again after a while
		close(frames)
		done.Wait()
		enginetest.Eventually(t, testTimeout, func() bool {
			v.mu.Lock()
			defer v.mu.Unlock()
			return v.hosts["gpu1"].Left
		}, func() string { return "it has not left" })
	}
	publish(7)
	publish(3)
}

// serving answers calls by echo until the test ends.
func serving(t testing.TB, c *bus.Conn, name string, answer bus.Answer) {
	t.Helper()
	servingTo(t, c, c, name, answer)
}

// servingTo serves calls over one connection until another one sees it.
func servingTo(t testing.TB, c, sees *bus.Conn, name string, answer bus.Answer) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	var done sync.WaitGroup
	done.Go(func() {
		if err := c.Serve(ctx, name, "1.2.3", func() error { return nil }, answer); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(func() {
		stop()
		done.Wait()
	})
	enginetest.Eventually(t, testTimeout, func() bool {
		found, _, err := sees.Answering(t.Context())
		return err == nil && found[name] > 0
	}, func() string { return name + " does not answer" })
}

// echo says hello, and answers each request with its verb, the access and its standard input.
func echo(_ context.Context, access host.Access, session bus.Session) error {
	encoder := json.NewEncoder(session)
	if err := encoder.Encode(host.NewHello("1.2.3", "box")); err != nil {
		return err
	}
	lines := bufio.NewScanner(session)
	lines.Buffer(nil, 32<<20)
	for lines.Scan() {
		var request host.Request
		if err := json.Unmarshal(lines.Bytes(), &request); err != nil {
			return core.Errorf(core.InvalidInput, "no frame")
		}
		text, err := json.Marshal([]string{string(access), request.Verb, request.Stdin})
		if err != nil {
			return err
		}
		if err := encoder.Encode(host.Response{ID: request.ID, Line: text, End: true}); err != nil {
			return err
		}
	}
	return lines.Err()
}

func call(ctx context.Context, c *bus.Conn, name string, access host.Access, request host.Request) (string, error) {
	link, err := c.Open(ctx, &host.Host{Name: name}, access)
	if err != nil {
		return "", err
	}
	defer link.Close()
	var got string
	err = link.Call(ctx, request, func(response host.Response) error {
		got = string(response.Line)
		return nil
	})
	return got, err
}

func TestCallsGoBothWays(t *testing.T) {
	t.Parallel()
	s := bustest.New(t)
	serving(t, connect(t, s, ""), "gpu1", echo)
	c := connect(t, s, "")
	large := strings.Repeat("x", 3<<20) // more than one message
	for _, access := range []host.Access{host.Reads, host.Acts} {
		for _, stdin := range []string{"", large} {
			want := fmt.Sprintf("[%q,%q,%q]", access, "status", stdin)
			got, err := call(t.Context(), c, "gpu1", access, host.Request{Verb: "status", Stdin: stdin})
			if err != nil || got != want {
				t.Errorf("%s, %d bytes: %.60s, %v", access, len(stdin), got, err)
			}
		}
	}
	_, err := call(t.Context(), c, "gpu2", host.Reads, host.Request{Verb: "status"})
	if fault, is := err.(*host.Fault); !is || fault.State != host.Down { //nolint:errorlint // it is not wrapped
		t.Errorf("of a host that is not there: %v", err)
	}
}

// A session that a restart of the server interrupted ends, and the next one works.
func TestLostMessagesEndTheSession(t *testing.T) {
	t.Parallel()
	s := bustest.New(t)
	serving(t, connect(t, s, ""), "gpu1", echo)
	c := connect(t, s, "")
	link, err := c.Open(t.Context(), &host.Host{Name: "gpu1"}, host.Acts)
	if err != nil {
		t.Fatal(err)
	}
	defer link.Close()
	s.Restart(false)
	enginetest.Eventually(t, testTimeout, func() bool {
		_, err := call(t.Context(), c, "gpu1", host.Acts, host.Request{Verb: "status"})
		return err == nil
	}, func() string { return "calls fail after a restart" })
}

// Messages that are none of a session change nothing.
func TestHostileMessagesChangeNothing(t *testing.T) {
	t.Parallel()
	s := bustest.New(t)
	of := connect(t, s, "")
	serving(t, of, "gpu1", echo)
	a := publishing(t, of, "gpu1")
	a <- frame(1, 3)
	c := connect(t, s, "")
	v := following(t, c)
	v.waitFor(t, "gpu1", 1)
	c.Attack(t, "gpu1", 10_000)
	a <- frame(2, 3)
	v.waitFor(t, "gpu1", 2)
	enginetest.Eventually(t, testTimeout, func() bool {
		_, err := call(t.Context(), c, "gpu1", host.Acts, host.Request{Verb: "status"})
		return err == nil
	}, func() string { return "calls fail after the attack" })
}
