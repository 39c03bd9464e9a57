package render

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"cupola/core"
)

// The bounds of a document. They guard the process against a value that was never meant to be printed.
const (
	// MaxDepth is how many arrays and objects may enclose one another.
	MaxDepth = 1000
	// MaxBytes is the most an encoded document may take, in any encoding.
	MaxBytes = 64 << 20
)

var (
	// ErrDepth says that arrays and objects nest deeper than [MaxDepth], or that a value contains itself.
	ErrDepth = errors.New("value is nested too deeply")
	// ErrSize says that a document takes more than [MaxBytes].
	ErrSize = errors.New("value is too large")
)

// Member is one key of an [Object] with its value.
type Member struct {
	Key   string
	Value any
}

// Object is a JSON object that keeps the order of its members. The nil Object is the empty object, in every encoding.
// Its values may be anything that encoding/json can encode; in a result of [Value] they belong to the model only.
type Object []Member

// Documented is a value that has its document already.
type Documented interface{ Document() Object }

// Get returns the value of key and whether the object has that key.
func (o Object) Get(key string) (any, bool) {
	if i := o.index(key); i >= 0 {
		return o[i].Value, true
	}
	return nil, false
}

// Set gives key the value: in its place if the object has the key, at the end if not.
func (o *Object) Set(key string, value any) {
	if i := o.index(key); i >= 0 {
		(*o)[i].Value = value
		return
	}
	*o = append(*o, Member{key, value})
}

// Text returns the text that is the value of key; empty for another value, or none.
func (o Object) Text(key string) string {
	value, _ := o.Get(key)
	text, _ := value.(string)
	return text
}

// Number returns the whole number that is the value of key in the document model; 0 for another value, or none.
func (o Object) Number(key string) uint64 {
	value, _ := o.Get(key)
	text, _ := value.(json.Number)
	number, _ := strconv.ParseUint(string(text), 10, 64)
	return number
}

// Objects returns the objects of the list that is the value of key.
func (o Object) Objects(key string) []Object {
	value, _ := o.Get(key)
	list, _ := value.([]any)
	var objects []Object
	for _, item := range list {
		if object, is := item.(Object); is {
			objects = append(objects, object)
		}
	}
	return objects
}

// MarshalJSON writes the members in their order. It fails with [ErrDepth] or [ErrSize].
func (o Object) MarshalJSON() ([]byte, error) {
	return Compact(o)
}

func (o Object) index(key string) int {
	return slices.IndexFunc(o, func(m Member) bool { return m.Key == key })
}

// Value returns v in the document model: nil, bool, [encoding/json.Number], string, []any or [Object], as encoding/json
// would write it: tags, Marshalers and json.RawMessage are honoured, and the order is kept. Two
// rules of all answers differ: a time is RFC 3339 UTC in whole seconds, empty if it is zero; a nil list is empty. A
// number keeps its text. Of a key that occurs twice, the last value takes the first one's place. Bytes that are not
// UTF-8 become U+FFFD. The result shares nothing with v that could change.
//
// It fails with [ErrDepth], [ErrSize] or the error of encoding/json.
func Value(v any) (any, error) {
	built, err := (&building{}).value(v, 0)
	if err != nil {
		return nil, fmt.Errorf("encode value: %w", err)
	}
	return built, nil
}

// Plain returns a value of the document model as maps and slices, with each number replaced by what number returns.
func Plain(v any, number func(json.Number) any) any {
	switch v := v.(type) {
	case json.Number:
		return number(v)
	case []any:
		return core.Map(v, func(a any) any { return Plain(a, number) })
	case Object:
		members := make(map[string]any, len(v))
		for _, m := range v {
			members[m.Key] = Plain(m.Value, number)
		}
		return members
	}
	return v
}
