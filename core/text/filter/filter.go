// Package filter chooses rows by what a user types: words joined by and, in letters of any case; !WORD for rows without
// it; FIELD:WORD for one field, such as state:waiting; and /REGEX/.
package filter

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"cupola/core"
	"cupola/core/text/near"
)

// Field is a field that a word may name.
type Field struct {
	Name string
	// Values are the only values that it has; nil if it has any.
	Values []string
}

// Filter chooses rows. The zero value chooses all.
type Filter struct{ terms []term }

// term is one condition.
type term struct {
	// not is true for a row that must not match.
	not bool
	// field is the field that is compared; empty is any.
	field, word string
	// pattern is compared in place of the word; nil for a word.
	pattern *regexp.Regexp
}

// Parse reads a filter of rows that have some fields. A name that is nearly one of a field, a value that the field does
// not have, and a bad expression are errors, which suggest what was probably meant.
func Parse(text string, fields ...Field) (Filter, error) {
	var f Filter
	for _, word := range words(text) {
		var t term
		if rest, not := strings.CutPrefix(word, "!"); not && rest != "" {
			t.not, word = true, rest
		}
		err := t.names(&word, fields)
		if err != nil {
			return Filter{}, err
		}
		if inner, is := expression(word); is {
			if t.pattern, err = regexp.Compile("(?i)" + inner); err != nil {
				return Filter{}, core.Errorf(core.InvalidInput, "the expression %s: %w", word, err)
			}
		}
		t.word = strings.ToLower(word)
		f.terms = append(f.terms, t)
	}
	return f, nil
}

// Of is Parse for a text that is being typed: one that cannot be read chooses the rows that contain it.
func Of(text string, fields ...Field) Filter {
	f, err := Parse(text, fields...)
	if err != nil {
		return Filter{terms: []term{{word: strings.ToLower(strings.TrimSpace(text))}}}
	}
	return f
}

// names takes the name of a field off a word.
func (t *term) names(word *string, fields []Field) error {
	name, value, named := strings.Cut(*word, ":")
	if !named || value == "" || strings.HasPrefix(*word, "/") {
		return nil
	}
	known := core.Map(fields, func(f Field) string { return f.Name })
	name = strings.ToLower(name)
	at := slices.Index(known, name)
	if at < 0 {
		if meant := near.Words(name, known); len(meant) > 0 {
			return &core.Error{
				Code: core.InvalidInput, Message: fmt.Sprintf("no field is named %q", name),
				Hint: "Did you mean " + meant[0] + ":" + value + "?", Suggestions: meant,
			}
		}
		return nil // a text with a colon
	}
	has := func(v string) bool { return strings.Contains(v, strings.ToLower(value)) }
	values := fields[at].Values
	if values != nil && !strings.HasPrefix(value, "/") && !slices.ContainsFunc(values, has) {
		e := &core.Error{
			Code: core.InvalidInput, Message: fmt.Sprintf("%s is never %q", name, value),
			Hint: "It is one of " + strings.Join(values, ", ") + ".", Suggestions: near.Words(value, values),
		}
		if len(e.Suggestions) > 0 {
			e.Hint = "Did you mean " + name + ":" + e.Suggestions[0] + "?"
		}
		return e
	}
	t.field, *word = name, value
	return nil
}

// expression returns what is between two slashes.
func expression(word string) (inner string, is bool) {
	if len(word) < 3 || word[0] != '/' || word[len(word)-1] != '/' {
		return "", false
	}
	return word[1 : len(word)-1], true
}

// words divides a text at blanks, but not within an expression that ends.
func words(text string) []string {
	var all []string
	for text = strings.TrimSpace(text); text != ""; text = strings.TrimSpace(text) {
		end := strings.IndexAny(text, " \t")
		if begin := strings.IndexByte(text, '/'); begin >= 0 && (end < 0 || begin < end) &&
			(begin == 0 || text[begin-1] == '!' || text[begin-1] == ':') {
			if last := closing(text, begin); last >= 0 {
				end = last
			}
		}
		if end < 0 || end >= len(text) {
			return append(all, text)
		}
		all, text = append(all, text[:end]), text[end:]
	}
	return all
}

// closing is where the expression ends that begins at a slash: behind a slash before a blank or the end; -1 for none.
func closing(text string, begin int) int {
	for i := begin + 2; i < len(text); i++ {
		if text[i] == '/' && text[i-1] != '\\' && (i+1 == len(text) || text[i+1] == ' ' || text[i+1] == '\t') {
			return i + 1
		}
	}
	return -1
}

// Empty reports whether it chooses all rows.
func (f Filter) Empty() bool { return len(f.terms) == 0 }

// Matches reports whether it chooses a row. A word without a field is looked for in texts; fields returns the values of
// a field, nil for a row that has none.
func (f Filter) Matches(texts []string, fields func(name string) []string) bool {
	for i := range f.terms {
		t := &f.terms[i]
		among := texts
		if t.field != "" {
			among = nil
			if fields != nil {
				among = fields(t.field)
			}
		}
		if slices.ContainsFunc(among, t.in) == t.not {
			return false
		}
	}
	return true
}

// in reports whether the term is in a text.
func (t *term) in(text string) bool {
	if t.pattern != nil {
		return t.pattern.MatchString(text)
	}
	return strings.Contains(strings.ToLower(text), t.word)
}
