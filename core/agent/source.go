package agent

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/BurntSushi/toml"

	"cupola/core"
	"cupola/core/config/tomlfile"
	"cupola/core/text/near"
)

// Fault is a user's file, or a key of one, that is not used.
type Fault struct {
	// File is its name in its folder, and "." for the folder itself.
	File string
	// Kind is the kind that the file describes.
	Kind core.Kind
	// Whole is true if nothing of the file is used.
	Whole bool
	// Err is the error with its file and line; of several, the first.
	Err error
	// All are all errors of a file; nil if it could not be read or parsed.
	All []*KeyError

	// folder is the place of the file's folder among those that are read.
	folder int
	// launch is true for a key that may have been meant for how the kind is started.
	launch bool
}

// source is a file with its text, for errors.
type source struct{ name, text string }

// KeyError is an error at a key of a file.
type KeyError struct {
	File string
	// Line counts from 1 and is 0 if the key is not in the file. Key is empty if the file cannot be parsed.
	Line int
	Key  string
	Err  error
}

// Error names file, line and key.
func (e *KeyError) Error() string {
	where := e.File
	if e.Line > 0 {
		where = fmt.Sprintf("%s:%d", e.File, e.Line)
	}
	if e.Key != "" {
		where += ": " + e.Key
	}
	return where + ": " + e.Err.Error()
}

// Unwrap returns the cause.
func (e *KeyError) Unwrap() error { return e.Err }

// errorf makes an error that names the file and, where it says something of the
// key, the line.
func (s source) errorf(key toml.Key, format string, args ...any) error {
	return &KeyError{s.name, tomlfile.LineOf(s.text, key.String()), key.String(), fmt.Errorf(format, args...)}
}

// syntax puts file and line before what the parser says.
func (s source) syntax(err error) error {
	line, what := tomlfile.Fault(err)
	return &KeyError{File: s.name, Line: line, Err: errors.New(what)}
}

// unknown is the error for a key that no file has, with its near miss.
func (s source) unknown(key toml.Key) (meant string, err error) {
	if misses := near.Words(key[len(key)-1], keysAt(key[:len(key)-1])); len(misses) > 0 {
		return misses[0], s.errorf(key, "no such key; did you mean %s?", misses[0])
	}
	return "", s.errorf(key, "no such key")
}

// keysAt returns the keys that a table of a kind's file takes.
func keysAt(table toml.Key) []string {
	if len(table) > 1 {
		switch table[0] {
		case "answer":
			return tomlfile.Keys(reflect.TypeFor[answerSpec](), table[2:]...)
		case "rule":
			return tomlfile.Keys(reflect.TypeFor[Rule](), table[2:]...)
		}
	}
	return tomlfile.Keys(reflect.TypeFor[document](), table...)
}
