package wire

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"cupola/core/engine"
)

// say is a message of a server, its numbers in the host's order before the text.
func say(k kind, text string, numbers ...uint32) []byte {
	var body []byte
	for _, n := range numbers {
		body = order.AppendUint32(body, n)
	}
	return appendMessage(nil, k, append(body, text...))
}

// hear returns what a client makes of these messages, and what it answers.
func hear(messages ...[]byte) (Result, []part, error) {
	return hearFrom(bytes.NewReader(slices.Concat(messages...)))
}

func hearFrom(from io.Reader) (Result, []part, error) {
	var to bytes.Buffer
	result, err := readReply(bufio.NewReaderSize(from, 2*maxMessage), &to)
	var answers []part
	for b := to.Bytes(); len(b) >= headerSize+8; b = b[headerSize+8:] {
		answers = append(answers, part{order.Uint32(b), b[headerSize : headerSize+8]})
	}
	if len(answers)*(headerSize+8) != to.Len() {
		panic("an answer of another size would end the server")
	}
	return result, answers, err
}

func TestReplies(t *testing.T) {
	open := func(stream, fd uint32) []byte { return say(msgWriteOpen, "", stream, fd, 0) }
	const none = 1<<32 - 1
	for name, c := range map[string]struct {
		messages [][]byte
		want     Result
		answers  []part
	}{
		"nothing":    {[][]byte{say(msgExit, "")}, Result{}, nil},
		"status":     {[][]byte{say(msgExit, "", 3)}, Result{Exit: 3}, nil},
		"bad status": {[][]byte{say(msgExit, "", none)}, Result{Exit: -1}, nil},
		"end":        {[][]byte{say(msgShutdown, "")}, Result{}, nil},
		"farewell": {
			[][]byte{say(msgExit, "too far behind\x00", 1)},
			Result{Stderr: []byte("too far behind\n"), Exit: 1},
			nil,
		},
		"both streams": {
			[][]byte{
				open(1, 1), say(msgWrite, "a", 1), open(2, 2), say(msgWrite, "b", 2), say(msgWrite, "c", 1),
				say(msgExit, "", 0),
			},
			Result{Stdout: []byte("ac"), Stderr: []byte("b")},
			[]part{ready(1, 0), ready(2, 0)},
		},
		"a descriptor serves once": {
			[][]byte{open(5, 1), say(msgWrite, "a", 5), say(msgWriteClose, "", 5), open(6, 1), say(msgExit, "", 1)},
			Result{Stdout: []byte("a"), Exit: 1},
			[]part{ready(5, 0), ready(6, 9)},
		},
		"files": {
			[][]byte{
				say(msgWriteOpen, "/etc/x\x00", 7, none, 0), say(msgReadOpen, "/etc/y\x00", 8, none),
				say(msgReadOpen, "-\x00", 9, 0), say(msgExit, "", 1),
			},
			Result{Exit: 1},
			[]part{ready(7, 1), {302, []byte{8, 0, 0, 0, 1, 0, 0, 0}}, {302, []byte{9, 0, 0, 0, 9, 0, 0, 0}}},
		},
		"what can be ignored": {
			[][]byte{say(msgFlags, "", 0, 0), say(msgReadCancel, "", 3), say(msgExit, "", 0)},
			Result{},
			nil,
		},
	} {
		got, answers, err := hear(c.messages...)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		same(t, []string{name}, got, c.want)
		if !slices.EqualFunc(answers, c.answers,
			func(a, b part) bool { return a.kind == b.kind && bytes.Equal(a.body, b.body) }) {
			t.Errorf("%s: answered %v, want %v", name, answers, c.answers)
		}
	}
}

// ready is the answer to a server that wants to print.
func ready(stream, errno byte) part {
	return part{305, []byte{stream, 0, 0, 0, errno, 0, 0, 0}}
}

func TestBadReplies(t *testing.T) {
	old := say(msgVersion, "")
	old[8] = 7
	alien := say(msgExit, "", 0)
	alien[8] = 9
	descriptor := say(msgExit, "", 0)
	descriptor[6] = 1
	small := say(msgExit, "")
	small[4] = 15
	open := say(msgWriteOpen, "", 1, 1, 0)
	for name, c := range map[string]struct {
		reply []byte
		want  error
	}{
		"other protocol":          {old, ErrVersion},
		"other protocol, unasked": {alien, ErrProtocol},
		"descriptor":              {descriptor, ErrProtocol},
		"size below a header":     {small, ErrProtocol},
		"size above a message":    {appendMessage(nil, msgWrite, make([]byte, maxBody+1)), ErrProtocol},
		"text in another form":    {[]byte("HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n"), ErrProtocol},
		"zeros":                   {make([]byte, 64), ErrProtocol},
		"unknown message":         {say(999, ""), ErrProtocol},
		"being attached":          {say(207, ""), ErrProtocol},
		"half a status":           {appendMessage(nil, msgExit, []byte{0, 0}), ErrProtocol},
		"text for no stream":      {say(msgWrite, "a", 1), ErrProtocol},
		"close of no stream":      {say(msgWriteClose, "", 1), ErrProtocol},
		"stream opened twice":     {slices.Concat(open, open), ErrProtocol},
		"access":                  {say(msgExit, "access not allowed\x00", 0), engine.ErrDenied},
		"nothing":                 {nil, io.EOF},
		"half a header":           {say(msgExit, "")[:7], io.EOF},
		"half a body":             {say(msgExit, "", 0)[:18], io.EOF},
	} {
		if _, _, err := hear(c.reply); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
}

// endless repeats one message for ever.
type endless struct{ message, rest []byte }

func (e *endless) Read(b []byte) (int, error) {
	if len(e.rest) == 0 {
		e.rest = e.message
	}
	n := copy(b, e.rest)
	e.rest = e.rest[n:]
	return n, nil
}

func TestOutputIsBounded(t *testing.T) {
	flood := &endless{message: say(msgWrite, strings.Repeat("x", maxBody-4), 1)}
	_, _, err := hearFrom(io.MultiReader(bytes.NewReader(say(msgWriteOpen, "", 1, 1, 0)), flood))
	if !errors.Is(err, ErrOverflow) {
		t.Errorf("%v, want ErrOverflow", err)
	}
}

func FuzzReply(f *testing.F) {
	open := say(msgWriteOpen, "", 1, 1, 0)
	f.Add(slices.Concat(open, say(msgWrite, "text", 1), say(msgExit, "", 0)))
	f.Add(slices.Concat(say(msgReadOpen, "-\x00", 3, 0), say(msgExit, "bye\x00", 1)))
	f.Add(slices.Concat(say(msgWriteOpen, "/x\x00", 4, 1<<32-1, 0), say(msgWriteClose, "", 4)))
	f.Add(slices.Concat(open, open))
	f.Add(say(msgVersion, ""))
	f.Add([]byte("SSH-2.0-OpenSSH_9.2\r\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		result, answers, err := hear(b)
		if printed := len(result.Stdout) + len(result.Stderr); printed > len(b)+1 {
			t.Errorf("%d bytes out of %d", printed, len(b))
		}
		for _, a := range answers {
			if a.kind != 302 && a.kind != 305 {
				t.Errorf("answered by message %d", a.kind)
			}
		}
		if err != nil && !isSentinel(err) && !errors.Is(err, io.EOF) {
			t.Errorf("not typed: %v", err)
		}
	})
}
