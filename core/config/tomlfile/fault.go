package tomlfile

import (
	"cmp"
	"errors"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/BurntSushi/toml"
)

// beginning matches the beginning of a parser's error that is no ParseError. mismatch matches the rest of one about a
// value of another type than its key: first the type it has, then the one it must have, or the other way round.
var (
	beginning = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(?:line (\d+) )?\(last key "(.*?)"\)`)
	})
	mismatch = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^: (?:incompatible types: TOML value has type (\S+); destination has type (\S+)|type mismatch for .+: expected (\S+) but found (\S+))$`)
	})
)

// typeWords are types of values as people know them, by the parser's names.
var typeWords = map[string]string{
	"string": "a text", "int64": "a whole number", "integer": "a whole number", "float64": "a number",
	"float": "a number", "bool": "true or false", "boolean": "true or false", "[]any": "a list",
	"[]map[string]any": "a list", "slice": "a list", "array": "a list", "arrayhash": "a list",
	"map[string]any": "a section", "map": "a section", "table": "a section",
}

// Fault returns the message of a parser's error and its line; 1 if the error has none.
func Fault(err error) (line int, what string) {
	if parse := (toml.ParseError{}); errors.As(err, &parse) {
		return parse.Position.Line, parse.Message
	}
	what = strings.TrimPrefix(err.Error(), "toml: ")
	at := beginning().FindStringSubmatch(what)
	if at == nil {
		return 1, what
	}
	line, _ = strconv.Atoi(at[1])
	said := what[len(at[0]):]
	if types := mismatch().FindStringSubmatch(said); types != nil {
		is, must := cmp.Or(types[1], types[4]), cmp.Or(types[2], types[3])
		said = " is " + cmp.Or(typeWords[is], is) + "; it must be " + cmp.Or(typeWords[must], must)
	}
	return max(1, line), at[2] + said
}
