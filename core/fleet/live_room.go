package fleet

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"cupola/core"
	"cupola/core/engine"
)

// previewAfter is how long a room waits for the shared picture before it takes
// one of its own to show meanwhile.
const previewAfter = 50 * time.Millisecond

// rooms leads the live readers of a fleet to the room that they share. The zero
// value is ready.
type rooms struct {
	mu   sync.Mutex
	open *room
}

// room is what live readers share while there are any: a member, which keeps
// the picture or follows it, and a camera.
type room struct {
	member *member
	camera *camera
	// preview is a picture for those who have none; nil if none was needed.
	preview atomic.Pointer[core.Snapshot]
	stop    context.CancelFunc
	// done closes when nothing of the room runs any more; err then says why.
	done chan struct{}
	err  error
	// readers are counted under the lock of rooms.
	readers int
}

// enter adds a reader to the open room, or to a new one.
func (r *rooms) enter(furnish func() (*room, error)) (*room, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.open == nil || r.open.ended() {
		made, err := furnish()
		if err != nil {
			return nil, err
		}
		r.open = made
	}
	r.open.readers++
	return r.open, nil
}

// leave takes a reader out of a room and says why the room ended, if it did.
// With the last reader it ends, and leave waits for that.
func (r *rooms) leave(left *room) error {
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

// furnish makes a room and begins its work, which outlives the reader that it
// was made for.
func (f *lookout) furnish(ctx context.Context, info engine.Info) (*room, error) {
	m := newMember(f, info, Interest{Watched: true})
	if !m.seat.none() {
		if err := m.seat.prepare(); err != nil {
			return nil, err
		}
	}
	m.camera = newCamera(f.engine, &m.aim, f.log)
	r := &room{member: m, camera: m.camera, done: make(chan struct{})}
	ctx, r.stop = context.WithCancel(context.WithoutCancel(ctx))
	go r.run(ctx, func() (*core.Snapshot, error) { return f.Snapshot(ctx, View{}) })
	return r, nil
}

func (r *room) run(ctx context.Context, snapshot func() (*core.Snapshot, error)) {
	defer close(r.done)
	var parts sync.WaitGroup
	defer parts.Wait()
	defer r.stop()
	parts.Go(func() { r.camera.run(ctx) })
	parts.Go(func() { r.foresee(ctx, snapshot) })
	r.err = r.member.run(ctx)
}

// foresee takes a picture where the shared one is late.
func (r *room) foresee(ctx context.Context, snapshot func() (*core.Snapshot, error)) {
	pause(ctx, previewAfter)
	if picture, _ := r.member.hub.known(); picture != nil || ctx.Err() != nil {
		return
	}
	picture, err := snapshot()
	if err != nil {
		r.member.log.Debug("no picture could be taken meanwhile", "error", err)
		return
	}
	r.preview.Store(picture)
	r.camera.wakeAll()
}

func (r *room) ended() bool {
	select {
	case <-r.done:
		return true
	default:
		return false
	}
}
