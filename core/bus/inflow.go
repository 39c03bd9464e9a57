package bus

import (
	"errors"
	"io"
	"sync"
)

// errFlood is the end of a stream whose other end sends faster than it is read.
var errFlood = errors.New("too much is sent at once")

// inflow is a stream of bytes that came in messages and were not read yet. Its reader waits; its writer never does.
type inflow struct {
	most int

	mu    sync.Mutex
	news  sync.Cond
	bytes []byte
	err   error
}

// newInflow returns a stream that holds a number of bytes at most.
func newInflow(most int) *inflow {
	f := &inflow{most: most}
	f.news.L = &f.mu
	return f
}

// add takes bytes in. A stream that holds too much ends.
func (f *inflow) add(more []byte) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err == nil && len(f.bytes)+len(more) > f.most {
		f.err = errFlood
	}
	if f.err == nil {
		f.bytes = append(f.bytes, more...)
	}
	f.news.Broadcast()
}

// end ends the stream once what came is read; the first reason counts.
func (f *inflow) end(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err == nil {
		f.err = err
	}
	f.news.Broadcast()
}

// ended is why the stream has ended; nil if it has not.
func (f *inflow) ended() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.err
}

// Read reads what came, and waits for it.
func (f *inflow) Read(into []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for len(f.bytes) == 0 {
		if f.err != nil {
			return 0, f.err
		}
		f.news.Wait()
	}
	n := copy(into, f.bytes)
	f.bytes = f.bytes[n:]
	if len(f.bytes) == 0 {
		f.bytes = nil
	}
	return n, nil
}

var _ io.Reader = (*inflow)(nil)
