package joined

import (
	"context"
	"slices"

	"cupola/core"
	"cupola/core/host"
	"cupola/core/host/bus"
)

// followBus adds the hosts of the bus as they are found, and takes in what it knows of them.
func (l *live) followBus(ctx context.Context) {
	found := map[string]*peer{}
	err := l.others.Follow(ctx, func(seen *bus.HostState) {
		if slices.Contains(l.others.Skip, seen.Host) {
			return
		}
		p := found[seen.Host]
		if p == nil {
			p = l.add(&host.Host{Name: seen.Host, OnBus: true})
			found[seen.Host] = p
			l.watching.Go(func() { p.followScreens(ctx, l.notify) })
		}
		p.update(seen)
		l.notify()
	})
	l.mu.Lock()
	l.busErr, l.changed = err, true
	l.mu.Unlock()
	l.notify()
}

// update takes in what the bus knows of the host.
func (p *peer) update(seen *bus.HostState) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.changed = p.changed || p.left != seen.Left || p.hello.Version != seen.Heartbeat.Hello.Version
	p.seen, p.left, p.hello = seen.Heard, seen.Left, seen.Heartbeat.Hello
	p.setSkew(seen.Heard)
	if seen.Snapshot != p.came {
		p.came, p.snapshot, p.changed = seen.Snapshot, nil, true
	}
	if lost := !seen.Alive; lost != (p.fault != nil) {
		p.fault, p.snapshot, p.changed = nil, nil, true
		if lost {
			p.fault = &host.Fault{Host: p.host.Name, State: host.Down, Reason: "it says nothing on the bus"}
		}
	}
}

// followScreens gets the screens that are on display over a link, which is opened once there are some, until ctx ends.
func (p *peer) followScreens(ctx context.Context, changed func()) {
	wait := againFirst
	for {
		select {
		case <-p.redisplay:
		case <-ctx.Done():
			return
		}
		if p.idle() {
			continue
		}
		started := p.now()
		_ = p.watch(ctx, changed) // the bus says whether the host is there
		if p.now().Sub(started) > againMost {
			wait = againFirst
		}
		if core.Sleep(ctx, wait) != nil {
			return
		}
		wait = min(2*wait, againMost)
		p.requestScreens()
	}
}

// idle reports whether no pane of the host is on display.
func (p *peer) idle() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.displayed) == 0
}

// requestScreens says that screens are still wanted.
func (p *peer) requestScreens() {
	select {
	case p.redisplay <- struct{}{}:
	default: // it is said
	}
}
