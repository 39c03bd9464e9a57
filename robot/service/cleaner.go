package service

import (
	"regexp"

	"cupola/core/term/cells"
	"cupola/core/text/secret"
	"cupola/core/verb/registry"
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

var (
	// flag is a flag in a sentence: --name, or --name=VALUE.
	flag = regexp.MustCompile(`--([a-z][a-z0-9-]*)`)
	// program is a call of a verb in a sentence: 'cupola save'.
	program = regexp.MustCompile(`'cupola ([a-z][a-z0-9-]*)'`)
)

// Worded is a sentence for a caller who has no command line: flags of the verb are its inputs, and a command line of
// Cupola is a verb. A nil verb has every flag.
func Worded(verb *registry.Verb, text string) string {
	text = flag.ReplaceAllStringFunc(text, func(found string) string {
		name := found[2:]
		if verb != nil && verb.Field(name) == nil && registry.GlobalField(name) == nil {
			return found
		}
		return name
	})
	return program.ReplaceAllString(text, "the verb $1")
}

// spoken are the members of a failure with sentences of Cupola's own.
var spoken = []string{"error", "hint", "details"}

// word words what a failure says.
func word(verb *registry.Verb, document render.Object) {
	for i := range document {
		for _, name := range spoken {
			if document[i].Key == name {
				document[i].Value = worded(verb, document[i].Value)
			}
		}
	}
}

func worded(verb *registry.Verb, value any) any {
	switch value := value.(type) {
	case string:
		return Worded(verb, value)
	case []any:
		for i := range value {
			value[i] = worded(verb, value[i])
		}
	case []string:
		for i := range value {
			value[i] = Worded(verb, value[i])
		}
	case render.Object:
		for i := range value {
			if value[i].Key != "value" { // as the caller gave it
				value[i].Value = worded(verb, value[i].Value)
			}
		}
	}
	return value
}
