package registry

import (
	"reflect"
	"slices"
	"strings"

	"cupola/core"
)

// qualify puts the name of a host in front of what an answer names, by the meanings of its fields, so that the caller
// on another host can use it.
func qualify(name string, answer any) any {
	if name == "" || answer == nil {
		return answer
	}
	value := reflect.New(reflect.TypeOf(answer)).Elem()
	value.Set(reflect.ValueOf(answer))
	(&qualifier{host: name, copies: map[place]reflect.Value{}}).walk(value)
	return value.Interface()
}

// qualifyError is qualify for a failure.
func qualifyError(name string, e *core.Error) *core.Error {
	if name == "" {
		return e
	}
	qualified := *e
	of := &qualified.Subject
	of.Session = session(name, of.Session)
	of.Panes = slices.Clone(of.Panes)
	for i := range of.Panes {
		of.Panes[i] = session(name, of.Panes[i])
	}
	qualified.Details = qualify(name, e.Details)
	return &qualified
}

// session qualifies the name of a session or the address of a pane; ids of panes stay.
func session(name, address string) string {
	if address == "" || strings.HasPrefix(address, "%") {
		return address
	}
	return core.OnHost(name, address)
}

// place is something that was walked: two parts of an answer may share it.
type place struct {
	pointer uintptr
	kind    reflect.Type
	length  int
}

// qualifier walks an answer, and copies what it changes: others may have it too.
type qualifier struct {
	host   string
	copies map[place]reflect.Value
}

// copied puts a copy in place of what a value points to, and reports whether that is yet to be walked.
func (q *qualifier) copied(value reflect.Value, length int, fresh func() reflect.Value) bool {
	at := place{value.Pointer(), value.Type(), length}
	before, was := q.copies[at]
	if !was {
		before = fresh()
		q.copies[at] = before
	}
	value.Set(before)
	return !was
}

func (q *qualifier) walk(value reflect.Value) {
	switch value.Kind() {
	case reflect.Pointer:
		if !value.IsNil() && value.CanSet() && q.copied(value, 0, func() reflect.Value {
			fresh := reflect.New(value.Type().Elem())
			fresh.Elem().Set(value.Elem())
			return fresh
		}) {
			q.walk(value.Elem())
		}
	case reflect.Slice:
		if value.IsNil() || !value.CanSet() || plain(value.Type().Elem().Kind()) || !q.copied(value, value.Len(),
			func() reflect.Value {
				fresh := reflect.MakeSlice(value.Type(), value.Len(), value.Len())
				reflect.Copy(fresh, value)
				return fresh
			}) {
			return
		}
		for i := range value.Len() {
			q.walk(value.Index(i))
		}
	case reflect.Array:
		for i := range value.Len() {
			q.walk(value.Index(i))
		}
	case reflect.Map:
		q.walkMap(value)
	case reflect.Interface:
		if !value.IsNil() && value.CanSet() {
			copied := reflect.New(value.Elem().Type()).Elem()
			copied.Set(value.Elem())
			q.walk(copied)
			value.Set(copied)
		}
	case reflect.Struct:
		for i := range value.NumField() {
			// What an embedded struct exports is part of the answer, whatever its type is called.
			if of := value.Type().Field(i); of.IsExported() || of.Anonymous {
				q.field(of, value.Field(i))
			}
		}
	}
}

// plain reports whether values of a kind hold no others.
func plain(kind reflect.Kind) bool {
	return kind >= reflect.Bool && kind <= reflect.Complex128 || kind == reflect.String
}

// walkMap walks the values of a map, which are replaced.
func (q *qualifier) walkMap(value reflect.Value) {
	if value.IsNil() || !value.CanSet() || !q.copied(value, value.Len(), func() reflect.Value {
		fresh := reflect.MakeMapWithSize(value.Type(), value.Len())
		for _, key := range value.MapKeys() {
			fresh.SetMapIndex(key, value.MapIndex(key))
		}
		return fresh
	}) {
		return
	}
	for _, key := range value.MapKeys() {
		copied := reflect.New(value.Type().Elem()).Elem()
		copied.Set(value.MapIndex(key))
		q.walk(copied)
		value.SetMapIndex(key, copied)
	}
}

// field walks a field of a struct, or qualifies the texts in it.
func (q *qualifier) field(of reflect.StructField, value reflect.Value) {
	means := meaningOf(of)
	put := func(text string) string { return session(q.host, text) }
	switch {
	case means == MeansCommand, means == MeansCommandLine:
		put = func(text string) string { return CommandOn(q.host, text) }
	case !means.qualifies():
		q.walk(value)
		return
	}
	switch {
	case !value.CanSet():
	case value.Kind() == reflect.String:
		value.SetString(put(value.String()))
	case value.Kind() == reflect.Slice && value.Type().Elem().Kind() == reflect.String && !value.IsNil():
		fresh := reflect.MakeSlice(value.Type(), value.Len(), value.Len())
		for i := range value.Len() {
			fresh.Index(i).SetString(put(value.Index(i).String()))
		}
		value.Set(fresh)
	}
}

// CommandOn is a command line as it is given for a host from another one; one that names a session of the host already,
// and one of another program, stay as they are.
func CommandOn(name, line string) string {
	if rest, own := strings.CutPrefix(line, "cupola "); own && !strings.Contains(line, core.OnHost(name, "")) {
		return "cupola --host=" + name + " " + rest
	}
	return line
}

// HostOf is the host for which CommandOn has made a command line; empty for another one.
func HostOf(line string) string {
	rest, is := strings.CutPrefix(line, "cupola --host=")
	if !is {
		return ""
	}
	name, _, _ := strings.Cut(rest, " ")
	return name
}
