// Package literal writes values as the Go source that makes them, for files that are
// generated. It writes no file. The values must not contain anything without a literal,
// such as a function.
package literal

import (
	"bytes"
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Writer writes source of one package.
type Writer struct {
	bytes.Buffer
	// Package is the name of the package of the source; its types are written without a
	// qualifier.
	Package string
	// Inline are the structs that are written in one line.
	Inline []reflect.Type
}

// Fields writes the exported fields of a struct that are not zero, one on each line.
func (w *Writer) Fields(v reflect.Value) {
	for i := range v.NumField() {
		field := v.Type().Field(i)
		if !field.IsExported() || v.Field(i).IsZero() {
			continue
		}
		w.WriteString(field.Name + ": ")
		w.Value(v.Field(i))
		w.WriteString(",\n")
	}
}

// fieldsOf returns what Fields writes, in one line where the struct is inline.
func (w *Writer) fieldsOf(v reflect.Value) string {
	inner := Writer{Package: w.Package, Inline: w.Inline}
	inner.Fields(v)
	if !slices.Contains(w.Inline, v.Type()) {
		return "\n" + inner.String()
	}
	return strings.TrimSuffix(strings.ReplaceAll(inner.String(), ",\n", ", "), ", ")
}

// Value writes a value. Keys of maps must be strings; they are sorted.
func (w *Writer) Value(v reflect.Value) {
	name := strings.ReplaceAll(v.Type().String(), w.Package+".", "")
	if duration, is := v.Interface().(time.Duration); is {
		fmt.Fprintf(w, "%d * time.Millisecond", duration.Milliseconds())
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		w.WriteString("&")
		w.Value(v.Elem())
	case reflect.Struct:
		w.WriteString(name + "{" + w.fieldsOf(v) + "}")
	case reflect.Slice:
		w.WriteString(name + "{")
		for i := range v.Len() {
			if i > 0 {
				w.WriteString(", ")
			}
			w.Value(v.Index(i))
		}
		w.WriteString("}")
	case reflect.Map:
		w.WriteString(name + "{\n")
		byText := func(a, b reflect.Value) int { return cmp.Compare(a.String(), b.String()) }
		for _, key := range slices.SortedFunc(slices.Values(v.MapKeys()), byText) {
			w.WriteString(strconv.Quote(key.String()) + ": ")
			w.Value(v.MapIndex(key))
			w.WriteString(",\n")
		}
		w.WriteString("}")
	case reflect.String:
		w.WriteString(strconv.Quote(v.String()))
	default:
		fmt.Fprintf(w, "%v", v.Interface())
	}
}
