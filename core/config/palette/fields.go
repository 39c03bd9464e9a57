package palette

import (
	"regexp"
	"slices"
	"strings"

	"cupola/core"
	"cupola/core/text/near"
)

// field is a field of a text, such as ${goal}: a name in small letters, so that a variable of a shell is none.
var field = regexp.MustCompile(`\$\{([a-z][a-z0-9_-]*)\}`)

// Fields are the names of the fields of a text, each once, in their order.
func Fields(text string) (names []string) {
	for _, found := range field.FindAllStringSubmatch(text, -1) {
		if !slices.Contains(names, found[1]) {
			names = append(names, found[1])
		}
	}
	return names
}

// Filled is a text with the values of its fields. A value is text, even where it looks like a field.
func Filled(text string, values map[string]string) string {
	return field.ReplaceAllStringFunc(text, func(found string) string {
		if value, given := values[found[len("${"):len(found)-1]]; given {
			return value
		}
		return found
	})
}

// Fill returns the text of a prompt with the values of its fields, each given as NAME=VALUE. It returns InvalidInput
// for a field that the prompt does not have, and MissingRequired for one without a value.
func (p *Prompt) Fill(given []string) (string, error) {
	names, values := Fields(p.Text), map[string]string{}
	for _, word := range given {
		name, value, whole := strings.Cut(word, "=")
		if !whole || !slices.Contains(names, name) {
			err := core.Errorf(core.InvalidInput, "prompt %s has no field %q", p.Key, core.Cut(name))
			err.Suggestions = near.Words(name, names)
			err.Hint = fieldsHint(names)
			return "", err
		}
		values[name] = value
	}
	for _, name := range names {
		if _, has := values[name]; !has {
			err := core.Errorf(core.MissingRequired, "prompt %s needs a value for ${%s}", p.Key, name)
			err.Hint = fieldsHint(names)
			return "", err
		}
	}
	return Filled(p.Text, values), nil
}

// fieldsHint says which fields there are.
func fieldsHint(names []string) string {
	if len(names) == 0 {
		return "It has no fields."
	}
	return "Give each as NAME=VALUE: " + strings.Join(names, ", ") + "."
}
