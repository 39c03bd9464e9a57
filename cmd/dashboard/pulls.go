package dashboard

import (
	"context"
	"sync"
	"time"

	"cupola/core/git/forge"
	"cupola/core/verb"
	"cupola/tui/screen"
)

// pullsEvery is how old the state of a pull request may be, and noPullEvery how long a branch has none, or its forge
// does not answer, until it is asked again.
const pullsEvery, noPullEvery = 2 * time.Minute, 10 * time.Minute

// pulls knows the pull requests of branches. It asks for one at a time beside all else, and never twice within
// pullsEvery, so that nothing waits for it.
type pulls struct {
	// ask returns the pull request of a branch of a tree; nil if there is none or that cannot be known.
	ask func(ctx context.Context, root, branch string) *forge.Pull

	mu     sync.Mutex
	known  map[pullKey]pullKnown
	asking bool
}

type pullKey struct{ root, branch string }

type pullKnown struct {
	pull *forge.Pull
	at   time.Time
}

// newPulls asks gh or glab about branches that a remote has.
func newPulls(env *verb.Env) *pulls {
	return &pulls{known: map[pullKey]pullKnown{}, ask: func(ctx context.Context, root, branch string) *forge.Pull {
		asks := forge.At(ctx, root, env.Environ, env.Bridges.Find)
		if asks.Program == "" || !forge.Published(ctx, root, branch, env.Environ) {
			return nil
		}
		pull, err := asks.PullOf(ctx, branch)
		if err != nil {
			return nil
		}
		return pull
	}}
}

// complete adds the pull requests that are known to trees, and asks for those that are not, until ctx ends.
func (p *pulls) complete(ctx context.Context, trees map[string]screen.Work) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var stale []pullKey
	for root, work := range trees {
		key := pullKey{root, work.Branch}
		known := p.known[key]
		work.Pull = known.pull
		trees[root] = work
		every := pullsEvery
		if known.pull == nil {
			every = noPullEvery
		}
		if work.Branch != "" && time.Since(known.at) >= every {
			stale = append(stale, key)
		}
	}
	if len(stale) == 0 || p.asking {
		return
	}
	p.asking = true
	go p.refresh(ctx, stale)
}

// refresh asks for pull requests, one after the other.
func (p *pulls) refresh(ctx context.Context, keys []pullKey) {
	for _, key := range keys {
		if ctx.Err() != nil {
			break
		}
		pull := p.ask(ctx, key.root, key.branch)
		p.mu.Lock()
		p.known[key] = pullKnown{pull, time.Now()}
		p.mu.Unlock()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asking = false
}
