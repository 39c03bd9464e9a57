package agent

import (
	"cmp"
	"errors"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/BurntSushi/toml"
)

// Pattern is a regular expression. It is compiled when a text may match it for the first
// time. A nil Pattern, or one without an Expr, means that there is no condition.
type Pattern struct {
	Expr string
	// Holds are literals that every match contains; empty if none are known.
	Holds []Literals

	once     sync.Once
	compiled *regexp.Regexp
}

// Literals match a text that contains one of them. Where Folded they are lower case, the
// case of ASCII letters does not matter, and texts match too that hold a kelvin or a long s.
type Literals struct {
	Any    []string
	Folded bool
}

// UnmarshalText sets the expression without checking it; Load checks it later.
func (p *Pattern) UnmarshalText(text []byte) error {
	p.Expr, p.Holds = string(text), nil
	return nil
}

func (p *Pattern) given() bool { return p != nil && p.Expr != "" }

// expr returns the expression; empty if the pattern is absent.
func (p *Pattern) expr() string {
	if p == nil {
		return ""
	}
	return p.Expr
}

// regexp returns the compiled expression, which must be valid.
func (p *Pattern) regexp() *regexp.Regexp {
	p.once.Do(func() { p.compiled = regexp.MustCompile(p.Expr) })
	return p.compiled
}

// MatchString reports whether the text matches.
func (p *Pattern) MatchString(text string) bool {
	return p.mayMatch(text) && p.regexp().MatchString(text)
}

// find returns where the first match begins and ends; -1 if there is none.
func (p *Pattern) find(text string) (from, to int) {
	if p.mayMatch(text) {
		if at := p.regexp().FindStringIndex(text); at != nil {
			return at[0], at[1]
		}
	}
	return -1, -1
}

// submatch returns the first match and its groups; nil if there is none.
func (p *Pattern) submatch(text string) []string {
	if !p.mayMatch(text) {
		return nil
	}
	return p.regexp().FindStringSubmatch(text)
}

// mayMatch reports whether the text holds what it must hold to match.
func (p *Pattern) mayMatch(text string) bool {
	for i := range p.Holds {
		if !p.Holds[i].in(text) {
			return false
		}
	}
	return true
}

func (l *Literals) in(text string) bool {
	for _, literal := range l.Any {
		if l.Folded && containsFolded(text, literal) || !l.Folded && strings.Contains(text, literal) {
			return true
		}
	}
	return l.Folded && (strings.Contains(text, kelvin) || strings.Contains(text, longS))
}

// Regular expressions take these for other cases of k and s. No literal is looked for in a
// text that holds one.
const kelvin, longS = "\u212a", "\u017f"

// containsFolded is strings.Contains for a lower-case literal, whatever the case of
// the ASCII letters of the text.
func containsFolded(text, literal string) bool {
	first := literal[0]
	if found := containsFrom(text, literal, first); found || first < 'a' || first > 'z' {
		return found
	}
	return containsFrom(text, literal, first-'a'+'A')
}

// containsFrom is containsFolded for texts in which the literal begins with first.
func containsFrom(text, literal string, first byte) bool {
	for len(text) >= len(literal) {
		at := strings.IndexByte(text, first)
		if at < 0 || at+len(literal) > len(text) {
			return false
		}
		if strings.EqualFold(text[at:at+len(literal)], literal) {
			return true
		}
		text = text[at+1:]
	}
	return false
}

func matchesAny(list []*Pattern, text string) bool {
	return slices.ContainsFunc(list, func(p *Pattern) bool { return p.MatchString(text) })
}

// eachPattern calls do with every pattern in a value, and the key that holds it.
func eachPattern(v reflect.Value, key toml.Key, do func(key toml.Key, p *Pattern)) {
	switch v.Kind() {
	case reflect.Pointer:
		if p, is := v.Interface().(*Pattern); !is {
			eachPattern(v.Elem(), key, do)
		} else if p.given() {
			do(key, p)
		}
	case reflect.Slice:
		for i := range v.Len() {
			eachPattern(v.Index(i), key, do)
		}
	case reflect.Map:
		for entry, value := range v.Seq2() {
			eachPattern(value, append(slices.Clone(key), entry.String()), do)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if field := v.Type().Field(i); field.IsExported() {
				name := cmp.Or(field.Tag.Get("toml"), strings.ToLower(field.Name))
				eachPattern(v.Field(i), append(slices.Clone(key), name), do)
			}
		}
	}
}

// checkPatterns returns the errors of all patterns in a table that do not compile.
func (s source) checkPatterns(table any, key ...string) error {
	var errs []error
	eachPattern(reflect.ValueOf(table), key, func(key toml.Key, p *Pattern) {
		if _, err := regexp.Compile(p.Expr); err != nil {
			errs = append(errs, s.errorf(key, "%w", err))
		}
	})
	return errors.Join(errs...)
}
