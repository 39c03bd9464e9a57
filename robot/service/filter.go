package service

import (
	"bytes"
	"encoding/json"
	"io"

	"cupola/core"
	"cupola/core/cells"
	"cupola/core/secret"
	"cupola/robot/render"
)

// filter writes answers, a line each, with their texts masked and without what terminals would obey.
type filter struct {
	out     io.Writer
	escapes bool
	// code is that of the last failure.
	code core.Code
	// begun is a line that has no end yet.
	begun []byte
}

// Write takes any part of an answer, and passes whole lines on.
func (f *filter) Write(text []byte) (int, error) {
	f.begun = append(f.begun, text...)
	for {
		line, rest, whole := bytes.Cut(f.begun, []byte("\n"))
		if !whole {
			return len(text), nil
		}
		if err := f.pass(line); err != nil {
			return 0, err
		}
		f.begun = append([]byte(nil), rest...)
	}
}

func (f *filter) pass(line []byte) error {
	value, err := render.Value(json.RawMessage(line))
	if err != nil {
		return err
	}
	if document, is := value.(render.Object); is {
		if code, failed := document.Get("error_code"); failed {
			name, _ := code.(string)
			f.code = core.Code(name)
		}
	}
	var b bytes.Buffer
	if err := render.JSON(&b, f.cleaned(value), false); err != nil {
		return err
	}
	b.WriteByte('\n')
	_, err = f.out.Write(b.Bytes())
	return err
}

// cleaned cleans the texts of a value in place, and returns it.
func (f *filter) cleaned(value any) any {
	switch value := value.(type) {
	case string:
		text := secret.Mask(value)
		if !f.escapes {
			text = cells.Safe(text)
		}
		return text
	case []any:
		for i := range value {
			value[i] = f.cleaned(value[i])
		}
	case render.Object:
		for i := range value {
			value[i].Value = f.cleaned(value[i].Value)
		}
	}
	return value
}
