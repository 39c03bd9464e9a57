package render

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
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

// Members is an object as compact JSON. As the value of a [Member] without a key, its members are
// in that one's place.
// It saves an answer that is only framed from being read back; what looks into a document needs an [Object].
type Members []byte

// Encode returns the members of v, which encoding/json writes as an object; anything else has none. It fails with
// [ErrDepth], [ErrSize] or the error of encoding/json.
func Encode(v any) (Members, error) {
	data, err := appendJSON(nil, v, 0)
	if err != nil {
		return nil, fmt.Errorf("encode members: %w", err)
	}
	if data[0] != '{' {
		return Members("{}"), nil
	}
	return data, nil
}

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
	return compact(o)
}

func (o Object) index(key string) int {
	return slices.IndexFunc(o, func(m Member) bool { return m.Key == key })
}

// Value returns v in the document model: nil, bool, [encoding/json.Number], string, []any or [Object]. It encodes v as
// encoding/json would, so tags, Marshalers and json.RawMessage are honoured, and reads the result back in order. Two
// rules of all answers differ: a time is RFC 3339 UTC in whole seconds, empty if it is zero; a nil list is empty. A
// number keeps its text. Of a key that occurs twice, the last value takes the first one's place. Bytes that are not
// UTF-8 become U+FFFD. The result shares nothing with v that could change.
//
// It fails with [ErrDepth], [ErrSize] or the error of encoding/json.
func Value(v any) (any, error) {
	data, err := compact(v)
	if err != nil {
		return nil, fmt.Errorf("encode value: %w", err)
	}
	return parse(data)
}
