package render

import (
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"cupola/core"
)

// writer appends a Go value of one type. It writes what encoding/json writes, but for two rules that all answers
// share: a time is RFC 3339 UTC in whole seconds, empty if it is zero, and a list or an object is never null. Most
// answers are structs of such values, and encoding/json takes longer to learn their types than to write them.
type writer func(dst []byte, v reflect.Value, depth int) ([]byte, error)

// writers holds the writer of each type that was asked for.
var writers sync.Map

func writerOf(t reflect.Type) writer {
	if known, ok := writers.Load(t); ok {
		return known.(writer) //nolint:errcheck // it holds nothing else
	}
	w := newWriter(t, nil)
	writers.Store(t, w)
	return w
}

var timeType = reflect.TypeFor[time.Time]()

// newWriter makes the writer of a type. Within are the types that t is a part of.
func newWriter(t reflect.Type, within []reflect.Type) writer {
	switch {
	case t == timeType:
		return writeTime
	case t == objectType || t.Kind() == reflect.Interface:
		return writeAny
	case writesItself(t):
		return writeForeign
	case slices.Contains(within, t):
		return func(dst []byte, v reflect.Value, depth int) ([]byte, error) { return writerOf(t)(dst, v, depth) }
	}
	within = append(slices.Clip(within), t)
	switch kind := t.Kind(); kind {
	case reflect.Bool:
		return writeBool
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return writeInt
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return writeUint
	case reflect.String:
		return writeString
	case reflect.Struct:
		if s := newStruct(t, within); s != nil {
			return s.write
		}
	case reflect.Slice, reflect.Array:
		if t.Elem().Kind() != reflect.Uint8 {
			return listWriter(newWriter(t.Elem(), within))
		}
	case reflect.Map:
		if t.Key().Kind() == reflect.String && !writesItself(t.Key()) {
			return mapWriter(newWriter(t.Elem(), within))
		}
	case reflect.Pointer:
		if t.Elem() == timeType || !writesItself(t.Elem()) {
			return pointerWriter(newWriter(t.Elem(), within))
		}
	}
	return writeForeign
}

// writesItself says that t has a say in how its values are written. Only types with a name have methods.
func writesItself(t reflect.Type) bool {
	pointer := reflect.PointerTo(t)
	return t.Name() != "" && t.PkgPath() != "" &&
		(pointer.Implements(marshalerType) || pointer.Implements(textMarshalerType)) || t == numberType
}

func writeTime(dst []byte, v reflect.Value, _ int) ([]byte, error) {
	at, _ := v.Interface().(time.Time)
	return append(append(append(dst, '"'), core.Stamp(at)...), '"'), nil
}

func writeAny(dst []byte, v reflect.Value, depth int) ([]byte, error) {
	return appendJSON(dst, v.Interface(), depth)
}

func writeForeign(dst []byte, v reflect.Value, _ int) ([]byte, error) {
	if v.CanAddr() { // methods of the pointer count then
		v = v.Addr()
	}
	return appendForeign(dst, v.Interface())
}

func writeBool(dst []byte, v reflect.Value, _ int) ([]byte, error) {
	return strconv.AppendBool(dst, v.Bool()), nil
}

func writeInt(dst []byte, v reflect.Value, _ int) ([]byte, error) {
	return strconv.AppendInt(dst, v.Int(), 10), nil
}

func writeUint(dst []byte, v reflect.Value, _ int) ([]byte, error) {
	return strconv.AppendUint(dst, v.Uint(), 10), nil
}

func writeString(dst []byte, v reflect.Value, _ int) ([]byte, error) {
	return appendJSON(dst, v.String(), 0)
}

func pointerWriter(of writer) writer {
	return func(dst []byte, v reflect.Value, depth int) ([]byte, error) {
		if v.IsNil() {
			return append(dst, "null"...), nil
		}
		return of(dst, v.Elem(), depth)
	}
}

func listWriter(of writer) writer {
	return func(dst []byte, v reflect.Value, depth int) (_ []byte, err error) {
		dst = append(dst, '[')
		for i := range v.Len() {
			if i > 0 {
				dst = append(dst, ',')
			}
			if dst, err = part(of, dst, v.Index(i), depth); err != nil {
				return nil, err
			}
		}
		return append(dst, ']'), nil
	}
}

func mapWriter(of writer) writer {
	return func(dst []byte, v reflect.Value, depth int) (_ []byte, err error) {
		keys := v.MapKeys()
		slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
		dst = append(dst, '{')
		for i, key := range keys {
			if i > 0 {
				dst = append(dst, ',')
			}
			if dst, err = appendJSON(dst, key.String(), 0); err != nil {
				return nil, err
			}
			if dst, err = part(of, append(dst, ':'), v.MapIndex(key), depth); err != nil {
				return nil, err
			}
		}
		return append(dst, '}'), nil
	}
}

// part appends a value that is in another one at a depth, and keeps the limits.
func part(of writer, dst []byte, v reflect.Value, depth int) ([]byte, error) {
	switch {
	case depth >= MaxDepth:
		return nil, ErrDepth
	case len(dst) > MaxBytes:
		return nil, ErrSize
	}
	return of(dst, v, depth+1)
}

// structWriter writes structs of one type.
type structWriter struct{ fields []field }

// field is a field of a struct, or of one that is embedded in it.
type field struct {
	index []int
	key   []byte // in quotes, with its colon
	// absent reports whether a value is left out.
	absent func(reflect.Value) bool
	writer writer
}

// newStruct returns nil for a struct that only encoding/json understands. A name means the field that Go selects by
// it: one takes the place of those of the same name in embedded structs.
func newStruct(t reflect.Type, within []reflect.Type) *structWriter {
	s := &structWriter{}
	for _, f := range reflect.VisibleFields(t) {
		tag := f.Tag.Get("json")
		name, options, _ := strings.Cut(tag, ",")
		switch {
		case f.Anonymous && tag == "" && f.Type.Kind() == reflect.Struct && !writesItself(f.Type):
			continue
		case f.Anonymous:
			return nil
		case !f.IsExported() || tag == "-":
			continue
		case name == "":
			name = f.Name
		}
		absent := absence(options, f.Type)
		if absent == nil || !named(name) {
			return nil
		}
		s.fields = append(s.fields, field{f.Index, []byte(`"` + name + `":`), absent, newWriter(f.Type, within)})
	}
	return s
}

// named says that encoding/json takes name as it is.
func named(name string) bool {
	return strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == ""
}

// absence returns what the options of a tag leave out of values of a type; nil for options that only encoding/json
// understands.
func absence(options string, t reflect.Type) func(reflect.Value) bool {
	switch {
	case options == "":
		return func(reflect.Value) bool { return false }
	case options == "omitempty":
		return empty
	case options != "omitzero":
		return nil
	case t.Implements(zeroType) && t.Kind() != reflect.Pointer && t.Kind() != reflect.Interface:
		return func(v reflect.Value) bool {
			own, _ := v.Interface().(interface{ IsZero() bool })
			return own.IsZero()
		}
	}
	if _, own := reflect.PointerTo(t).MethodByName("IsZero"); own {
		return nil
	}
	return reflect.Value.IsZero
}

// empty is what omitempty leaves out.
func empty(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Slice, reflect.Array, reflect.Map:
		return v.Len() == 0
	case reflect.Struct:
		return false
	}
	return v.IsZero()
}

func (s *structWriter) write(dst []byte, v reflect.Value, depth int) (_ []byte, err error) {
	dst = append(dst, '{')
	for i := range s.fields {
		f := &s.fields[i]
		value := v.FieldByIndex(f.index)
		if f.absent(value) {
			continue
		}
		if dst[len(dst)-1] != '{' {
			dst = append(dst, ',')
		}
		if dst, err = part(f.writer, append(dst, f.key...), value, depth); err != nil {
			return nil, err
		}
	}
	return append(dst, '}'), nil
}
