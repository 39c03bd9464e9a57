package acp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// maxLine is the longest message that is read, in bytes.
const maxLine = 16 << 20

// message is a request, a notification or a response.
type message struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *WireError      `json:"error,omitempty"`
}

// WireError is an error as an agent reports it.
type WireError struct {
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data,omitempty"`
}

// The error codes that have a meaning.
const (
	CodeNoMethod     = -32601
	CodeAuthRequired = -32000
)

// Error returns the agent's words, with what its data adds to them.
func (e *WireError) Error() string {
	said := clean(e.Message, maxName)
	if more := detail(e.Data); more != "" && !strings.Contains(said, more) {
		said = strings.TrimSpace(said + ": " + more)
	}
	if said == "" {
		return fmt.Sprintf("error %d", e.Code)
	}
	return said
}

// detail returns the words in the data of an error; empty if it has none.
func detail(data json.RawMessage) string {
	var text string
	if json.Unmarshal(data, &text) == nil {
		return clean(text, maxName)
	}
	var fields struct {
		Details any
		Message string
		Error   any
	}
	decode(data, &fields)
	for _, value := range []any{fields.Details, fields.Message, fields.Error} {
		switch value := value.(type) {
		case string:
			if value != "" {
				return clean(value, maxName)
			}
		case map[string]any:
			if said, ok := value["message"].(string); ok {
				return clean(said, maxName)
			}
		}
	}
	return ""
}

// lines assembles messages from bytes that are cut at any place.
type lines struct {
	rest []byte
	// drop is true while the rest of a line that is too long is passed over.
	drop bool
}

// take calls line for each whole line, and long for each that is longer than maxLine.
func (l *lines) take(printed []byte, line func([]byte), long func()) {
	for {
		head, after, whole := bytes.Cut(printed, []byte{'\n'})
		if !whole {
			break
		}
		printed = after
		if !l.drop && len(l.rest)+len(head) > maxLine {
			long()
			l.drop = true
		}
		if !l.drop {
			if text := bytes.TrimSpace(append(l.rest, head...)); len(text) > 0 {
				line(text)
			}
		}
		l.rest, l.drop = nil, false
	}
	switch {
	case l.drop:
	case len(l.rest)+len(printed) > maxLine:
		l.rest, l.drop = nil, true
		long()
	default:
		l.rest = append(l.rest, printed...)
	}
}

// decode reads JSON leniently: fields of another type than expected stay empty.
func decode(text json.RawMessage, into any) {
	if len(text) > 0 {
		_ = json.Unmarshal(text, into)
	}
}

// encode writes JSON of values of this package, which always succeeds.
func encode(value any) json.RawMessage {
	text, err := json.Marshal(value)
	if err != nil {
		panic(fmt.Sprintf("acp: %v", err))
	}
	return text
}
