package tomlfile

import (
	"strings"

	"github.com/BurntSushi/toml"
)

// Statement is a header or a key with its value, as written in a text.
type Statement struct {
	// Name is the whole name, Table the header above it; a header's own name is both.
	Name, Table string
	// Header is true for a header, Array for the header of an array of tables.
	Header, Array bool
	// From and To are the byte offsets of its lines in the text; To is behind the last
	// line's end.
	From, To int
	// Value and ValueEnd are the byte offsets of the value.
	Value, ValueEnd int
}

// Statements returns the statements of a valid TOML text. For an invalid text the result is
// unspecified.
func Statements(text string) []Statement {
	s := &reader{text: text}
	var all []Statement
	var table toml.Key
	for s.at < len(s.text) {
		found := Statement{From: s.at}
		s.skip(" \t\r\n")
		found.From += strings.LastIndexByte(s.text[found.From:s.at], '\n') + 1
		if s.at == len(s.text) {
			break
		}
		switch s.peek() {
		case '#':
			s.skipLine()
			continue
		case '[':
			found.Header, found.Array = true, strings.HasPrefix(s.text[s.at:], "[[")
			s.skip("[ \t")
			table = s.name()
			found.Name = table.String()
		default:
			found.Name = append(table[:len(table):len(table)], s.name()...).String()
			s.skip("= \t")
			found.Value = s.at
			s.skipValue()
			found.ValueEnd = found.Value + len(strings.TrimRight(s.text[found.Value:s.at], " \t\r"))
		}
		s.skipLine()
		found.Table, found.To = table.String(), s.at
		all = append(all, found)
	}
	return all
}

// reader reads TOML without understanding its values.
type reader struct {
	text string
	at   int
}

// peek is the next byte; 0 at the end.
func (s *reader) peek() byte {
	if s.at >= len(s.text) {
		return 0
	}
	return s.text[s.at]
}

func (s *reader) skip(set string) {
	for s.at < len(s.text) && strings.IndexByte(set, s.text[s.at]) >= 0 {
		s.at++
	}
}

func (s *reader) skipLine() {
	if end := strings.IndexByte(s.text[s.at:], '\n'); end >= 0 {
		s.at += end + 1
	} else {
		s.at = len(s.text)
	}
}

// name reads a name of parts with dots between them.
func (s *reader) name() toml.Key {
	var name toml.Key
	for {
		s.skip(" \t")
		from := s.at
		if c := s.peek(); c == '"' || c == '\'' {
			s.skipText()
			name = append(name, unquoted(s.text[from:s.at]))
		} else {
			end := strings.IndexAny(s.text[from:], ".=] \t\r\n#")
			if end < 0 {
				end = len(s.text) - from
			}
			s.at = from + end
			name = append(name, s.text[from:s.at])
		}
		s.skip(" \t")
		if s.peek() != '.' {
			return name
		}
		s.at++
	}
}

// unquoted is the text of a quoted part of a name.
func unquoted(part string) string {
	var holder map[string]any
	if _, err := toml.Decode("v = "+part, &holder); err == nil {
		if text, ok := holder["v"].(string); ok {
			return text
		}
	}
	return part
}

// skipValue goes behind a value: to the end of its line, a comment, or its last
// bracket.
func (s *reader) skipValue() {
	for depth := 0; s.at < len(s.text); {
		switch c := s.text[s.at]; {
		case c == '"' || c == '\'':
			s.skipText()
			continue
		case c == '[' || c == '{':
			depth++
		case c == ']' || c == '}':
			depth--
		case c == '#' && depth > 0:
			s.skipLine()
			continue
		case (c == '#' || c == '\n') && depth <= 0:
			return
		}
		s.at++
	}
}

// skipText goes behind a text in quotes of any of the four kinds.
func (s *reader) skipText() {
	quote := s.text[s.at : s.at+1]
	long := strings.Repeat(quote, 3)
	if strings.HasPrefix(s.text[s.at:], long) {
		s.at += len(long)
		s.skipTo(quote, long)
		// Two more quotes may belong to the text.
		for n := 0; n < 2 && strings.HasPrefix(s.text[s.at:], quote); n++ {
			s.at++
		}
		return
	}
	s.at++
	s.skipTo(quote, quote)
}

// skipTo moves behind the next end that no backslash escapes.
func (s *reader) skipTo(quote, end string) {
	for s.at < len(s.text) {
		switch {
		case strings.HasPrefix(s.text[s.at:], end):
			s.at += len(end)
			return
		case s.text[s.at] == '\\' && quote == `"` && s.at+1 < len(s.text):
			s.at++
		case s.text[s.at] == '\n' && len(end) == 1:
			return
		}
		s.at++
	}
}

// LineOf is the line, from 1, at which a text says something of a name: its own,
// or that of what holds it; 0 if it says nothing.
func LineOf(text, name string) int { return lineAmong(text, Statements(text), name) }

// LineIn returns the line in the n-th table of an array, from 0, that holds a name,
// which begins with the array's, or that holds its parent. If the array is written in
// another way it is the array's line; without that table it is 1.
func LineIn(text, array string, n int, name string) int {
	all, fallback := Statements(text), max(1, LineOf(text, array))
	for i, s := range all {
		if !s.Array || s.Name != array {
			continue
		}
		if fallback = 1; n > 0 {
			n--
			continue
		}
		to := i + 1
		for to < len(all) && (!all[to].Header || strings.HasPrefix(all[to].Name, array+".")) {
			to++
		}
		return lineAmong(text, all[i:to], name)
	}
	return fallback
}

func lineAmong(text string, all []Statement, name string) int {
	best, line := "", 0
	for _, s := range all {
		holds := s.Name == name || strings.HasPrefix(name, s.Name+".")
		below := strings.HasPrefix(s.Name, name+".")
		if holds && len(s.Name) > len(best) || below && line == 0 {
			line = s.line(text)
			if holds {
				best = s.Name
			}
		}
	}
	return line
}

// ElementLine is the line at which the n-th table of an array begins, from 0.
// If the array is written in another way it is the array's line; without that table 1.
func ElementLine(text, array string, n int) int { return LineIn(text, array, n, array) }

func (s *Statement) line(text string) int { return 1 + strings.Count(text[:s.From], "\n") }
