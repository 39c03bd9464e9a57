package host

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"cupola/core"
)

// frameMost is the longest frame that is read, in bytes.
const frameMost = 64 << 20

// readFrame reads a frame: a line with an object in which no key occurs twice, as readers of JSON differ in which of
// the two counts.
func readFrame(in *bufio.Reader) (*Response, error) {
	var line []byte
	for {
		part, err := in.ReadSlice('\n')
		if len(line)+len(part) > frameMost {
			return nil, fmt.Errorf("a frame has more than %d MB", frameMost>>20)
		}
		line = append(line, part...)
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case err != nil:
			return nil, err
		case len(bytes.TrimSpace(line)) > 0:
			response := &Response{}
			if err := json.Unmarshal(line, response); err != nil {
				return nil, core.Errorf(core.DecodeFailed, "a frame cannot be read: %w", err)
			}
			return response, checkKeys(line)
		default:
			line = line[:0]
		}
	}
}

// checkKeys returns an error if an object anywhere in valid JSON has a key twice.
func checkKeys(text []byte) error {
	var open []map[string]bool // nil is a list
	key := false               // the next text is a key
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '{':
			open, key = append(open, map[string]bool{}), true
		case '[':
			open, key = append(open, nil), false
		case '}', ']':
			open = open[:len(open)-1]
		case ',':
			key = open[len(open)-1] != nil
		case '"':
			end := endOfText(text, i)
			if key {
				name, err := nameOf(text[i:end])
				if err != nil {
					return err
				}
				in := open[len(open)-1]
				if in[name] {
					return core.Errorf(core.DecodeFailed, "a frame has the key %q twice", core.Cut(name))
				}
				in[name] = true
			}
			key, i = false, end-1
		}
	}
	return nil
}

// endOfText is the place behind the text that begins with the quote at a place.
func endOfText(text []byte, at int) int {
	for i := at + 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(text)
}

// nameOf is a key as its reader has it.
func nameOf(quoted []byte) (string, error) {
	if bytes.IndexByte(quoted, '\\') < 0 {
		return string(bytes.ToValidUTF8(quoted[1:len(quoted)-1], []byte("\uFFFD"))), nil
	}
	var name string
	err := json.Unmarshal(quoted, &name)
	return name, err
}
