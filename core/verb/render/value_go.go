package render

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"cupola/core"
)

// builder turns Go values of one type into the document model. The result equals the output of encoding/json, but for
// two rules of all answers: a time is RFC 3339 UTC in whole seconds, empty if it is zero, and a list or an object is
// never null. It fails with ErrDepth, ErrSize, or the error of a Marshaler.
type builder func(b *building, v reflect.Value, depth int) (any, error)

// building is a document that is being built.
type building struct {
	// size is about how many bytes it takes so far.
	size int
}

// builders caches the builder of each type, by reflect.Type.
var builders sync.Map

func builderOf(t reflect.Type) builder {
	if known, ok := builders.Load(t); ok {
		return known.(builder) //nolint:errcheck // it holds nothing else
	}
	made := newBuilder(t, nil)
	builders.Store(t, made)
	return made
}

var timeType = reflect.TypeFor[time.Time]()

// newBuilder makes the builder of a type. Within are the types that contain t.
func newBuilder(t reflect.Type, within []reflect.Type) builder {
	switch {
	case t == timeType:
		return buildTime
	case t == objectType || t.Kind() == reflect.Interface:
		return buildAny
	case writesItself(t):
		return buildForeign
	case slices.Contains(within, t):
		return func(b *building, v reflect.Value, depth int) (any, error) { return builderOf(t)(b, v, depth) }
	}
	within = append(slices.Clip(within), t)
	switch kind := t.Kind(); kind {
	case reflect.Bool:
		return buildBool
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return buildInt
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return buildUint
	case reflect.String:
		return buildString
	case reflect.Struct:
		if s := newStruct(t, within); s != nil {
			return s.build
		}
	case reflect.Slice, reflect.Array:
		if t.Elem().Kind() != reflect.Uint8 {
			return listBuilder(newBuilder(t.Elem(), within))
		}
	case reflect.Map:
		if t.Key().Kind() == reflect.String && !writesItself(t.Key()) {
			return mapBuilder(newBuilder(t.Elem(), within))
		}
	case reflect.Pointer:
		if t.Elem() == timeType || !writesItself(t.Elem()) {
			return pointerBuilder(newBuilder(t.Elem(), within))
		}
	}
	return buildForeign
}

// writesItself says that t has a say in how its values are written. Only types with a name have methods.
func writesItself(t reflect.Type) bool {
	pointer := reflect.PointerTo(t)
	return t.Name() != "" && t.PkgPath() != "" &&
		(pointer.Implements(marshalerType) || pointer.Implements(textMarshalerType)) || t == numberType
}

func buildTime(b *building, v reflect.Value, _ int) (any, error) {
	at, _ := v.Interface().(time.Time)
	return b.text(core.Stamp(at))
}

func buildAny(b *building, v reflect.Value, depth int) (any, error) {
	return b.value(v.Interface(), depth)
}

func buildForeign(b *building, v reflect.Value, depth int) (any, error) {
	if v.CanAddr() { // methods of the pointer count then
		v = v.Addr()
	}
	return b.foreign(v.Interface(), depth)
}

func buildBool(_ *building, v reflect.Value, _ int) (any, error) { return v.Bool(), nil }

func buildInt(b *building, v reflect.Value, _ int) (any, error) {
	return b.number(strconv.FormatInt(v.Int(), 10))
}

func buildUint(b *building, v reflect.Value, _ int) (any, error) {
	return b.number(strconv.FormatUint(v.Uint(), 10))
}

func buildString(b *building, v reflect.Value, _ int) (any, error) { return b.text(v.String()) }

func pointerBuilder(of builder) builder {
	return func(b *building, v reflect.Value, depth int) (any, error) {
		if v.IsNil() {
			return nil, nil
		}
		return of(b, v.Elem(), depth)
	}
}

func listBuilder(of builder) builder {
	return func(b *building, v reflect.Value, depth int) (_ any, err error) {
		list := make([]any, v.Len())
		for i := range list {
			if list[i], err = b.part(of, v.Index(i), depth); err != nil {
				return nil, err
			}
		}
		return list, nil
	}
}

func mapBuilder(of builder) builder {
	return func(b *building, v reflect.Value, depth int) (any, error) {
		keys := v.MapKeys()
		slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
		object := make(Object, 0, len(keys))
		for _, key := range keys {
			name, err := b.text(key.String())
			if err != nil {
				return nil, err
			}
			value, err := b.part(of, v.MapIndex(key), depth)
			if err != nil {
				return nil, err
			}
			object = append(object, Member{name, value})
		}
		return distinct(object), nil
	}
}

// part builds a value inside another one, which is at a depth.
func (b *building) part(of builder, v reflect.Value, depth int) (any, error) {
	if depth >= MaxDepth {
		return nil, ErrDepth
	}
	if err := b.grow(len(",")); err != nil {
		return nil, err
	}
	return of(b, v, depth+1)
}

// grow counts bytes that the document takes.
func (b *building) grow(bytes int) error {
	if b.size += bytes; b.size > MaxBytes {
		return ErrSize
	}
	return nil
}

// text returns a text for the document, in which each byte that is not UTF-8 is U+FFFD.
func (b *building) text(s string) (string, error) {
	if !utf8.ValidString(s) {
		s = string([]rune(s))
	}
	return s, b.grow(len(s) + len(`""`))
}

func (b *building) number(digits string) (any, error) {
	return json.Number(digits), b.grow(len(digits))
}

// value builds any value.
func (b *building) value(v any, depth int) (any, error) {
	if depth > MaxDepth {
		return nil, ErrDepth
	}
	switch v := v.(type) {
	case nil, bool:
		return v, b.grow(len("true"))
	case json.Number:
		if validNumber(string(v)) {
			return b.number(string(v))
		}
		return b.foreign(v, depth)
	case string:
		return b.text(v)
	case Object:
		return b.object(v, depth)
	case Documented:
		return b.object(v.Document(), depth)
	case []any:
		return listBuilder(buildAny)(b, reflect.ValueOf(v), depth)
	}
	return builderOf(reflect.TypeOf(v))(b, reflect.ValueOf(v), depth)
}

func (b *building) object(o Object, depth int) (any, error) {
	if depth >= MaxDepth && len(o) > 0 {
		return nil, ErrDepth
	}
	object := make(Object, len(o))
	for i, m := range o {
		key, err := b.text(m.Key)
		if err == nil {
			err = b.grow(len(":,"))
		}
		if err != nil {
			return nil, err
		}
		value, err := b.value(m.Value, depth+1)
		if err != nil {
			return nil, err
		}
		object[i] = Member{key, value}
	}
	return distinct(object), nil
}

// foreign builds what only encoding/json knows how to write. It has no limits of its own and would overflow the stack.
func (b *building) foreign(v any, depth int) (any, error) {
	if err := bounded(v); err != nil {
		return nil, err
	}
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, innermost(err)
	}
	data := bytes.TrimSuffix(text.Bytes(), []byte("\n"))
	if depth+measure(data).depth > MaxDepth {
		return nil, ErrDepth
	}
	if err := b.grow(len(data)); err != nil {
		return nil, err
	}
	return parse(data)
}

// structBuilder builds objects of structs of one type.
type structBuilder struct{ fields []field }

// field is a field of a struct, or of one that is embedded in it.
type field struct {
	index []int
	key   string
	// absent reports whether a value is left out.
	absent func(reflect.Value) bool
	build  builder
}

// newStruct returns nil for a struct that only encoding/json understands. A name means the field that Go selects by
// it: one takes the place of those of the same name in embedded structs.
func newStruct(t reflect.Type, within []reflect.Type) *structBuilder {
	s := &structBuilder{}
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
		s.fields = append(s.fields, field{f.Index, name, absent, newBuilder(f.Type, within)})
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

// empty reports whether omitempty leaves a value out.
func empty(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Slice, reflect.Array, reflect.Map:
		return v.Len() == 0
	case reflect.Struct:
		return false
	}
	return v.IsZero()
}

func (s *structBuilder) build(b *building, v reflect.Value, depth int) (any, error) {
	object := make(Object, 0, len(s.fields))
	for i := range s.fields {
		f := &s.fields[i]
		value := v.FieldByIndex(f.index)
		if f.absent(value) {
			continue
		}
		if err := b.grow(len(f.key) + len(`"":`)); err != nil {
			return nil, err
		}
		built, err := b.part(f.build, value, depth)
		if err != nil {
			return nil, err
		}
		object = append(object, Member{f.key, built})
	}
	return object, nil
}
