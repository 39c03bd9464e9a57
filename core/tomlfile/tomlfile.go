// Package tomlfile reads TOML that people write by hand, and says what is wrong
// with it as they need to hear it: the file, the line, and the word that was
// probably meant; and where each statement stands, for whoever changes such a text.
// It opens no file.
package tomlfile

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/BurntSushi/toml"

	"cupola/core"
	"cupola/core/near"
)

// Decode reads a text into a pointer to a struct whose fields have toml tags.
// Origin names the text in errors. Each is ConfigInvalid; a key that the struct
// lacks is one too, with those that it has.
func Decode(origin, text string, into any) error {
	meta, err := Parse(text, into)
	if err != nil {
		line, what := Fault(err)
		return Wrong(origin, line, what)
	}
	if unknown := meta.Undecoded(); len(unknown) > 0 {
		return unknownKey(origin, text, unknown[0], reflect.TypeOf(into))
	}
	return nil
}

// Wrong is the error of something in a line of a text.
func Wrong(origin string, line int, what string) *core.Error {
	return &core.Error{Code: core.ConfigInvalid, Message: fmt.Sprintf("%s: line %d: %s", origin, line, what)}
}

func unknownKey(origin, text string, key toml.Key, into reflect.Type) error {
	word, known := key[len(key)-1], Keys(into, key[:len(key)-1]...)
	err := Wrong(origin, max(1, LineOf(text, key.String())), "unknown key "+key.String())
	if err.Suggestions = near.Words(word, known); len(err.Suggestions) > 0 {
		err.Hint = "Did you mean " + err.Suggestions[0] + "?"
	} else {
		err.Hint = "The keys there are: " + strings.Join(known, ", ") + "."
	}
	return err
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
