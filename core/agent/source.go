package agent

import (
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/BurntSushi/toml"

	"cupola/core/near"
)

// source is a file with its text, for errors.
type source struct{ name, text string }

// errorf makes an error that names the file and, where the key stands in it,
// the line.
func (s source) errorf(key toml.Key, format string, args ...any) error {
	where := s.name
	if line := s.line(key); line > 0 {
		where = fmt.Sprintf("%s:%d", s.name, line)
	}
	return fmt.Errorf("%s: %s: %w", where, key, fmt.Errorf(format, args...))
}

// syntax puts file and line before what the parser says.
func (s source) syntax(err error) error {
	var parse toml.ParseError
	if errors.As(err, &parse) {
		return fmt.Errorf("%s:%d: %s", s.name, parse.Position.Line, parse.Message)
	}
	var line int
	rest := strings.TrimPrefix(err.Error(), "toml: ")
	if _, scanErr := fmt.Sscanf(rest, "line %d ", &line); scanErr == nil {
		return fmt.Errorf("%s:%d: %s", s.name, line, strings.TrimPrefix(rest, fmt.Sprintf("line %d ", line)))
	}
	return fmt.Errorf("%s: %s", s.name, rest)
}

// line returns the line that sets a key, counted from 1; 0 if none does.
func (s source) line(key toml.Key) int {
	table := ""
	for i, line := range strings.Split(s.text, "\n") {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") {
			name, _, _ := strings.Cut(strings.TrimLeft(line, "[ "), "]")
			if table = strings.TrimSpace(name); table == key.String() {
				return i + 1
			}
			continue
		}
		name, _, isKey := strings.Cut(line, "=")
		if !isKey {
			continue
		}
		if full := strings.TrimPrefix(table+"."+strings.TrimSpace(name), "."); full == key.String() {
			return i + 1
		}
	}
	return 0
}

// unknown is the error for a key that no file has, with its near miss.
func (s source) unknown(key toml.Key) error {
	valid := keysAt(key[:len(key)-1])
	hint := ""
	if misses := near.Words(key[len(key)-1], valid); len(misses) > 0 {
		hint = fmt.Sprintf("; did you mean %s?", misses[0])
	}
	return s.errorf(key, "no such key%s", hint)
}

// keysAt returns the keys that a table of a kind's file takes.
func keysAt(table toml.Key) []string {
	t := reflect.TypeFor[document]()
	if len(table) > 0 {
		field, ok := t.FieldByNameFunc(func(name string) bool { return strings.EqualFold(name, table[0]) })
		if !ok {
			return nil
		}
		t = field.Type
		switch {
		case t.Kind() == reflect.Map && strings.EqualFold(table[0], "answer"):
			t = reflect.TypeFor[answerSpec]()
		case t.Kind() == reflect.Map:
			t = reflect.TypeFor[Rule]()
		}
	}
	if t.Kind() != reflect.Struct {
		return nil
	}
	keys := make([]string, 0, t.NumField())
	for i := range t.NumField() {
		name := t.Field(i).Tag.Get("toml")
		if name == "" {
			name = strings.ToLower(t.Field(i).Name)
		}
		keys = append(keys, name)
	}
	return keys
}
