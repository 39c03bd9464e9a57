package render

import (
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// plan is how values of a plain type are written: one of structs, slices, pointers, strings, numbers and booleans, none
// of which writes itself. Most answers are plain, and encoding/json takes longer to learn their
// types than to write them.
type plan struct {
	kind reflect.Kind
	// fields are those of a struct.
	fields []planned
	// of is the plan of what a slice, array or pointer holds.
	of *plan
}

// planned is a field of a struct.
type planned struct {
	index     []int
	key       string // in quotes, with its colon
	omitEmpty bool
	omitZero  bool
	plan      *plan
}

// plans holds the plan of each type that was asked for, nil for those that are not plain.
var plans sync.Map

func planOf(t reflect.Type) *plan {
	if known, ok := plans.Load(t); ok {
		return known.(*plan) //nolint:errcheck // it holds nothing else
	}
	p := newPlan(t, nil)
	plans.Store(t, p)
	return p
}

var numberType = reflect.TypeFor[json.Number]()

// newPlan returns nil for a type that is not plain. Within are the types that t is a part of.
func newPlan(t reflect.Type, within []reflect.Type) *plan {
	if writesItself(t) || slices.Contains(within, t) {
		return nil
	}
	p := &plan{kind: t.Kind()}
	switch {
	case p.kind <= reflect.Uint64, p.kind == reflect.Float64, p.kind == reflect.String && t != numberType:
		return p
	case p.kind == reflect.Struct && p.addFields(t, nil, append(within, t)):
		return p
	case p.kind == reflect.Slice || p.kind == reflect.Array || p.kind == reflect.Pointer:
		if t.Elem().Kind() != reflect.Uint8 {
			p.of = newPlan(t.Elem(), append(within, t))
		}
		if p.of != nil {
			return p
		}
	}
	return nil
}

// writesItself says that t has a say in how its values are written. Only types with a name have methods.
func writesItself(t reflect.Type) bool {
	pointer := reflect.PointerTo(t)
	return t.Name() != "" && t.PkgPath() != "" &&
		(pointer.Implements(marshalerType) || pointer.Implements(textMarshalerType))
}

// addFields adds the fields of t, which lies at a path in the plan's type, with those of structs embedded in it, and
// reports whether all are plain and have names of their own.
func (p *plan) addFields(t reflect.Type, path []int, within []reflect.Type) bool {
	for i := range t.NumField() {
		f := t.Field(i)
		tag, at := f.Tag.Get("json"), append(slices.Clip(path), i)
		if f.Anonymous {
			if tag != "" || f.Type.Kind() != reflect.Struct || writesItself(f.Type) ||
				!p.addFields(f.Type, at, append(within, f.Type)) {
				return false
			}
			continue
		}
		if !f.IsExported() || tag == "-" {
			continue
		}
		name, options, _ := strings.Cut(tag, ",")
		if name == "" {
			name = f.Name
		}
		field := planned{
			index: at, key: `"` + name + `":`, omitEmpty: options == "omitempty", omitZero: options == "omitzero",
			plan: newPlan(f.Type, within),
		}
		if field.omitZero && hasIsZero(f.Type) {
			return false
		}
		if field.plan == nil || options != "" && !field.omitEmpty && !field.omitZero || !named(name) ||
			p.has(field.key) {
			return false
		}
		p.fields = append(p.fields, field)
	}
	return true
}

// hasIsZero says that t itself tells which of its values are zero.
func hasIsZero(t reflect.Type) bool {
	_, own := reflect.PointerTo(t).MethodByName("IsZero")
	return own
}

// named says that encoding/json takes name as it is.
func named(name string) bool {
	return strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == ""
}

func (p *plan) has(key string) bool {
	for i := range p.fields {
		if p.fields[i].key == key {
			return true
		}
	}
	return false
}

// append appends a value of the plan's type as encoding/json would write it.
func (p *plan) append(dst []byte, v reflect.Value) ([]byte, error) {
	switch p.kind {
	case reflect.Bool:
		return strconv.AppendBool(dst, v.Bool()), nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return strconv.AppendInt(dst, v.Int(), 10), nil
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return strconv.AppendUint(dst, v.Uint(), 10), nil
	case reflect.String:
		return appendJSON(dst, v.String(), 0)
	case reflect.Struct:
		return p.appendStruct(dst, v)
	case reflect.Array:
		return p.appendItems(dst, v)
	case reflect.Slice:
		if !v.IsNil() {
			return p.appendItems(dst, v)
		}
	case reflect.Pointer:
		if !v.IsNil() {
			return p.of.append(dst, v.Elem())
		}
	default:
		return appendForeign(dst, v.Interface())
	}
	return append(dst, "null"...), nil
}

func (p *plan) appendStruct(dst []byte, v reflect.Value) (_ []byte, err error) {
	dst = append(dst, '{')
	for i := range p.fields {
		field := &p.fields[i]
		value := v.FieldByIndex(field.index)
		if field.omitEmpty && empty(value) || field.omitZero && value.IsZero() {
			continue
		}
		if dst[len(dst)-1] != '{' {
			dst = append(dst, ',')
		}
		if dst, err = field.plan.append(append(dst, field.key...), value); err != nil {
			return nil, err
		}
	}
	return append(dst, '}'), nil
}

func (p *plan) appendItems(dst []byte, v reflect.Value) (_ []byte, err error) {
	dst = append(dst, '[')
	for i := range v.Len() {
		if i > 0 {
			dst = append(dst, ',')
		}
		if dst, err = p.of.append(dst, v.Index(i)); err != nil {
			return nil, err
		}
		if len(dst) > MaxBytes {
			return nil, ErrSize
		}
	}
	return append(dst, ']'), nil
}

// empty is what omitempty leaves out.
func empty(v reflect.Value) bool {
	if kind := v.Kind(); kind == reflect.Slice || kind == reflect.Array {
		return v.Len() == 0
	}
	return v.Kind() != reflect.Struct && v.IsZero()
}
