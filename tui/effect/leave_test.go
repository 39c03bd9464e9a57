package effect

import (
	"context"
	"testing"
	"testing/synctest"

	"cupola/core/fleet/keeper"
	"cupola/core/verb/registry"
	"cupola/tui/intent"
)

// slowDoor takes its time over an act, also after it was cancelled.
type slowDoor struct {
	Door
	typed chan struct{}
}

func (s *slowDoor) Call(ctx context.Context, _ registry.Target, _ any) (Answer, error) {
	<-ctx.Done()
	<-s.typed
	return Answer{}, nil
}

func TestCloseWaitsForRunningActs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		frames := make(chan keeper.Frame)
		slow := &slowDoor{typed: make(chan struct{})}
		e := &Effects{ctx: ctx, door: slow, live: keeper.Stream{Frames: frames}}
		go e.Do(intent.Act{})()
		synctest.Wait()
		stop()
		closed := make(chan struct{})
		go func() {
			defer close(closed)
			e.Close()
		}()
		isClosed := func() bool {
			synctest.Wait()
			select {
			case <-closed:
				return true
			default:
				return false
			}
		}
		if isClosed() {
			t.Error("a prompt is still being typed")
		}
		if msg := e.Do(intent.Act{})(); msg != nil {
			t.Errorf("another act ended with %v", msg)
		}
		close(slow.typed)
		if isClosed() {
			t.Error("the frames have not ended")
		}
		close(frames)
		if !isClosed() {
			t.Error("it is never closed")
		}
	})
}
