// Package tomlfile reads TOML that people write by hand, and says what is wrong
// with it as they need to hear it: the file, the line, and the word that was
// probably meant. It opens no file.
package tomlfile

import (
	"errors"
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
	meta, err := toml.Decode(text, into)
	if parse := (toml.ParseError{}); errors.As(err, &parse) {
		return Wrong(origin, parse.Position.Line, parse.Message)
	}
	if err != nil {
		return &core.Error{Code: core.ConfigInvalid, Message: origin + ": " + err.Error(), Err: err}
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

// ElementLine is the line at which the n-th table of an array begins, from 0.
// Where the array is written in another way it is 1.
func ElementLine(text, array string, n int) int {
	for i, row := range strings.Split(text, "\n") {
		if name, _ := header(row); name != array || !strings.HasPrefix(strings.TrimSpace(row), "[[") {
			continue
		}
		if n == 0 {
			return i + 1
		}
		n--
	}
	return 1
}

func unknownKey(origin, text string, key toml.Key, into reflect.Type) error {
	word, known := key[len(key)-1], keysAt(into, key[:len(key)-1])
	err := Wrong(origin, keyLine(text, key), "unknown key "+key.String())
	if err.Suggestions = near.Words(word, known); len(err.Suggestions) > 0 {
		err.Hint = "Did you mean " + err.Suggestions[0] + "?"
	} else {
		err.Hint = "The keys there are: " + strings.Join(known, ", ") + "."
	}
	return err
}

// keysAt are the keys that the struct at a path takes.
func keysAt(t reflect.Type, path toml.Key) []string {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return nil
	}
	var keys []string
	for _, field := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(field.Tag.Get("toml"), ",")
		if name == "" || name == "-" {
			continue
		}
		if len(path) > 0 && name == path[0] {
			return keysAt(field.Type, path[1:])
		}
		keys = append(keys, name)
	}
	if len(path) > 0 {
		return nil
	}
	return keys
}

// keyLine is the line at which a key is first set; the first line where it
// cannot be found.
func keyLine(text string, key toml.Key) int {
	table, word := strings.Join(key[:len(key)-1], "."), key[len(key)-1]
	at := ""
	for i, row := range strings.Split(text, "\n") {
		if name, is := header(row); is {
			if name == strings.Join(key, ".") {
				return i + 1
			}
			at = name
			continue
		}
		name, _, set := strings.Cut(row, "=")
		if name = strings.Trim(name, " \t\"'"); set && (at == table && name == word || name == strings.Join(key, ".")) {
			return i + 1
		}
	}
	return 1
}

// header reads a line that begins a table, such as [a.b] or [[ a ]].
func header(row string) (name string, is bool) {
	row, _, _ = strings.Cut(row, "#")
	row = strings.TrimSpace(row)
	if !strings.HasPrefix(row, "[") || !strings.HasSuffix(row, "]") {
		return "", false
	}
	name = strings.NewReplacer(" ", "", "\t", "", `"`, "", "'", "").Replace(strings.Trim(row, "[]"))
	return name, true
}
