package joined

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"cupola/core"
	"cupola/core/host"
)

// peer is one other host.
type peer struct {
	host *host.Host
	open host.Open
	now  func() time.Time
	// stop ends the watch of a host of the settings; nil for one of the bus.
	stop context.CancelFunc

	mu sync.Mutex
	// came is the newest snapshot as it came, and snapshot what is made of it: nil until it is asked for.
	came, snapshot *core.Snapshot
	seen           time.Time
	// hello is the greeting of its Cupola.
	hello host.Hello
	// slow is true if the link is.
	slow bool
	// skew is how far its clock is ahead of this one.
	skew time.Duration
	// left is true for a host that has left the bus.
	left    bool
	fault   *host.Fault
	screens map[core.PaneID]core.Screen
	// changed is true if anything but screens has changed since taken was called last.
	changed bool
	// displayed are the panes on display; looked says that there are others.
	displayed []core.PaneID
	redisplay chan struct{}
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
	link, err := p.open(ctx, p.host, host.Reads)
	if err != nil {
		return err
	}
	defer link.Close()
	p.mu.Lock()
	p.hello, p.changed = link.Hello, true
	p.setSkew(p.now())
	p.mu.Unlock()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	calls := make(chan int, 1)
	go p.sendDisplayed(ctx, link, calls)
	return link.Call(ctx, host.Request{Watch: true, ScreensOnly: p.host.OnBus}, func(response host.Response) error {
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
		p.apply(response.Picture, link.State() == host.Slow)
		changed()
		return nil
	})
}

// sendDisplayed sends which panes are on display, at first and whenever others are.
func (p *peer) sendDisplayed(ctx context.Context, link *host.Link, calls <-chan int) {
	id := 0
	select {
	case id = <-calls:
	case <-ctx.Done():
		return
	}
	for {
		p.mu.Lock()
		panes := slices.Clone(p.displayed)
		p.mu.Unlock()
		if link.Display(ctx, id, panes) != nil {
			return
		}
		select {
		case <-p.redisplay:
		case <-ctx.Done():
			return
		}
	}
}

// show sets the panes on display. It never waits for the link.
func (p *peer) show(panes []core.PaneID) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if slices.Equal(p.displayed, panes) {
		return
	}
	p.displayed = panes
	p.requestScreens()
}

// apply takes a picture in, which came over a slow link or not.
func (p *peer) apply(picture *host.Picture, slow bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.changed, p.slow = p.changed || p.slow != slow, slow
	if !p.host.OnBus { // the bus says whether that is there
		p.changed = p.changed || p.fault != nil
		p.fault, p.seen = nil, p.now()
	}
	if picture.Snapshot != nil {
		p.came, p.snapshot, p.changed = picture.Snapshot, nil, true
	}
	for pane, screen := range picture.Screens {
		if screen == nil {
			continue
		}
		screen.Pane = core.OnHost(p.host.Name, pane)
		p.screens[screen.Pane] = *screen
	}
}

// taken returns the screens that came since it was called last, and whether anything else has changed.
func (p *peer) taken() (screens map[core.PaneID]core.Screen, changed bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	screens, changed = p.screens, p.changed
	p.screens, p.changed = map[core.PaneID]core.Screen{}, false
	return screens, changed
}

// lose notes that the host cannot be reached, and reports whether it was until now. The states of its agents are not
// known any more.
func (p *peer) lose(err error) (was bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	was = p.fault == nil && p.came != nil
	if !errors.As(err, &p.fault) {
		p.fault = &host.Fault{Host: p.host.Name, State: host.Down, Reason: "the connection was lost"}
		if err != nil {
			p.fault.Reason = core.AsError(err).Error()
		}
	}
	p.snapshot, p.changed = nil, true
	return was
}

// unknown takes out of a snapshot what is not known any more, because the host is lost.
func unknown(s *core.Snapshot, fault *host.Fault, seen time.Time) {
	s.Alerts = nil
	for i := range s.Sessions {
		for j := range s.Sessions[i].Panes {
			s.Sessions[i].Panes[j].Status = core.Status{
				State: core.Unknown, Since: seen, Evidence: []string{fmt.Sprintf("%v", fault)},
			}
		}
	}
}

// state returns the host's latest snapshot; nil if there is none.
func (p *peer) state() *core.Snapshot {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.left {
		return nil
	}
	if p.snapshot == nil && p.came != nil {
		p.snapshot = qualified(p.host.Name, p.came)
		if p.skew != 0 {
			shift(p.snapshot, -p.skew)
		}
		if p.fault != nil {
			unknown(p.snapshot, p.fault, p.seen)
		}
	}
	return p.snapshot
}

// fleet is the word of the host's fleet; empty if it is not known.
func (p *peer) fleet() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.hello.Fleet
}

// setSkew compares the clocks, by a hello that came at a time of this one.
func (p *peer) setSkew(at time.Time) {
	if skew := p.hello.Skew(at); (skew - p.skew).Abs() > time.Second {
		p.skew, p.snapshot, p.changed = skew, nil, true
	}
}

// shift moves the times of a snapshot that is not shared to another clock.
func shift(s *core.Snapshot, by time.Duration) {
	move := func(at *time.Time) {
		if !at.IsZero() {
			*at = at.Add(by)
		}
	}
	for i := range s.Sessions {
		session := &s.Sessions[i]
		move(&session.Created)
		for j := range session.Panes {
			pane := &session.Panes[j]
			move(&pane.Status.Since)
			move(&pane.Agent.Started)
		}
	}
	for i := range s.Alerts {
		move(&s.Alerts[i].FirstSeen)
		move(&s.Alerts[i].LastSeen)
	}
}

// qualified is a snapshot that names its sessions and panes as the joined picture does.
func qualified(name string, came *core.Snapshot) *core.Snapshot {
	own := *came
	snapshot := &own
	snapshot.Sessions, snapshot.Alerts = slices.Clone(own.Sessions), slices.Clone(own.Alerts)
	for i := range snapshot.Sessions {
		s := &snapshot.Sessions[i]
		s.ID, s.Name = core.OnHost(name, s.ID), core.OnHost(name, s.Name)
		s.Panes = slices.Clone(s.Panes)
		for j := range s.Panes {
			pane := &s.Panes[j]
			pane.ID, pane.Session = core.OnHost(name, pane.ID), s.Name
			pane.Window.ID = core.OnHost(name, pane.Window.ID)
		}
	}
	for i := range snapshot.Alerts {
		a := &snapshot.Alerts[i]
		a.ID, a.Subject = core.OnHost(name, a.ID), core.OnHost(name, a.Subject)
		if a.Session != "" {
			a.Session = core.OnHost(name, a.Session)
		}
		if a.Pane != "" {
			a.Pane = core.OnHost(name, a.Pane)
		}
	}
	return snapshot
}
