package joined_test

import (
	"context"
	"encoding/json"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"cupola/core"
	"cupola/core/fleet/keeper"
	"cupola/core/host"
	"cupola/core/host/bus"
	"cupola/core/host/joined"
)

// other is a host whose program is the test.
type other struct {
	mu sync.Mutex
	// pipe is the connection that is open, and looks what was looked at last on it.
	pipe  net.Conn
	looks []core.PaneID
	down  bool
	// version is the version of its Cupola, and ahead how far its clock is ahead.
	version string
	ahead   time.Duration
}

func (o *other) dial(ctx context.Context, h *host.Host, _ host.Access) (*host.Link, error) {
	o.mu.Lock()
	down := o.down
	o.mu.Unlock()
	if down {
		return nil, &host.Fault{Host: h.Name, State: host.Down, Reason: "it is switched off"}
	}
	here, there := net.Pipe()
	go o.serve(there)
	return host.NewLink(ctx, h, here)
}

// serve greets, and notes what is looked at.
func (o *other) serve(pipe net.Conn) {
	hello := host.NewHello(o.version, "other")
	hello.Time = hello.Time.Add(o.ahead)
	if json.NewEncoder(pipe).Encode(hello) != nil {
		return
	}
	o.mu.Lock()
	o.pipe = pipe
	o.mu.Unlock()
	for in := json.NewDecoder(pipe); ; {
		var request host.Request
		if in.Decode(&request) != nil {
			return
		}
		o.mu.Lock()
		if request.Display != nil {
			o.looks = *request.Display
		}
		if request.Verb != "" { // it is asked whether it is there
			_ = json.NewEncoder(pipe).Encode(host.Response{ID: request.ID, End: true})
		}
		o.mu.Unlock()
	}
}

func (o *other) show(t *testing.T, picture *host.Picture) {
	t.Helper()
	o.mu.Lock()
	defer o.mu.Unlock()
	if err := json.NewEncoder(o.pipe).Encode(host.Response{ID: 1, Picture: picture}); err != nil {
		t.Fatal(err)
	}
}

func (o *other) looked() []core.PaneID {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.looks
}

// lose ends the connection, and keeps the host down or not.
func (o *other) lose(down bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.down = down
	_ = o.pipe.Close()
}

func snapshotOf(session string, panes ...core.PaneID) *core.Snapshot {
	s := core.Session{ID: "$1", Name: session}
	for i, id := range panes {
		s.Panes = append(s.Panes, core.Pane{
			ID: id, Session: session, Ordinal: i, Agent: core.Agent{Name: "cc_1", Kind: "claude"},
			Status: core.Status{State: core.Idle},
		})
	}
	return &core.Snapshot{Revision: 7, EngineUp: true, Sessions: []core.Session{s}}
}

// stage is a machine with one other host.
type stage struct {
	t      *testing.T
	other  *other
	local  chan keeper.Frame
	looks  []core.PaneID
	joined keeper.Stream
	bus    chan *bus.HostState
	hosts  chan []*host.Host
	last   *core.Snapshot
}

func onStage(t *testing.T, act func(s *stage)) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		s := &stage{
			t: t, other: &other{version: "test"}, local: make(chan keeper.Frame), bus: make(chan *bus.HostState),
			hosts: make(chan []*host.Host),
		}
		s.joined = joined.Join(ctx, keeper.Stream{
			Frames: s.local, Display: func(panes []core.PaneID) { s.looks = panes }, Err: func() error { return nil },
		}, joined.Others{
			Hosts: []*host.Host{{Name: "gpu1"}}, Changes: s.hosts, Open: s.other.dial, Skip: []string{"here", "gpu1"},
			Follow: func(ctx context.Context, each func(*bus.HostState)) error {
				for {
					select {
					case seen := <-s.bus:
						each(seen)
					case <-ctx.Done():
						return nil
					}
				}
			},
			Version: "test",
		}, time.Now)
		s.local <- keeper.Frame{Snapshot: snapshotOf("api", "%1")}
		s.frame()
		act(s)
		stop()
		close(s.local)
		for range s.joined.Frames {
		}
		synctest.Wait()
	})
}

// frame takes the frames that are there, and returns them as one.
func (s *stage) frame() (all keeper.Frame) {
	s.t.Helper()
	for {
		synctest.Wait()
		if core.Sleep(s.t.Context(), 100*time.Millisecond) != nil { // what comes together is one frame
			return all
		}
		select {
		case frame := <-s.joined.Frames:
			if frame.Snapshot != nil {
				s.last = frame.Snapshot
			}
			all = frame
		default:
			return all
		}
	}
}

func TestSessionsOfHostsAreBesideTheLocalOnes(t *testing.T) {
	onStage(t, func(s *stage) {
		s.other.show(s.t, &host.Picture{Snapshot: snapshotOf("api", "%1", "%2")})
		s.frame()
		if got := s.last.Sessions; len(got) != 2 || got[0].Name != "api" || got[1].Name != "gpu1/api" ||
			got[1].Panes[1].ID != "gpu1/%2" || got[1].Panes[1].Address() != "gpu1/api.1" {
			s.t.Errorf("%+v", got)
		}
		before := s.last.Revision
		s.local <- keeper.Frame{Snapshot: snapshotOf("web", "%9")}
		s.frame()
		if len(s.last.Sessions) != 2 || s.last.Sessions[0].Name != "web" || s.last.Revision <= before {
			s.t.Errorf("%+v", s.last)
		}
	})
}

func TestOnlyTheScreensOnDisplayAreAskedFor(t *testing.T) {
	onStage(t, func(s *stage) {
		s.other.show(s.t, &host.Picture{Snapshot: snapshotOf("api", "%1")})
		s.frame()
		s.joined.Display([]core.PaneID{"%1", "gpu1/%1", "gpu2/%7"})
		synctest.Wait()
		if !slices.Equal(s.other.looked(), []core.PaneID{"%1"}) || !slices.Equal(s.looks, []core.PaneID{"%1"}) {
			s.t.Errorf("there %v, here %v", s.other.looked(), s.looks)
		}
		s.other.show(s.t, &host.Picture{Screens: map[core.PaneID]*core.Screen{
			"%1": {Pane: "%1", Lines: []string{"hello"}, Visible: 1},
		}})
		got := s.frame().Screens["gpu1/%1"]
		if len(got.Lines) != 1 || got.Lines[0] != "hello" || got.Pane != "gpu1/%1" {
			s.t.Errorf("%+v", got)
		}
		s.joined.Display(nil)
		synctest.Wait()
		if len(s.other.looked()) != 0 {
			s.t.Errorf("nothing is on display, and %v is sent", s.other.looked())
		}
	})
}

func TestALostHostIsReportedAndComesBack(t *testing.T) {
	onStage(t, func(s *stage) {
		s.joined.Display([]core.PaneID{"gpu1/%1"})
		s.other.show(s.t, &host.Picture{Snapshot: snapshotOf("api", "%1")})
		s.frame()
		s.other.lose(true)
		s.frame()
		pane := s.last.Pane("gpu1/%1")
		if pane == nil || pane.Status.State != core.Unknown || len(pane.Status.Evidence) != 1 {
			s.t.Fatalf("%+v", pane)
		}
		_ = core.Sleep(s.t.Context(), time.Minute)
		s.frame()
		if a := s.last.Alerts; len(a) != 1 || a[0].Type != core.AlertHostDown || a[0].Subject != "gpu1" ||
			!strings.Contains(a[0].Message, "switched off; seen last at") {
			s.t.Errorf("%+v", a)
		}
		s.other.mu.Lock()
		s.other.down = false
		s.other.mu.Unlock()
		_ = core.Sleep(s.t.Context(), 10*time.Second)
		synctest.Wait()
		s.other.show(s.t, &host.Picture{Snapshot: snapshotOf("api", "%1")})
		s.frame()
		if pane := s.last.Pane("gpu1/%1"); pane.Status.State != core.Idle || len(s.last.Alerts) != 0 {
			s.t.Errorf("%+v, %+v", pane, s.last.Alerts)
		}
		if !slices.Equal(s.other.looked(), []core.PaneID{"%1"}) {
			s.t.Errorf("what is on display is not asked for again: %v", s.other.looked())
		}
	})
}

func TestAHostThatIsRemovedLeavesThePicture(t *testing.T) {
	onStage(t, func(s *stage) {
		picture := &host.Picture{Snapshot: snapshotOf("api", "%1")}
		s.other.show(s.t, picture)
		s.frame()
		if s.last.Pane("gpu1/%1") == nil {
			s.t.Fatal("the host is not in the picture")
		}
		s.hosts <- []*host.Host{{Name: "gpu1"}, {Name: "gpu2"}}
		s.frame()
		s.other.show(s.t, picture)
		s.frame()
		if s.last.Pane("gpu1/%1") == nil || s.last.Pane("gpu2/%1") == nil {
			s.t.Fatal("a host that was added is not in the picture, or the one that was there is not")
		}
		s.other.lose(true)
		s.frame()
		if len(s.last.Alerts) == 0 {
			s.t.Fatal("no alert of the host that is lost")
		}
		s.hosts <- nil
		s.frame()
		if len(s.last.Sessions) != 1 || len(s.last.Alerts) != 0 {
			s.t.Errorf("hosts that were removed are in the picture: %+v, %+v", s.last.Sessions, s.last.Alerts)
		}
	})
}

// Hosts of the bus join the picture as they are found; their screens come over a link once they are on display.
func TestHostsOfTheBusJoinThePicture(t *testing.T) {
	onStage(t, func(s *stage) {
		for _, name := range []string{"here", "gpu1", "far"} { // the first two are known already
			s.bus <- &bus.HostState{Host: name, Snapshot: snapshotOf("web", "%1"), Alive: true, Heard: time.Now()}
		}
		s.frame()
		if got := s.last.Sessions; len(got) != 2 || got[1].Name != "far/web" {
			s.t.Errorf("%+v", got)
		}
		s.joined.Display([]core.PaneID{"far/%1"})
		synctest.Wait()
		s.other.show(s.t, &host.Picture{})
		s.frame()
		s.other.show(s.t, &host.Picture{Screens: map[core.PaneID]*core.Screen{"%1": {Pane: "%1"}}})
		if got := s.frame(); len(got.Screens) != 1 || got.Screens["far/%1"].Pane != "far/%1" {
			s.t.Errorf("%+v", got)
		}
		s.bus <- &bus.HostState{Host: "far", Snapshot: snapshotOf("web", "%1"), Heard: time.Now()}
		s.frame()
		if got := s.last; len(got.Alerts) != 1 || got.Sessions[1].Panes[0].Status.State != core.Unknown {
			s.t.Errorf("%+v", got)
		}
	})
}

// A host that has another version is named by an alert.
func TestHostsOfAnotherVersionAreReported(t *testing.T) {
	onStage(t, func(s *stage) {
		s.other.version = "0.9"
		s.other.lose(false)
		if core.Sleep(s.t.Context(), time.Minute) != nil {
			return
		}
		s.other.show(s.t, &host.Picture{Snapshot: snapshotOf("api", "%1")})
		s.frame()
		if got := s.last.Alerts; len(got) != 1 || got[0].Type != core.AlertVersionSkew || got[0].Subject != "gpu1" {
			s.t.Errorf("%+v", got)
		}
	})
}

// Times of a host with a wrong clock are converted to the clock of this machine.
func TestAClockThatIsWrongIsAllowedFor(t *testing.T) {
	onStage(t, func(s *stage) {
		s.other.ahead = time.Hour
		s.other.lose(false)
		_ = core.Sleep(s.t.Context(), time.Second)
		synctest.Wait()
		came := snapshotOf("api", "%1")
		came.Sessions[0].Panes[0].Status.Since = time.Now().Add(time.Hour)
		s.other.show(s.t, &host.Picture{Snapshot: came})
		s.frame()
		since := s.last.Sessions[1].Panes[0].Status.Since
		if age := time.Since(since); age < 0 || age > time.Second {
			s.t.Errorf("it is idle since %v, which is %v ago", since, age)
		}
		if created := s.last.Sessions[1].Created; !created.IsZero() {
			s.t.Errorf("a time that is not known has become %v", created)
		}
	})
}
