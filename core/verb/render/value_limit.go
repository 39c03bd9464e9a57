package render

import (
	"encoding"
	"encoding/json"
	"reflect"
)

// goDepth bounds the nesting of Go values, where a pointer, an interface and a struct may make one level of JSON.
const goDepth = 4 * MaxDepth

var (
	objectType        = reflect.TypeFor[Object]()
	marshalerType     = reflect.TypeFor[json.Marshaler]()
	textMarshalerType = reflect.TypeFor[encoding.TextMarshaler]()
	numberType        = reflect.TypeFor[json.Number]()
	zeroType          = reflect.TypeFor[interface{ IsZero() bool }]()
)

// bounded returns ErrDepth or ErrSize for a value whose encoding would exhaust the stack or the memory.
func bounded(v any) error {
	b := bounds{open: map[reflect.Type]bool{}}
	b.walk(reflect.ValueOf(v), 0)
	return b.err
}

type bounds struct {
	// open holds the types whose values may nest without end, and those looked at that may not.
	open  map[reflect.Type]bool
	nodes int
	err   error
}

func (b *bounds) walk(v reflect.Value, depth int) {
	b.nodes++
	switch {
	case b.err != nil || !v.IsValid() || !b.endless(v.Type()):
		return
	case depth > goDepth:
		b.err = ErrDepth
		return
	case b.nodes > MaxBytes:
		b.err = ErrSize
		return
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		b.walk(v.Elem(), depth+1)
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			b.walk(v.Index(i), depth+1)
		}
	case reflect.Map:
		for entries := v.MapRange(); entries.Next(); {
			b.walk(entries.Value(), depth+1)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if encoded(v.Type().Field(i)) {
				b.walk(v.Field(i), depth+1)
			}
		}
	}
}

// endless says that t encloses itself or an interface, so that its values can nest deeper than the type shows.
func (b *bounds) endless(t reflect.Type) bool {
	if kind := t.Kind(); kind <= reflect.Complex128 || kind == reflect.String {
		return false
	}
	open, seen := b.open[t]
	if !seen {
		b.open[t] = true
		open = b.encloses(t)
		b.open[t] = open
	}
	return open
}

func (b *bounds) encloses(t reflect.Type) bool {
	switch kind := t.Kind(); {
	case kind == reflect.Interface || t == objectType:
		return true
	case t.Implements(marshalerType) || t.Implements(textMarshalerType):
		return false
	case kind == reflect.Pointer || kind == reflect.Slice || kind == reflect.Array || kind == reflect.Map:
		return b.endless(t.Elem())
	case kind == reflect.Struct:
		for i := range t.NumField() {
			if f := t.Field(i); encoded(f) && b.endless(f.Type) {
				return true
			}
		}
	}
	return false
}

// encoded says that encoding/json looks at the field; what it skips may well lead back to where it came from.
func encoded(f reflect.StructField) bool {
	return (f.IsExported() || f.Anonymous) && f.Tag.Get("json") != "-"
}

// extent is the size of valid JSON: its depth, and the most bytes that it fills when it is indented.
type extent struct {
	depth, indented int
}

func measure(data []byte) extent {
	depth := 0
	e := extent{indented: len(data)}
	for i := 0; i < len(data); i++ {
		switch data[i] {
		case '"':
			i += quotedLength(data[i:]) - 1
			continue
		case ':':
			e.indented += len(" ")
			continue
		case '{', '[':
			depth++
			e.depth = max(e.depth, depth)
		case '}', ']':
			depth--
		case ',':
		default:
			continue
		}
		e.indented += len("\n") + depth*len(indentation)
	}
	return e
}

// quotedLength returns the length of the string at the beginning of valid JSON, with its quotes.
func quotedLength(data []byte) int {
	i := 1
	for ; data[i] != '"'; i++ {
		if data[i] == '\\' {
			i++
		}
	}
	return i + 1
}
