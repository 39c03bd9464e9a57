// Package joined makes one picture of this machine and other hosts: their sessions beside the local ones, under names
// that begin with the host's, and the screens of those on display. Each host pushes what changes. A host that cannot be
// reached stays in the picture as it was last, with unknown states and an alert, and is asked again.
package joined

import (
	"context"
	"maps"
	"reflect"
	"slices"
	"sync"
	"time"

	"cupola/core"
	"cupola/core/fleet/keeper"
	"cupola/core/host"
	"cupola/core/host/bus"
)

const (
	// againFirst and againMost are how long a host that is lost is not asked again, first and at most.
	againFirst, againMost = 500 * time.Millisecond, 8 * time.Second
	// frameEvery is the least time between two frames with news from hosts.
	frameEvery = 20 * time.Millisecond
)

// Others are the hosts that are watched.
type Others struct {
	// Hosts are the hosts that are asked, each over a link of its own, which Open opens.
	Hosts []*host.Host
	Open  host.Open
	// Changes are all hosts that are asked from now on, each time that others are; nil for none.
	Changes <-chan []*host.Host
	// Follow calls each with what the bus knows of hosts, until ctx ends; nil without a bus. Screens of those hosts
	// come over links too. Skip are the names that are not taken from the bus: this machine, and hosts of the settings.
	Follow func(ctx context.Context, each func(*bus.HostState)) error
	Skip   []string
	// Version is the version of this program; empty if it is not known. Fleet is the word of this machine's fleet: see
	// host.FleetOf.
	Version, Fleet string
}

// live joins the frames of this machine and of other hosts. It ends with the local frames.
type live struct {
	others Others
	local  keeper.Stream
	now    func() time.Time
	// changes says that a host has changed.
	changes  chan struct{}
	frames   chan keeper.Frame
	watching sync.WaitGroup

	mu sync.Mutex
	// peers are the hosts, those of the bus as they are found; busErr says why that cannot be read.
	peers     []*peer
	displayed map[string][]core.PaneID
	busErr    error
	// changed is true if there is another host, or another busErr, since drain was called last.
	changed bool
}

// Join begins to watch hosts, and returns the frames of all machines. Ctx ends that; the local frames end by
// themselves.
func Join(ctx context.Context, local keeper.Stream, others Others, now func() time.Time) keeper.Stream {
	l := &live{
		local: local, others: others, now: now, changes: make(chan struct{}, 1), frames: make(chan keeper.Frame),
	}
	ctx, stop := context.WithCancel(ctx)
	l.set(ctx, others.Hosts)
	if others.Changes != nil {
		l.watching.Go(func() {
			for {
				select {
				case hosts := <-others.Changes:
					l.set(ctx, hosts)
				case <-ctx.Done():
					return
				}
			}
		})
	}
	if others.Follow != nil {
		l.watching.Go(func() { l.followBus(ctx) })
	}
	go func() {
		defer close(l.frames)
		l.deliver(ctx)
		stop()
		l.watching.Wait()
	}()
	return keeper.Stream{Frames: l.frames, Display: l.show, Err: local.Err, Runs: local.Runs}
}

// set watches the hosts that are asked, and those alone: a host that is asked in another way is another one.
func (l *live) set(ctx context.Context, hosts []*host.Host) {
	wanted := func(p *peer) bool {
		is := func(h *host.Host) bool { return reflect.DeepEqual(h, p.host) }
		return p.stop == nil || slices.ContainsFunc(hosts, is)
	}
	l.mu.Lock()
	peers := l.peers
	l.peers = slices.DeleteFunc(slices.Clone(peers), func(p *peer) bool { return !wanted(p) })
	l.changed = l.changed || len(l.peers) < len(peers)
	l.mu.Unlock()
	for _, p := range peers {
		if !wanted(p) {
			p.stop()
		}
	}
	for _, h := range hosts {
		if !slices.ContainsFunc(peers, func(p *peer) bool { return reflect.DeepEqual(p.host, h) }) {
			p := l.add(h)
			own, stop := context.WithCancel(ctx)
			p.stop = stop
			l.watching.Go(func() { p.follow(own, l.notify) })
		}
	}
	l.notify()
}

// add adds a host.
func (l *live) add(h *host.Host) *peer {
	p := &peer{
		host: h, open: l.others.Open, now: l.now, screens: map[core.PaneID]core.Screen{},
		redisplay: make(chan struct{}, 1),
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	p.displayed, l.changed = l.displayed[h.Name], true
	at := len(l.peers)
	if h.OnBus { // in the order of their names, behind those of the settings
		at = slices.IndexFunc(l.peers, func(other *peer) bool { return other.host.OnBus && other.host.Name > h.Name })
		if at < 0 {
			at = len(l.peers)
		}
	}
	l.peers = slices.Insert(l.peers, at, p)
	return p
}

// all are the hosts that are known, and why others may be missing.
func (l *live) all() ([]*peer, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.peers), l.busErr
}

// changed reports that a host has changed. It never blocks.
func (l *live) notify() {
	select {
	case l.changes <- struct{}{}:
	default: // a change is pending already
	}
}

// show sets the panes on display.
func (l *live) show(panes []core.PaneID) {
	of := map[string][]core.PaneID{}
	var here []core.PaneID
	for _, pane := range panes {
		if at := core.ParseAddress(string(pane)); at.Host != "" {
			of[at.Host] = append(of[at.Host], core.PaneID(at.There()))
		} else {
			here = append(here, pane)
		}
	}
	l.local.Display(here)
	l.mu.Lock()
	l.displayed = of
	l.mu.Unlock()
	peers, _ := l.all()
	for _, p := range peers {
		p.show(of[p.host.Name])
	}
}

// deliver merges what was not taken yet, until the local frames end.
func (l *live) deliver(ctx context.Context) {
	var local *core.Snapshot
	var revision core.Revision
	pending := keeper.Frame{}
	// News that come soon after others share a frame with them.
	var due <-chan time.Time
	var taken time.Time
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
		case <-l.changes:
			if due == nil {
				due = time.After(frameEvery - time.Since(taken))
			}
			continue
		case <-due:
			due, taken = nil, time.Now()
			screens, changed := l.drain()
			if pending.Screens = merge(pending.Screens, screens); !changed {
				continue
			}
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

// drain returns the screens of hosts that came since it was called last, and whether anything else has changed.
func (l *live) drain() (screens map[core.PaneID]core.Screen, changed bool) {
	l.mu.Lock()
	peers := slices.Clone(l.peers)
	changed = l.changed
	l.changed = false
	l.mu.Unlock()
	for _, p := range peers {
		own, other := p.taken()
		screens, changed = merge(screens, own), changed || other
	}
	return screens, changed
}

func merge(into, more map[core.PaneID]core.Screen) map[core.PaneID]core.Screen {
	if into == nil {
		return maps.Clone(more)
	}
	maps.Copy(into, more)
	return into
}

// join is the local snapshot with the sessions and alerts of the hosts.
func (l *live) join(local *core.Snapshot) *core.Snapshot {
	all := *local
	all.Sessions, all.Alerts = slices.Clone(local.Sessions), slices.Clone(local.Alerts)
	peers, busErr := l.all()
	if busErr != nil {
		fault := &host.Fault{Host: "the bus", State: host.Down, Reason: core.AsError(busErr).Error()}
		all.Alerts = append(all.Alerts, downAlert(fault, time.Time{}, l.now()))
	}
	shown := map[string]bool{l.others.Fleet: true}
	for _, p := range peers {
		if fleet := p.fleet(); fleet != "" {
			if shown[fleet] {
				continue // it is in the picture under another name
			}
			shown[fleet] = true
		}
		if snapshot := p.state(); snapshot != nil {
			all.Sessions = append(all.Sessions, snapshot.Sessions...)
			all.Alerts = append(all.Alerts, snapshot.Alerts...)
			all.EngineUp = all.EngineUp || snapshot.EngineUp
		}
		all.Alerts = append(all.Alerts, p.alerts(l.others.Version)...)
	}
	return &all
}
