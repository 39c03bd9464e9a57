package render

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// indentation is a level of indented JSON.
const indentation = "  "

// JSON writes v as JSON in one call to Write and without a newline at the end: compact, or indented by two spaces.
// Characters that matter to HTML only are not escaped. v may be any value that encoding/json can encode; an [Object]
// keeps its order at any depth. On [ErrDepth], [ErrSize] or an error of encoding/json nothing is written.
func JSON(w io.Writer, v any, indent bool) error {
	data, err := Compact(v)
	if err != nil {
		return fmt.Errorf("encode json: %w", err)
	}
	if indent {
		if measure(data).indented > MaxBytes {
			return fmt.Errorf("indent json: %w", ErrSize)
		}
		var b bytes.Buffer
		if err := json.Indent(&b, data, "", indentation); err != nil {
			return fmt.Errorf("indent json: %w", err)
		}
		data = b.Bytes()
	}
	_, err = w.Write(data)
	return err
}

// Compact returns v as compact JSON, with the limits and errors of [JSON].
func Compact(v any) ([]byte, error) {
	data, err := appendJSON(nil, v, 0)
	switch {
	case err != nil:
		return nil, err
	case len(data) > MaxBytes:
		return nil, ErrSize
	case measure(data).depth > MaxDepth:
		return nil, ErrDepth
	}
	return data, nil
}

// appendJSON appends v as compact JSON. A value of the document model is written as it is; of everything else, one is
// built first.
func appendJSON(dst []byte, v any, depth int) ([]byte, error) {
	if depth > MaxDepth {
		return nil, ErrDepth
	}
	if len(dst) > MaxBytes {
		return nil, ErrSize
	}
	switch v := v.(type) {
	case nil:
		return append(dst, "null"...), nil
	case bool:
		return strconv.AppendBool(dst, v), nil
	case json.Number:
		if validNumber(string(v)) {
			return append(dst, v...), nil
		}
	case string:
		return appendText(dst, v)
	case Object:
		return appendObject(dst, v, depth)
	case []any:
		return appendArray(dst, v, depth)
	}
	built, err := (&building{}).value(v, depth)
	if err != nil {
		return nil, err
	}
	return appendJSON(dst, built, depth)
}

func appendObject(dst []byte, o Object, depth int) (_ []byte, err error) {
	dst = append(dst, '{')
	for i, m := range o {
		if i > 0 {
			dst = append(dst, ',')
		}
		if dst, err = appendText(dst, m.Key); err != nil {
			return nil, err
		}
		if dst, err = appendJSON(append(dst, ':'), m.Value, depth+1); err != nil {
			return nil, err
		}
	}
	return append(dst, '}'), nil
}

func appendArray(dst []byte, a []any, depth int) (_ []byte, err error) {
	dst = append(dst, '[')
	for i, v := range a {
		if i > 0 {
			dst = append(dst, ',')
		}
		if dst, err = appendJSON(dst, v, depth+1); err != nil {
			return nil, err
		}
	}
	return append(dst, ']'), nil
}

// appendText appends a text in quotes.
func appendText(dst []byte, text string) ([]byte, error) {
	switch {
	case len(text) > MaxBytes:
		return nil, ErrSize
	case plainJSON(text):
		dst = append(append(dst, '"'), text...)
		return append(dst, '"'), nil
	}
	b := bytes.NewBuffer(dst)
	enc := json.NewEncoder(b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(text); err != nil {
		return nil, err
	}
	b.Truncate(b.Len() - len("\n"))
	return b.Bytes(), nil
}

// innermost drops the layers that encoding/json puts around an error for every Object it passes through.
func innermost(err error) error {
	var layer *json.MarshalerError
	for errors.As(err, &layer) {
		err = layer.Unwrap()
	}
	return err
}

// plainJSON says that s is written between quotes as it is.
func plainJSON(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool {
		return r < ' ' || r > '~' || r == '"' || r == '\\'
	}) < 0
}
