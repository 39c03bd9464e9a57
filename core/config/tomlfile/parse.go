package tomlfile

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/BurntSushi/toml"
)

const (
	// longest is how long a text may be, in bytes.
	longest = 4 << 20
	// deepest is how many parts a name may have, and how many brackets may be open at
	// once: what the parser takes grows with the square of the one, and it calls itself
	// for each of the other.
	deepest = 16
)

// Parse is toml.Decode for untrusted text. It returns a toml.ParseError also for a text
// that is too long or too deep, and for one without a table where a map is to be filled.
func Parse(text string, into any) (toml.MetaData, error) {
	if len(text) > longest {
		return toml.MetaData{},
			toml.ParseError{
				Message:  fmt.Sprintf("the text is longer than %d bytes", longest),
				Position: toml.Position{Line: 1},
			}
	}
	if at := tooDeep(text); at >= 0 {
		line := 1 + strings.Count(text[:at], "\n")
		return toml.MetaData{}, toml.ParseError{
			Message:  fmt.Sprintf("more than %d names or brackets within each other", deepest),
			Position: toml.Position{Line: line, Start: at, Len: 1},
		}
	}
	meta, err := toml.Decode(text, into)
	if err == nil {
		err = dropped(text, &meta, reflect.TypeOf(into).Elem(), nil)
	}
	return meta, err
}

// tooDeep is where a text goes deeper than is parsed; -1 if nowhere. Wherever the
// parser reads on, it takes the same parts of the text for quoted.
func tooDeep(text string) int {
	s := &reader{text: text}
	dots, open := 0, 0
	for s.at < len(s.text) {
		switch s.text[s.at] {
		case '"', '\'':
			s.skipText()
			continue
		case '#':
			s.skipLine()
			dots = 0
			continue
		case '.':
			dots++
		case '[', '{':
			open, dots = open+1, 0
		case ']', '}':
			open, dots = max(0, open-1), 0
		case '\n', '=', ',':
			dots = 0
		}
		if dots >= deepest || open > deepest {
			return s.at
		}
		s.at++
	}
	return -1
}
