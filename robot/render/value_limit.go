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
)

// bounded returns ErrDepth or ErrSize for a value whose encoding would exhaust the stack or the memory.
func bounded(v any) error {
	b := bounds{}
	b.walk(reflect.ValueOf(v), 0)
	return b.err
}

type bounds struct {
	nodes int
	err   error
}

func (b *bounds) walk(v reflect.Value, depth int) {
	b.nodes++
	switch {
	case b.err != nil || !v.IsValid():
		return
	case depth > goDepth:
		b.err = ErrDepth
		return
	case b.nodes > MaxBytes:
		b.err = ErrSize
		return
	case flat(v.Type()):
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
			if field := v.Field(i); !flat(field.Type()) && encoded(v.Type().Field(i)) {
				b.walk(field, depth+1)
			}
		}
	}
}

// encoded says that encoding/json looks at the field; what it skips may well lead back to where it came from.
func encoded(f reflect.StructField) bool {
	return (f.IsExported() || f.Anonymous) && f.Tag.Get("json") != "-"
}

// flat says that a value of type t encloses no others as far as encoding/json is concerned.
func flat(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Pointer, reflect.Interface, reflect.Map, reflect.Struct:
		return t.Implements(marshalerType) || t.Implements(textMarshalerType)
	case reflect.Slice, reflect.Array:
		return t != objectType && (t.Implements(marshalerType) || t.Implements(textMarshalerType) || flat(t.Elem()))
	}
	return true
}

// extent is what valid JSON takes: how deep it nests, and how many bytes it fills at most when it is indented.
type extent struct {
	depth, indented int
}

func measure(data []byte) extent {
	depth, quoted := 0, false
	e := extent{indented: len(data)}
	for i := 0; i < len(data); i++ {
		switch c := data[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == ':':
			e.indented += len(" ")
		case c == ',':
			e.indented += len("\n") + depth*len(indentation)
		case c == '{' || c == '[':
			depth++
			e.depth = max(e.depth, depth)
			e.indented += len("\n") + depth*len(indentation)
		case c == '}' || c == ']':
			depth--
			e.indented += len("\n") + depth*len(indentation)
		}
	}
	return e
}
