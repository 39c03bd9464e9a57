package render

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
)

const (
	byteOrderMark = "\ufeff"
	spaces        = "                                "
)

// toonEncoder writes a value of the document model as TOON lines.
type toonEncoder struct {
	out []byte
	// hyphen is set while a list item's "- " already is where its first field begins its line.
	hyphen bool
	full   bool
}

func (e *toonEncoder) root(v any) {
	switch v := v.(type) {
	case Object:
		if t, ok := entryTable(v); ok {
			e.entries(v, t, 0)
			return
		}
		e.fields(v, 0)
	case []any:
		if len(v) == 0 {
			e.text("[]")
			return
		}
		e.array(v, 0, true)
	case string:
		e.rootString(v)
	default:
		e.scalar(v)
	}
}

// rootString writes a string that is the whole document. A byte order mark at its beginning would be taken for one.
func (e *toonEncoder) rootString(s string) {
	if strings.HasPrefix(s, byteOrderMark) {
		e.out = appendQuoted(e.out, s)
		return
	}
	e.scalar(s)
}

// fields writes the members of an object, one below the other at depth.
func (e *toonEncoder) fields(o Object, depth int) {
	for _, m := range o {
		if e.full {
			return
		}
		e.line(depth)
		e.key(m.Key)
		switch v := m.Value.(type) {
		case Object:
			e.object(v, depth)
		case []any:
			if len(v) == 0 {
				e.text(": []")
				continue
			}
			e.array(v, depth, true)
		default:
			e.text(": ")
			e.scalar(v)
		}
	}
}

// object writes what follows the key of an object at depth.
func (e *toonEncoder) object(o Object, depth int) {
	if t, ok := entryTable(o); ok {
		e.entries(o, t, depth)
		return
	}
	e.text(":")
	e.fields(o, depth+1)
}

// array writes what follows the key or the hyphen of an array at depth. Behind a hyphen
// there are no tables.
func (e *toonEncoder) array(a []any, depth int, tables bool) {
	if allScalars(a) {
		e.length(len(a), "")
		e.text(":")
		if len(a) > 0 {
			e.text(" ")
		}
		for i, v := range a {
			e.cell(v, i)
		}
		return
	}
	if tables {
		if t, ok := rowTable(a); ok {
			e.rows(t, depth)
			return
		}
	}
	e.length(len(a), "")
	e.text(":")
	for _, v := range a {
		if e.full {
			return
		}
		e.item(v, depth+1)
	}
}

func (e *toonEncoder) item(v any, depth int) {
	e.line(depth)
	switch v := v.(type) {
	case Object:
		if len(v) == 0 {
			e.text("-")
			return
		}
		e.text("- ")
		e.hyphen = true
		e.fields(v, depth+1)
	case []any:
		e.text("- ")
		e.array(v, depth, false)
	default:
		e.text("- ")
		e.scalar(v)
	}
}

func (e *toonEncoder) scalar(v any) {
	switch v := v.(type) {
	case string:
		e.out = appendString(e.out, v)
	case json.Number:
		e.out = appendNumber(e.out, string(v))
	case bool:
		e.out = strconv.AppendBool(e.out, v)
	default:
		e.text("null")
	}
}

// cell writes the ith of several values on one line.
func (e *toonEncoder) cell(v any, i int) {
	if i > 0 {
		e.out = append(e.out, ',')
	}
	e.scalar(v)
}

func (e *toonEncoder) key(key string) {
	e.out = appendKey(e.out, key)
}

// length writes the bracket of a header; keyed is ":" where the rows carry keys.
func (e *toonEncoder) length(n int, keyed string) {
	e.text("[")
	e.out = strconv.AppendInt(e.out, int64(n), 10)
	e.text(keyed)
	e.text("]")
}

// line begins a line at depth. Indentation can outgrow the value many times over, so this is where size is watched.
func (e *toonEncoder) line(depth int) {
	if e.hyphen {
		e.hyphen = false
		return
	}
	if len(e.out) > MaxBytes {
		e.full = true
		return
	}
	if len(e.out) > 0 {
		e.text("\n")
	}
	for n := depth * len("  "); n > 0; n -= len(spaces) {
		e.text(spaces[:min(n, len(spaces))])
	}
}

func (e *toonEncoder) text(s string) {
	e.out = append(e.out, s...)
}

func allScalars(a []any) bool {
	for _, v := range a {
		if !isScalar(v) {
			return false
		}
	}
	return true
}

func isScalar(v any) bool {
	switch v.(type) {
	case Object, []any:
		return false
	}
	return true
}

// TOON writes v in Token-Oriented Object Notation, specification 4.0. It writes once, without
// a newline at the end; the empty object is the empty document. v may be any value that encoding/json can encode.
//
// Numbers are exact: they are written with all their digits, without an exponent between 1e-6 and 1e21 and with one
// ("1e-7", "1.5e+21") beyond. Rows of a table have their members in the order of the first row.
//
// On [ErrDepth], [ErrSize] or an error of encoding/json nothing is written.
func TOON(w io.Writer, v any) error {
	model, err := Value(v)
	if err != nil {
		return err
	}
	var e toonEncoder
	e.root(model)
	if e.full || len(e.out) > MaxBytes {
		return fmt.Errorf("encode toon: %w", ErrSize)
	}
	_, err = w.Write(e.out)
	return err
}
