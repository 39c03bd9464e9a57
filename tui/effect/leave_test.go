package effect

import (
	"context"
	"testing"
	"testing/synctest"

	"cupola/core/fleet/deliver"
	"cupola/core/fleet/keeper"
	"cupola/tui/intent"
)

// slowSender takes its time over a prompt, also after it was cancelled.
type slowSender struct {
	*deliver.Sender
	typed chan struct{}
}

func (s *slowSender) Send(ctx context.Context, _ deliver.Request) (deliver.Sent, error) {
	<-ctx.Done()
	<-s.typed
	return deliver.Sent{}, nil
}

func TestCloseWaitsForRunningActs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		frames := make(chan keeper.Frame)
		slow := &slowSender{typed: make(chan struct{})}
		e := &Effects{ctx: ctx, fleet: services{sender: slow}, live: keeper.Stream{Frames: frames}}
		go e.Do(intent.Send{Text: "x"})()
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
		if msg := e.Do(intent.Send{Text: "y"})(); msg != nil {
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
