package keeper

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"cupola/core"
	"cupola/core/engine"
)

// previewAfter is how long a group waits for the shared snapshot before it takes a preview.
const previewAfter = 50 * time.Millisecond

// liveGroups assigns the live readers of a fleet to their shared group. The zero value is ready.
type liveGroups struct {
	mu   sync.Mutex
	open *liveGroup
}

// liveGroup is shared by live readers while there are any: a member, which is or follows the keeper, and a
// poller.
type liveGroup struct {
	member *member
	poller *screenPoller
	// preview is a snapshot for readers without one; nil if none was needed.
	preview atomic.Pointer[core.Snapshot]
	stop    context.CancelFunc
	// done closes when all goroutines of the group have ended; err then says why.
	done chan struct{}
	err  error
	// readers is guarded by the lock of liveGroups.
	readers int
}

// enter adds a reader to the open group, or to a new one.
func (r *liveGroups) enter(open func() (*liveGroup, error)) (*liveGroup, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.open == nil || r.open.ended() {
		made, err := open()
		if err != nil {
			return nil, err
		}
		r.open = made
	}
	r.open.readers++
	return r.open, nil
}

// leave removes a reader from a group and returns why the group ended, if it did. The last reader ends the
// group and waits for that.
func (r *liveGroups) leave(left *liveGroup) error {
	r.mu.Lock()
	left.readers--
	last := left.readers == 0
	if last && r.open == left {
		r.open = nil
	}
	r.mu.Unlock()
	if last {
		left.stop()
		<-left.done
	}
	if left.ended() {
		return left.err
	}
	return nil
}

// newLiveGroup starts a group, which outlives the reader that it was made for.
func (s *Streams) newLiveGroup(ctx context.Context, info engine.Info) (*liveGroup, error) {
	files, err := s.files(info)
	if err != nil {
		return nil, err
	}
	m := s.newMember(files, Interest{Watched: true})
	m.poller = newScreenPoller(s.opts.Engine, &m.focus, s.opts.Log)
	g := &liveGroup{member: m, poller: m.poller, done: make(chan struct{})}
	ctx, g.stop = context.WithCancel(context.WithoutCancel(ctx))
	go g.run(ctx, s.opts.Preview)
	return g, nil
}

func (g *liveGroup) run(ctx context.Context, snapshot func(context.Context) (*core.Snapshot, error)) {
	defer close(g.done)
	var parts sync.WaitGroup
	defer parts.Wait()
	defer g.stop()
	parts.Go(func() { g.poller.run(ctx) })
	parts.Go(func() { g.makePreview(ctx, snapshot) })
	g.err = g.member.run(ctx)
}

// makePreview takes a preview if the shared snapshot is late.
func (g *liveGroup) makePreview(ctx context.Context, snapshot func(context.Context) (*core.Snapshot, error)) {
	_ = core.Sleep(ctx, previewAfter)
	if shown, _ := g.member.hub.known(); shown != nil || ctx.Err() != nil {
		return
	}
	shown, err := snapshot(ctx)
	if err != nil {
		g.member.log.Debug("no preview snapshot", "error", err)
		return
	}
	g.preview.Store(shown)
	g.poller.wakeAll()
}

func (g *liveGroup) ended() bool {
	select {
	case <-g.done:
		return true
	default:
		return false
	}
}
