package host

import (
	"context"
	"sync"
	"time"
)

// linkIdle is how long a pool keeps an unused link.
const linkIdle = time.Minute

// Pool keeps links open between calls, for a program that makes many of them. The zero value with an Open is ready.
type Pool struct {
	// Open connects to a host that has no link here.
	Open Open

	mu    sync.Mutex
	links map[pooled]*Link
}

// pooled is the key of a link in the pool.
type pooled struct {
	name   string
	access Access
}

// Get returns a link, which the caller closes: one that is there, or else a new one.
func (p *Pool) Get(ctx context.Context, h *Host, access Access) (*Link, error) {
	of := pooled{h.Name, access}
	p.mu.Lock()
	link := p.links[of]
	p.mu.Unlock()
	if link != nil && link.retain() {
		return link, nil
	}
	link, err := p.Open(ctx, h, access)
	if err != nil {
		return nil, err
	}
	link.retain()
	p.mu.Lock()
	before := p.links[of]
	if p.links == nil {
		p.links = map[pooled]*Link{}
	}
	p.links[of] = link
	p.mu.Unlock()
	if before != nil {
		before.Close()
	}
	go p.keep(of, link)
	return link, nil
}

// keep lets go of a link that is lost, or that was not used for a while.
func (p *Pool) keep(of pooled, link *Link) {
	tick := time.NewTicker(linkIdle / 2)
	defer tick.Stop()
	for {
		select {
		case <-link.Lost():
		case <-tick.C:
			if !link.unused(linkIdle) {
				continue
			}
		}
		p.mu.Lock()
		ours := p.links[of] == link
		if ours {
			delete(p.links, of)
		}
		p.mu.Unlock()
		if ours {
			link.Close()
		}
		return
	}
}

// Close lets go of all links.
func (p *Pool) Close() {
	p.mu.Lock()
	links := p.links
	p.links = nil
	p.mu.Unlock()
	for _, link := range links {
		link.Close()
	}
}
