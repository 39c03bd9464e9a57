package mcp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// The codes of JSON-RPC for what is no request.
const (
	parseError     = -32700
	invalidRequest = -32600
)

// lines is the input and output of one client, a message a line. A line that is no message is answered with an error
// and left out; the next one is read as usual.
type lines struct {
	in *bufio.Reader
	// rest holds the bytes of the last message that were not read yet.
	rest []byte

	mu  sync.Mutex // serialises lines of output
	out io.Writer
}

// checked is a transport over in and out that hears messages alone.
func checked(in io.ReadCloser, out io.WriteCloser) *mcp.IOTransport {
	l := &lines{in: bufio.NewReaderSize(in, maxBody), out: out}
	return &mcp.IOTransport{
		Reader: struct {
			io.Reader
			io.Closer
		}{l, in},
		Writer: struct {
			io.Writer
			io.Closer
		}{l, out},
	}
}

// Read returns the next lines that are messages.
func (l *lines) Read(p []byte) (int, error) {
	for len(l.rest) == 0 {
		line, err := l.in.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			err = l.skip()
			l.refuse(invalidRequest, "the message is longer than 4 MiB")
			line = nil
		}
		if text := bytes.TrimSpace(line); len(text) > 0 {
			if code, why := faultOf(text); code != 0 {
				l.refuse(code, why)
			} else {
				l.rest = append(append(l.rest[:0], text...), '\n')
				break // what ended the input is met at the next line
			}
		}
		if err != nil {
			return 0, err
		}
	}
	n := copy(p, l.rest)
	l.rest = l.rest[n:]
	return n, nil
}

// skip reads to the end of a line.
func (l *lines) skip() error {
	for {
		_, err := l.in.ReadSlice('\n')
		if !errors.Is(err, bufio.ErrBufferFull) {
			return err
		}
	}
}

// faultOf is the code and the reason why a line is no message, or messages; zero if it is.
func faultOf(text []byte) (int, string) {
	if !json.Valid(text) {
		return parseError, "the line is no JSON"
	}
	messages := []json.RawMessage{text}
	if text[0] == '[' {
		_ = json.Unmarshal(text, &messages) // it is valid
		if len(messages) == 0 {
			return invalidRequest, "the list of messages is empty"
		}
	}
	for _, message := range messages {
		var is struct {
			JSONRPC string          `json:"jsonrpc"`
			Method  string          `json:"method"`
			Params  json.RawMessage `json:"params"`
			Result  json.RawMessage `json:"result"`
			Error   json.RawMessage `json:"error"`
			ID      any             `json:"id"`
		}
		err := json.Unmarshal(message, &is)
		switch is.ID.(type) {
		case nil, string, float64:
		default:
			return invalidRequest, "the id is neither a text nor a number"
		}
		if err != nil || is.JSONRPC != "2.0" || is.Method == "" && is.Result == nil && is.Error == nil {
			return invalidRequest, "the line is no message of JSON-RPC 2.0"
		}
		if len(is.Params) > 0 && is.Params[0] != '{' && is.Params[0] != '[' && string(is.Params) != "null" {
			return invalidRequest, "params is neither an object nor a list"
		}
	}
	return 0, ""
}

// refuse answers a line that is no message. It has no id, since none can be read from it.
func (l *lines) refuse(code int, why string) {
	answer, _ := json.Marshal(map[string]any{
		"jsonrpc": "2.0", "id": nil, "error": map[string]any{"code": code, "message": why},
	}) // texts can always be encoded
	_, _ = l.Write(append(answer, '\n')) // a client that is gone ends the input, too
}

// Write writes whole lines.
func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.out.Write(p)
}
