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

	"cupola/core/agent/required"
)

// Pattern is a regular expression. It is compiled when a text may match it for the first
// time. A nil Pattern, or one without an Expr, means that there is no condition.
type Pattern struct {
	Expr string
	// Holds are literals that every match contains; empty if none are known.
	Holds []required.Literals

	once     sync.Once
	compiled *regexp.Regexp
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
		if !p.Holds[i].In(text) {
			return false
		}
	}
	return true
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
