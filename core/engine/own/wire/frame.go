package wire

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Version is the version of this protocol. Two sides speak the lower of their versions. Fields may be added without a
// new version: a side that does not know them ignores them.
const Version = 1

// Oldest is the oldest version that is spoken too.
const Oldest = 1

// Kind is the kind of a frame.
type Kind byte

// The kinds of frames.
const (
	HelloFrame   Kind = 'h' // a Hello, first on both sides
	RequestFrame Kind = 'q' // a Request of the client
	ReplyFrame   Kind = 'r' // a Reply of the server
	ChangeFrame  Kind = 'c' // a Change, from the server to who watches
	OutputFrame  Kind = 'o' // bytes for the terminal of who attached
	InputFrame   Kind = 'i' // bytes that were typed there
)

// mostBody bounds a frame, in bytes.
const mostBody = 256 << 20

// headSize is the length of a frame's head: four bytes for the length of what follows, one for the kind.
const headSize = 5

// ErrFrame means that the other side does not speak this protocol.
var ErrFrame = errors.New("not the protocol of a terminal server")

// WriteFrame sends a frame in one write.
func WriteFrame(w io.Writer, kind Kind, body []byte) error {
	frame := make([]byte, headSize, headSize+len(body))
	binary.BigEndian.PutUint32(frame, uint32(len(body)+1)) //nolint:gosec // what is sent is not that long
	frame[headSize-1] = byte(kind)
	_, err := w.Write(append(frame, body...))
	return err
}

// WriteJSON sends a value in a frame.
func WriteJSON(w io.Writer, kind Kind, value any) error {
	body, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return WriteFrame(w, kind, body)
}

// ReadFrame reads a frame. It returns io.EOF at the end of the stream, and ErrFrame for what is no frame.
func ReadFrame(r *bufio.Reader) (Kind, []byte, error) { return readFrame(r, mostBody) }

func readFrame(r *bufio.Reader, most int) (Kind, []byte, error) {
	var head [headSize]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		if errors.Is(err, io.ErrUnexpectedEOF) {
			err = io.EOF
		}
		return 0, nil, err
	}
	length := int(binary.BigEndian.Uint32(head[:])) - 1
	if length < 0 || length > most {
		return 0, nil, fmt.Errorf("%w: a frame of %d bytes", ErrFrame, length)
	}
	// What was announced is allocated as it comes, so that a liar takes no memory.
	body := make([]byte, 0, min(length, 1<<16))
	for len(body) < length {
		part := min(length-len(body), max(cap(body)-len(body), 1<<16))
		at := len(body)
		body = append(body, make([]byte, part)...)
		if _, err := io.ReadFull(r, body[at:]); err != nil {
			return 0, nil, io.EOF
		}
	}
	return Kind(head[headSize-1]), body, nil
}

// mostHello bounds the first frame, in bytes: what is at the other end is not known before.
const mostHello = 64 << 10

// ReadHello reads the first frame.
func ReadHello(r *bufio.Reader, hello *Hello) error { return readJSON(r, HelloFrame, mostHello, hello) }

// ReadJSON reads a frame of a kind into a value.
func ReadJSON(r *bufio.Reader, kind Kind, value any) error { return readJSON(r, kind, mostBody, value) }

func readJSON(r *bufio.Reader, kind Kind, most int, value any) error {
	got, body, err := readFrame(r, most)
	if err != nil {
		return err
	}
	if got != kind {
		return fmt.Errorf("%w: a frame %q instead of %q", ErrFrame, string(got), string(kind))
	}
	if err := json.Unmarshal(body, value); err != nil {
		return fmt.Errorf("%w: %w", ErrFrame, err)
	}
	return nil
}

// LockPath is the path of the file that is locked while a server runs on a socket.
func LockPath(socket string) string { return socket + ".lock" }

// CutFrame cuts the first frame from bytes of a stream. whole is false while it is not all there.
func CutFrame(stream []byte) (kind Kind, body, rest []byte, whole bool) {
	if len(stream) < headSize {
		return 0, nil, stream, false
	}
	end := headSize - 1 + int(binary.BigEndian.Uint32(stream))
	if end < headSize || len(stream) < end {
		return 0, nil, stream, false
	}
	return Kind(stream[headSize-1]), stream[headSize:end:end], stream[end:], true
}

// Listens is the line that a server prints for the process that starts it, once it accepts connections.
const Listens = "listens\n"
