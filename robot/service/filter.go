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
		return f.safe(secret.Mask(value))
	case []any:
		if lines, is := texts(value); is { // such as those of a screen
			for i, line := range secret.Lines(lines) {
				value[i] = f.safe(line)
			}
			return value
		}
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

// safe is a text without what terminals would obey, unless the client wants that.
func (f *filter) safe(text string) string {
	if f.escapes {
		return text
	}
	return cells.Safe(text)
}

// texts are the values of a list of texts.
func texts(list []any) (all []string, is bool) {
	for _, value := range list {
		text, is := value.(string)
		if !is {
			return nil, false
		}
		all = append(all, text)
	}
	return all, true
}
