// Package payload reads what an agent's hook reports: a JSON object that may be cut off.
package payload

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// Max is how much of a payload is read, in bytes. The rest is ignored.
const Max = 1 << 20

// Payload is a hook's report, whose nested levels are decoded only on demand.
type Payload struct {
	fields map[string]json.RawMessage
	texts  map[string]string
}

// Parse reads the fields of an object up to where it ends, is cut off or
// makes no sense.
func Parse(text []byte) *Payload {
	p := &Payload{fields: map[string]json.RawMessage{}, texts: map[string]string{}}
	if len(text) > Max {
		text = text[:Max]
	}
	d := json.NewDecoder(bytes.NewReader(bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))))
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return p
	}
	for d.More() {
		key, err := d.Token()
		name, named := key.(string)
		if err != nil || !named {
			return p
		}
		var value json.RawMessage
		if d.Decode(&value) != nil {
			return p
		}
		p.fields[name] = value
	}
	return p
}

// First returns the text of the first path that has any.
func (p *Payload) First(paths []string) string {
	for _, path := range paths {
		if text := p.Text(path); text != "" {
			return text
		}
	}
	return ""
}

// Text returns the value at a path of names parted by dots: a string as it is,
// anything else as compact JSON, and nothing for what is absent or empty.
func (p *Payload) Text(path string) string {
	if text, known := p.texts[path]; known {
		return text
	}
	name, rest, _ := strings.Cut(path, ".")
	text := textAt(p.fields[name], rest)
	p.texts[path] = text
	return text
}

// String returns the value at a path if it is a string; false for anything else.
func (p *Payload) String(path string) (text string, is bool) {
	name, rest, _ := strings.Cut(path, ".")
	err := json.Unmarshal(valueAt(p.fields[name], rest), &text)
	return text, err == nil
}

// Fields returns the names of the fields of the object at a path, in no order; none if it is no object.
func (p *Payload) Fields(path string) []string {
	name, rest, _ := strings.Cut(path, ".")
	var object map[string]json.RawMessage
	if json.Unmarshal(valueAt(p.fields[name], rest), &object) != nil {
		return nil
	}
	return slices.Collect(maps.Keys(object))
}

// valueAt returns the value at a path below another; nil for none.
func valueAt(value json.RawMessage, path string) json.RawMessage {
	for path != "" {
		var object map[string]json.RawMessage
		if json.Unmarshal(value, &object) != nil {
			return nil
		}
		var name string
		name, path, _ = strings.Cut(path, ".")
		value = object[name]
	}
	return value
}

func textAt(value json.RawMessage, path string) string {
	value = valueAt(value, path)
	if len(value) > 0 && value[0] == '"' {
		var text string
		_ = json.Unmarshal(value, &text) // the decoder has read it before
		return text
	}
	var compact bytes.Buffer
	if json.Compact(&compact, value) != nil {
		return ""
	}
	switch text := compact.String(); text {
	case "null", "[]", "{}":
		return ""
	default:
		return text
	}
}
