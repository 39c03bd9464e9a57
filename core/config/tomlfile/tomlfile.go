// Package tomlfile parses TOML that people write by hand, and reports its errors with
// the file, the line, and the word that was probably meant. For editors of a text it
// finds the line of each statement. It opens no file.
package tomlfile

import (
	"fmt"
	"reflect"
	"strings"

	"cupola/core"
)

// Decode decodes a text into a pointer to a struct whose fields have toml tags. origin
// names the text in errors, which are ConfigInvalid and list all that is wrong. A key that
// the struct lacks is an error too; for the first one the error suggests similar keys.
func Decode(origin, text string, into any) error {
	problems := Check(text, into)
	if len(problems) == 0 {
		return nil
	}
	err := Wrong(origin, problems[0].Line, problems[0].What)
	for _, more := range problems[1:] {
		err.Message += fmt.Sprintf("; line %d: %s", more.Line, more.What)
	}
	err.Suggestions, err.Hint = problems[0].Suggestions, problems[0].Hint
	return err
}

// Wrong returns the error of a line of a text.
func Wrong(origin string, line int, what string) *core.Error {
	return &core.Error{Code: core.ConfigInvalid, Message: fmt.Sprintf("%s: line %d: %s", origin, line, what)}
}

// Keys are the names that the struct at a path in a type takes, as toml tags or
// fields say them.
func Keys(t reflect.Type, path ...string) []string {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	if t.Kind() == reflect.Map && len(path) > 0 {
		return Keys(t.Elem(), path[1:]...)
	}
	if t.Kind() != reflect.Struct {
		return nil
	}
	var keys []string
	for _, field := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(field.Tag.Get("toml"), ",")
		if name == "-" || !field.IsExported() {
			continue
		}
		if name == "" {
			name = strings.ToLower(field.Name)
		}
		if len(path) > 0 && name == path[0] {
			return Keys(field.Type, path[1:]...)
		}
		keys = append(keys, name)
	}
	if len(path) > 0 {
		return nil
	}
	return keys
}
