// Package joined makes one picture of this machine and other hosts: their sessions beside the local ones, under names
// that begin with the host's, and the screens of those on display. Each host pushes what changes. A host that cannot be
// reached stays in the picture as it was last, with unknown states and an alert, and is asked again.
package joined

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"cupola/core"
	"cupola/core/fleet/keeper"
	"cupola/core/host"
)

const (
	// againFirst and againMost are how long a host that is lost is not asked again, first and at most.
	againFirst, againMost = 500 * time.Millisecond, 8 * time.Second
	// lostMost is how many hosts may tell of a change at once.
	lostMost = 64
)

// Source is a stream of frames, as a *keeper.Live is.
type Source struct {
	Frames <-chan keeper.Frame
	Look   func([]core.PaneID)
	Err    func() error
}

// Live joins the frames of this machine and of other hosts. It ends with the local frames.
type Live struct {
	// Frames delivers changes, as keeper.Live does.
	Frames <-chan keeper.Frame

	local  Source
	now    func() time.Time
	peers  []*peer
	told   chan *peer
	frames chan keeper.Frame
}

// Join begins to watch hosts. Ctx ends that; the local frames end by themselves.
func Join(ctx context.Context, local Source, hosts []*host.Host,
	dial func(context.Context, *host.Host) (*host.Link, error), now func() time.Time,
) *Live {
	l := &Live{local: local, now: now, told: make(chan *peer, lostMost), frames: make(chan keeper.Frame)}
	l.Frames = l.frames
	ctx, stop := context.WithCancel(ctx)
	var watching sync.WaitGroup
	for _, h := range hosts {
		p := &peer{
			host: h, dial: dial, now: now, screens: map[core.PaneID]core.Screen{}, looked: make(chan struct{}, 1),
		}
		l.peers = append(l.peers, p)
		watching.Go(func() { p.follow(ctx, func() { l.tell(ctx, p) }) })
	}
	go func() {
		defer close(l.frames)
		l.deliver(ctx)
		stop()
		watching.Wait()
	}()
	return l
}

// tell says that a host has changed.
func (l *Live) tell(ctx context.Context, p *peer) {
	select {
	case l.told <- p:
	case <-ctx.Done():
	}
}

// Look sets the panes on display.
func (l *Live) Look(panes []core.PaneID) {
	of := map[string][]core.PaneID{}
	var here []core.PaneID
	for _, pane := range panes {
		if name, rest, away := strings.Cut(string(pane), "/"); away {
			of[name] = append(of[name], core.PaneID(rest))
		} else {
			here = append(here, pane)
		}
	}
	l.local.Look(here)
	for _, p := range l.peers {
		p.look(of[p.host.Name])
	}
}

// Err returns why the local frames ended.
func (l *Live) Err() error { return l.local.Err() }

// deliver merges what was not taken yet, until the local frames end.
func (l *Live) deliver(ctx context.Context) {
	var local *core.Snapshot
	var revision core.Revision
	pending := keeper.Frame{}
	for {
		var out chan<- keeper.Frame
		if pending.Snapshot != nil || len(pending.Screens) > 0 {
			out = l.frames
		}
		select {
		case out <- pending:
			pending = keeper.Frame{Keeper: pending.Keeper}
			continue
		case frame, more := <-l.local.Frames:
			if !more {
				return
			}
			pending.Keeper, pending.Events = frame.Keeper, append(pending.Events, frame.Events...)
			pending.Screens = merge(pending.Screens, frame.Screens)
			if frame.Snapshot == nil {
				continue
			}
			local = frame.Snapshot
		case p := <-l.told:
			pending.Screens = merge(pending.Screens, p.taken())
		case <-ctx.Done():
			for range l.local.Frames {
			}
			return
		}
		if local != nil {
			pending.Snapshot = l.join(local)
			revision = max(revision+1, local.Revision)
			pending.Snapshot.Revision = revision
		}
	}
}

func merge(into, more map[core.PaneID]core.Screen) map[core.PaneID]core.Screen {
	if into == nil {
		return maps.Clone(more)
	}
	maps.Copy(into, more)
	return into
}

// join is the local snapshot with the sessions and alerts of the hosts.
func (l *Live) join(local *core.Snapshot) *core.Snapshot {
	all := *local
	all.Sessions, all.Alerts = slices.Clone(local.Sessions), slices.Clone(local.Alerts)
	for _, p := range l.peers {
		snapshot, fault, seen := p.state()
		if snapshot != nil {
			all.Sessions = append(all.Sessions, snapshot.Sessions...)
			all.Alerts = append(all.Alerts, snapshot.Alerts...)
			all.EngineUp = all.EngineUp || snapshot.EngineUp
		}
		if fault != nil {
			all.Alerts = append(all.Alerts, alertOf(fault, seen, l.now()))
		}
	}
	return &all
}

// alertOf says that a host is lost.
func alertOf(fault *host.Fault, seen, now time.Time) core.Alert {
	message := fault.Error()
	if !seen.IsZero() {
		message += "; seen last at " + seen.Format(time.TimeOnly)
	}
	return core.Alert{
		ID: "host_down:" + fault.Host, Type: core.AlertHostDown, Severity: core.SeverityWarning, Subject: fault.Host,
		Message: message, Count: 1, FirstSeen: now, LastSeen: now,
	}
}

// peer is one other host.
type peer struct {
	host *host.Host
	dial func(context.Context, *host.Host) (*host.Link, error)
	now  func() time.Time

	mu       sync.Mutex
	snapshot *core.Snapshot
	seen     time.Time
	fault    *host.Fault
	screens  map[core.PaneID]core.Screen
	// looks are the panes on display; looked says that there are others.
	looks  []core.PaneID
	looked chan struct{}
}

// follow watches the host until ctx ends, and calls changed after each change.
func (p *peer) follow(ctx context.Context, changed func()) {
	for wait := againFirst; ctx.Err() == nil; wait = min(2*wait, againMost) {
		err := p.watch(ctx, changed)
		if ctx.Err() != nil {
			return
		}
		if p.lose(err) {
			wait = againFirst
		}
		changed()
		if core.Sleep(ctx, wait) != nil {
			return
		}
	}
}

// watch watches over one link, until that is lost.
func (p *peer) watch(ctx context.Context, changed func()) error {
	link, err := p.dial(ctx, p.host)
	if err != nil {
		return err
	}
	defer link.Close()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	calls := make(chan int, 1)
	go p.sendLooks(ctx, link, calls)
	return link.Call(ctx, host.Request{Watch: true}, func(response host.Response) error {
		if response.Failure != nil {
			return response.Failure.AsError()
		}
		if response.Picture == nil {
			return nil
		}
		select {
		case calls <- response.ID:
		default: // it is known
		}
		p.take(response.Picture)
		changed()
		return nil
	})
}

// sendLooks sends which panes are on display, at first and whenever others are.
func (p *peer) sendLooks(ctx context.Context, link *host.Link, calls <-chan int) {
	id := 0
	select {
	case id = <-calls:
	case <-ctx.Done():
		return
	}
	for {
		p.mu.Lock()
		panes := slices.Clone(p.looks)
		p.mu.Unlock()
		if link.Look(id, panes) != nil {
			return
		}
		select {
		case <-p.looked:
		case <-ctx.Done():
			return
		}
	}
}

// look sets the panes on display. It never waits for the link.
func (p *peer) look(panes []core.PaneID) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if slices.Equal(p.looks, panes) {
		return
	}
	p.looks = panes
	select {
	case p.looked <- struct{}{}:
	default: // it will look
	}
}

// take takes a picture in.
func (p *peer) take(picture *host.Picture) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.fault, p.seen = nil, p.now()
	if picture.Snapshot != nil {
		p.snapshot = qualified(p.host.Name, picture.Snapshot)
	}
	for pane, screen := range picture.Screens {
		screen.Pane = idOf(p.host.Name, pane)
		p.screens[screen.Pane] = *screen
	}
}

// taken returns the screens that came since it was called last.
func (p *peer) taken() map[core.PaneID]core.Screen {
	p.mu.Lock()
	defer p.mu.Unlock()
	screens := p.screens
	p.screens = map[core.PaneID]core.Screen{}
	return screens
}

// lose notes that the host cannot be reached, and reports whether it was until now. The states of its agents are not
// known any more.
func (p *peer) lose(err error) (was bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	was = p.fault == nil && p.snapshot != nil
	if !errors.As(err, &p.fault) {
		p.fault = &host.Fault{Host: p.host.Name, State: host.Down, Reason: "the connection was lost"}
		if err != nil {
			p.fault.Reason = core.AsError(err).Error()
		}
	}
	if p.snapshot == nil {
		return was
	}
	lost := *p.snapshot
	lost.Sessions = slices.Clone(lost.Sessions)
	for i := range lost.Sessions {
		panes := slices.Clone(lost.Sessions[i].Panes)
		for j := range panes {
			panes[j].Status = core.Status{
				State: core.Unknown, Since: p.seen, Evidence: []string{fmt.Sprintf("%v", p.fault)},
			}
		}
		lost.Sessions[i].Panes = panes
	}
	lost.Alerts = nil
	p.snapshot = &lost
	return was
}

// state is what is known of the host.
func (p *peer) state() (snapshot *core.Snapshot, fault *host.Fault, seen time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.snapshot, p.fault, p.seen
}

// idOf is the id of a pane in the joined picture.
func idOf(name string, pane core.PaneID) core.PaneID {
	return core.PaneID(host.Qualified(name, string(pane)))
}

// qualified names the sessions and panes of a snapshot as the joined picture does. The snapshot is the caller's own.
func qualified(name string, snapshot *core.Snapshot) *core.Snapshot {
	for i := range snapshot.Sessions {
		s := &snapshot.Sessions[i]
		s.ID, s.Name = core.SessionID(host.Qualified(name, string(s.ID))), host.Qualified(name, s.Name)
		for j := range s.Panes {
			pane := &s.Panes[j]
			pane.ID, pane.Session = idOf(name, pane.ID), s.Name
			pane.Window.ID = core.WindowID(host.Qualified(name, string(pane.Window.ID)))
		}
	}
	for i := range snapshot.Alerts {
		a := &snapshot.Alerts[i]
		a.ID, a.Subject = host.Qualified(name, a.ID), host.Qualified(name, a.Subject)
		if a.Session != "" {
			a.Session = host.Qualified(name, a.Session)
		}
		if a.Pane != "" {
			a.Pane = idOf(name, a.Pane)
		}
	}
	return snapshot
}
