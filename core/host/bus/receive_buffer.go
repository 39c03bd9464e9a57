package bus

import (
	"errors"
	"io"
	"sync"
)

// errFlood is the end of a stream whose other end sends faster than it is read.
var errFlood = errors.New("too much is sent at once")

// receiveBuffer is a stream of bytes that came in messages and were not read yet. Its reader waits, its writer never.
type receiveBuffer struct {
	most int

	mu    sync.Mutex
	news  sync.Cond
	bytes []byte
	err   error
}

// newReceiveBuffer returns a stream that holds a number of bytes at most.
func newReceiveBuffer(most int) *receiveBuffer {
	f := &receiveBuffer{most: most}
	f.news.L = &f.mu
	return f
}

// add takes bytes in. A stream that holds too much ends.
func (f *receiveBuffer) add(more []byte) {
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
func (f *receiveBuffer) end(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err == nil {
		f.err = err
	}
	f.news.Broadcast()
}

// ended is why the stream has ended; nil if it has not.
func (f *receiveBuffer) ended() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.err
}

// Read reads what came, and waits for it.
func (f *receiveBuffer) Read(into []byte) (int, error) {
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

var _ io.Reader = (*receiveBuffer)(nil)
