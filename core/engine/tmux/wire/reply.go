package wire

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"syscall"

	"cupola/core/engine"
)

// maxOutput is how many bytes a command may print, both streams together.
const maxOutput = 50 << 20

// Result is the result of a command.
type Result struct {
	// Stdout and Stderr hold the output that the tmux program would have printed.
	Stdout, Stderr []byte
	// Exit is the exit status of the tmux program: 0 for success.
	Exit int
}

// reply reads what a server says to one request and answers its questions.
type reply struct {
	from *bufio.Reader
	to   io.Writer
	// streams are standard output and error, by descriptor less one.
	streams [2]stream
	printed int
	result  Result
}

// stream is one of the two that a server may print to.
type stream struct {
	// A client closes a descriptor after it sent it, so each serves once.
	used, open bool
	id         uint32
	text       []byte
}

// readReply returns the result of a command, one of this package's sentinels, or
// the error with which from or to ended. from holds at least maxMessage bytes.
func readReply(from *bufio.Reader, to io.Writer) (Result, error) {
	r := &reply{from: from, to: to}
	for {
		head, body, err := r.next()
		if err != nil {
			return Result{}, err
		}
		done, err := r.handle(head, body)
		if err != nil {
			return Result{}, err
		}
		if _, err := r.from.Discard(int(head.size)); err != nil {
			return Result{}, err
		}
		if done {
			return r.result, nil
		}
	}
}

// next returns the next message. Its body is valid until it is discarded.
func (r *reply) next() (header, []byte, error) {
	b, err := r.from.Peek(headerSize)
	if err != nil {
		return header{}, nil, err
	}
	head := parseHeader(b)
	switch {
	case head.size < headerSize || head.size > maxMessage:
		return head, nil, fmt.Errorf("%w: message of %d bytes", ErrProtocol, head.size)
	case head.kind == msgVersion && head.size == headerSize:
		return head, nil, fmt.Errorf("%w: it speaks protocol %d", ErrVersion, head.version)
	case head.version != protocolVersion:
		return head, nil, fmt.Errorf("%w: protocol %d in message %d", ErrProtocol, head.version, head.kind)
	}
	b, err = r.from.Peek(int(head.size))
	if err != nil {
		return head, nil, err
	}
	return head, b[headerSize:], nil
}

// handle acts on one message and reports whether it was the last.
func (r *reply) handle(head header, body []byte) (bool, error) {
	if !wellFormed(head.kind, len(body)) {
		return false, fmt.Errorf("%w: message %d with %d bytes", ErrProtocol, head.kind, len(body))
	}
	switch head.kind {
	case msgExit, msgShutdown:
		return true, r.finish(body)
	case msgWriteOpen:
		return false, r.openStream(body)
	case msgWrite:
		return false, r.print(order.Uint32(body), body[4:])
	case msgWriteClose:
		return false, r.closeStream(order.Uint32(body))
	case msgReadOpen:
		return false, r.refuse(msgReadDone, body)
	}
	// What is left, new flags and a withdrawn question, asks nothing of us.
	return false, nil
}

// wellFormed reports whether a message of this kind can have a body of n bytes.
func wellFormed(k kind, n int) bool {
	switch k {
	case msgExit, msgShutdown:
		return n == 0 || n >= 4
	case msgFlags:
		return n == 8
	case msgReadOpen:
		return n >= 8
	case msgWriteOpen:
		return n >= 12
	case msgWrite:
		return n >= 4
	case msgWriteClose, msgReadCancel:
		return n == 4
	}
	return false
}

// openStream admits standard output and error and refuses files.
func (r *reply) openStream(body []byte) error {
	id, fd := order.Uint32(body), order.Uint32(body[4:])
	if r.find(id) != nil {
		return fmt.Errorf("%w: stream %d opened twice", ErrProtocol, id)
	}
	if fd != 1 && fd != 2 || r.streams[fd-1].used {
		return r.refuse(msgWriteReady, body)
	}
	s := &r.streams[fd-1]
	s.used, s.open, s.id = true, true, id
	_, err := r.to.Write(fileStatus(msgWriteReady, id, 0))
	return err
}

// refuse answers a question for a stream, which body begins with, by an error:
// a path may not be opened here, and any other descriptor is closed.
func (r *reply) refuse(k kind, body []byte) error {
	errno := syscall.EBADF
	if int32(order.Uint32(body[4:])) == -1 {
		errno = syscall.EPERM
	}
	_, err := r.to.Write(fileStatus(k, order.Uint32(body), uint32(errno)))
	return err
}

func (r *reply) print(id uint32, text []byte) error {
	s := r.find(id)
	if s == nil {
		return fmt.Errorf("%w: text for unknown stream %d", ErrProtocol, id)
	}
	if r.printed += len(text); r.printed > maxOutput {
		return fmt.Errorf("%w: more than %d bytes", ErrOverflow, maxOutput)
	}
	if need := len(s.text) + len(text); need > cap(s.text) {
		// append would grow large texts by a quarter only and copy them often. What is
		// made and never written to costs no memory.
		grown := make([]byte, len(s.text), max(4*len(s.text), need))
		copy(grown, s.text)
		s.text = grown
	}
	s.text = append(s.text, text...)
	return nil
}

func (r *reply) closeStream(id uint32) error {
	s := r.find(id)
	if s == nil {
		return fmt.Errorf("%w: unknown stream %d closed", ErrProtocol, id)
	}
	s.open = false
	return nil
}

// find returns the open stream with that id, or nil.
func (r *reply) find(id uint32) *stream {
	for i := range r.streams {
		if s := &r.streams[i]; s.open && s.id == id {
			return s
		}
	}
	return nil
}

// finish fills the result from the last message: an optional status and an optional
// text for standard error.
func (r *reply) finish(body []byte) error {
	r.result.Stdout, r.result.Stderr = r.streams[0].text, r.streams[1].text
	if len(body) >= 4 {
		r.result.Exit = int(int32(order.Uint32(body)))
	}
	if len(body) <= 4 {
		return nil
	}
	text, _, _ := bytes.Cut(body[4:], []byte{0})
	if string(text) == "access not allowed" {
		return fmt.Errorf("%w: %s", engine.ErrDenied, text)
	}
	r.result.Stderr = fmt.Appendf(r.result.Stderr, "%s\n", text)
	return nil
}
