package transcript

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"time"

	"cupola/core/system/plainfile"
)

// Records are read from their end in parts that grow until one holds the
// beginning of the last turn and a message, or is the most that is read at all.
const (
	firstPart = 256 << 10
	mostPart  = 16 << 20
)

// lineReader reads a record line by line.
type lineReader interface {
	// line takes one line in, and ignores what it does not understand.
	line(text []byte)
	// account returns the content of the lines, and whether they held the start of a turn.
	account() (Account, bool)
}

// reading is the state that all readers of lines have.
type reading struct {
	result  Account
	started bool
}

func (r *reading) account() (Account, bool) { return r.result, r.started }

// readerOf returns a new reader of a type.
func readerOf[T any, R interface {
	*T
	lineReader
}]() lineReader {
	return R(new(T))
}

// pieces returns the parts of a message that can be read; bare makes the only one of a bare string.
func pieces[T any](raw json.RawMessage, bare func(text string) T) []T {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return []T{bare(text)}
	}
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		return nil
	}
	found := make([]T, 0, len(list))
	for _, item := range list {
		var one T
		if json.Unmarshal(item, &one) == nil {
			found = append(found, one)
		}
	}
	return found
}

// readLines reads a record of lines with a new lineReader for each part.
// With whole it reads as much as is read at all.
func readLines(path string, whole bool, fresh func() lineReader) (account Account, err error) {
	err = fromEnd(path, time.Time{}, func(text []byte) bool {
		s := fresh()
		for line := range bytes.Lines(text) {
			s.line(line)
		}
		var started bool
		account, started = s.account()
		return started && !whole && (account.Turn.Message != "" || account.Earlier.Message != "")
	})
	return account, err
}

// fromEnd reads whole lines from the end of a record, more of them each time, until
// enough finds that they are. A record that was not written since a time is not
// read.
func fromEnd(path string, since time.Time, enough func(text []byte) bool) error {
	file, err := plainfile.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil || info.ModTime().Before(since) {
		return err
	}
	for part := int64(firstPart); ; part *= 8 {
		from := max(0, info.Size()-min(part, mostPart))
		text, err := io.ReadAll(io.NewSectionReader(file, from, info.Size()-from))
		if err != nil {
			return err
		}
		if from > 0 {
			_, text, _ = bytes.Cut(text, []byte("\n"))
		}
		if enough(text) || from == 0 || part >= mostPart {
			return nil
		}
	}
}

// moment reads a time as agents write it; the zero time for anything else.
func moment(text string) time.Time {
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return time.Time{}
	}
	return at.UTC()
}

// textOf returns the text in a JSON string, in an object's "text", "output" or
// "content", or in a list of those, joined with newlines. Anything else is
// itself.
func textOf(raw json.RawMessage) string {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || string(raw) == "null" {
		return ""
	}
	switch raw[0] {
	case '"':
		var text string
		if json.Unmarshal(raw, &text) == nil {
			return text
		}
	case '[':
		var list []json.RawMessage
		if json.Unmarshal(raw, &list) == nil {
			var texts []string
			for _, item := range list {
				if text := textOf(item); text != "" {
					texts = append(texts, text)
				}
			}
			return strings.Join(texts, "\n")
		}
	case '{':
		var object struct{ Text, Output, Content json.RawMessage }
		if json.Unmarshal(raw, &object) == nil {
			for _, part := range []json.RawMessage{object.Text, object.Output, object.Content} {
				if text := textOf(part); text != "" {
					return text
				}
			}
		}
	}
	return string(raw)
}

// inputOf is a tool's input as it is kept.
func inputOf(raw json.RawMessage) string {
	if bytes.HasPrefix(bytes.TrimSpace(raw), []byte(`"`)) {
		return cut(textOf(raw))
	}
	return cut(string(raw))
}
