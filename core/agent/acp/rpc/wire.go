package rpc

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"cupola/core/term/cells"
)

// maxLine is the longest message that is read, in bytes.
const maxLine = 16 << 20

// maxWords bounds texts of errors, in bytes.
const maxWords = 2 << 10

// Message is a request, a notification or a response.
type Message struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *Error          `json:"error,omitempty"`
}

// Error is an error as the other side reports it.
type Error struct {
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data,omitempty"`
}

// The error codes that have a meaning.
const (
	CodeNoMessage    = -32700
	CodeNoRequest    = -32600
	CodeNoMethod     = -32601
	CodeNoParams     = -32602
	CodeInternal     = -32603
	CodeAuthRequired = -32000
)

// Error returns its words, with what its data adds to them.
func (e *Error) Error() string {
	said := Line(e.Message, maxWords)
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
		return Line(text, maxWords)
	}
	var fields struct {
		Details any
		Message string
		Error   any
	}
	Decode(data, &fields)
	for _, value := range []any{fields.Details, fields.Message, fields.Error} {
		switch value := value.(type) {
		case string:
			if value != "" {
				return Line(value, maxWords)
			}
		case map[string]any:
			if said, ok := value["message"].(string); ok {
				return Line(said, maxWords)
			}
		}
	}
	return ""
}

// Line returns a foreign text as one line without control characters, shortened to most bytes.
func Line(text string, most int) string {
	return cells.Clean(strings.Join(strings.Fields(Shorten(text, most)), " "))
}

// Shorten cuts a text at most bytes, and marks the cut.
func Shorten(text string, most int) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
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

// Decode reads JSON leniently: fields of another type than expected stay empty.
func Decode(text json.RawMessage, into any) {
	if len(text) > 0 {
		_ = json.Unmarshal(text, into)
	}
}

// encode writes JSON of values that always can be.
func encode(value any) json.RawMessage {
	text, err := json.Marshal(value)
	if err != nil {
		panic(fmt.Sprintf("rpc: %v", err))
	}
	return text
}
