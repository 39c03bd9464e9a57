package host

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// slow is a connection whose first frame reaches the other host, and whose caller gives up before that is known here.
type slow struct {
	io.Reader
	gone   func()
	frames []string
}

func (s *slow) Write(frame []byte) (int, error) {
	if s.frames = append(s.frames, string(frame)); len(s.frames) == 1 {
		s.gone()
		<-time.After(cancelSentWithin / 5)
	}
	return len(frame), nil
}

func (*slow) Close() error { return nil }

// TestACallThatMayHaveBeenSentIsCancelled gives a call up while its frame is on its way. The other host may have
// started it, so that the call is cancelled there too.
func TestACallThatMayHaveBeenSentIsCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		answers, ends := io.Pipe()
		ctx, stop := context.WithCancel(t.Context())
		pipe := &slow{Reader: answers, gone: stop}
		l := &Link{
			Host: &Host{Name: "there"}, pipe: pipe, calls: map[int]*call{}, ending: map[int]bool{},
			out: make(chan outgoing), lost: make(chan struct{}), users: 1,
		}
		go l.write()
		err := l.Call(ctx, Request{Verb: "kill", Key: "key"}, func(Response) error { return nil })
		synctest.Wait()
		if !errors.Is(err, context.Canceled) || len(pipe.frames) != 2 ||
			!strings.Contains(pipe.frames[1], `"cancel":true`) {
			t.Errorf("%v; sent %q", err, pipe.frames)
		}
		_ = ends.Close()
		l.Close()
	})
}
