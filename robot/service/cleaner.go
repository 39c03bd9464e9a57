package service

import (
	"cupola/core/term/cells"
	"cupola/core/text/secret"
	"cupola/core/verb/render"
)

// cleaner masks the credentials in answers and, unless the client wants escapes, removes control sequences.
type cleaner struct{ escapes bool }

// object cleans the texts of an object in place, and returns it.
func (c cleaner) object(object render.Object) render.Object {
	for i := range object {
		object[i].Value = c.value(object[i].Value)
	}
	return object
}

// value cleans the texts of a value in place, and returns it.
func (c cleaner) value(value any) any {
	switch value := value.(type) {
	case string:
		return c.safe(secret.Mask(value))
	case []any:
		if lines, is := texts(value); is { // such as those of a screen
			for i, line := range secret.Lines(lines) {
				value[i] = c.safe(line)
			}
			return value
		}
		for i := range value {
			value[i] = c.value(value[i])
		}
	case render.Object:
		return c.object(value)
	}
	return value
}

// safe returns a text without control sequences, unless the client wants them.
func (c cleaner) safe(text string) string {
	if c.escapes {
		return text
	}
	return cells.Safe(text)
}

// texts returns the texts of a list; is is false if it holds anything else.
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
