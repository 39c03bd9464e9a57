// Package input reads the keyboard. It removes the replies of the terminal to queries
// (colours, versions, modes), because a late reply would be read as keys: ESC ] 11 ; rgb:...
// as alt+] and eleven letters.
package input

import (
	"bytes"
	"errors"
	"io"
	"os"
	"sync"
)

// ErrClosed reports that the terminal is gone. Bubble Tea would take io.EOF for the end of the input, and keep
// running.
var ErrClosed = errors.New("the terminal is closed")

// Reader is a terminal's input without the terminal's own replies. It may be used wherever
// an *os.File is read, by several goroutines in turn: after a handover of the terminal,
// Bubble Tea may start to read before its last reader has ended.
type Reader struct {
	*os.File
	// Pressed is called when keys have come; nil is not.
	Pressed func()

	mu sync.Mutex
	// rest is the beginning of an incomplete sequence.
	rest []byte
}

// New reads from a file.
func New(f *os.File) *Reader { return &Reader{File: f} }

// maxReply is the longest reply that is waited for, in bytes.
const maxReply = 1024

// Read returns keys only. It may return 0 bytes without an error if all input was a reply.
// At the end it returns ErrClosed.
func (r *Reader) Read(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.rest) >= len(p) {
		n := copy(p, r.rest)
		r.rest = r.rest[n:]
		return n, nil
	}
	n := copy(p, r.rest)
	m, err := r.File.Read(p[n:])
	kept, rest := strip(p[:n+m])
	r.rest = append([]byte(nil), rest...)
	if err != nil && len(r.rest) > 0 {
		kept, r.rest = append(kept, r.rest...), nil
	}
	if errors.Is(err, io.EOF) {
		err = ErrClosed
	}
	if len(kept) > 0 && r.Pressed != nil {
		r.Pressed()
	}
	return len(kept), err
}

// strip removes replies from b, in place, and returns the rest and an unfinished sequence at
// the end.
func strip(b []byte) (kept, rest []byte) {
	kept = b[:0]
	for len(b) > 0 {
		if b[0] != 0x1b {
			kept = append(kept, b[0])
			b = b[1:]
			continue
		}
		length, reply, whole := sequence(b)
		if !whole && reply && len(b) < maxReply {
			return kept, b
		}
		if !reply || !whole {
			kept = append(kept, b[:length]...)
		}
		b = b[length:]
	}
	return kept, nil
}

// sequence measures what begins with an escape: its length, whether it can only be a
// terminal's reply, and whether it is complete.
func sequence(b []byte) (length int, reply, whole bool) {
	if len(b) < 3 {
		return len(b), false, true
	}
	switch b[1] {
	case ']', 'P', '_', '^':
		// A keyboard sends these with alt and one more key at most.
		if b[1] == ']' && (b[2] < '0' || b[2] > '9') || b[1] == 'P' && bytes.IndexByte([]byte(">!10"), b[2]) < 0 {
			return 2, false, true
		}
		return text(b)
	case '[':
		return control(b)
	}
	return 2, false, true
}

// text measures a string sequence, which ends in BEL or ST.
func text(b []byte) (length int, reply, whole bool) {
	bell, st := bytes.IndexByte(b, 0x07), bytes.Index(b, []byte("\x1b\\"))
	switch {
	case bell >= 0 && (st < 0 || bell < st):
		return bell + 1, true, true
	case st >= 0:
		return st + 2, true, true
	}
	return len(b), true, false
}

// control measures a control sequence. Those that begin with "?" or ">" and end
// in c, n, u, y or R are replies.
func control(b []byte) (length int, reply, whole bool) {
	private := b[2] == '?' || b[2] == '>'
	for i := 2; i < len(b); i++ {
		if b[i] >= 0x40 && b[i] <= 0x7e {
			return i + 1, private && bytes.IndexByte([]byte("cnuyR"), b[i]) >= 0, true
		}
	}
	return len(b), private, false
}
