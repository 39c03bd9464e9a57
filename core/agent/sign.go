package agent

import (
	"regexp"
	"regexp/syntax"
	"strings"
	"sync"
)

// sign is a pattern that is known to be right. It is compiled when a text may
// match it for the first time: most texts lack what they must hold for that,
// which is found out for a hundredth of what matching costs.
type sign struct {
	expr string

	readOnce, compileOnce sync.Once
	// needs are literals of which a text must hold one; none where that cannot be
	// said.
	needs []string
	re    *regexp.Regexp
}

// signOf returns the sign of a pattern; nil for an empty one.
func signOf(expr string) *sign {
	if expr == "" {
		return nil
	}
	return &sign{expr: expr}
}

func signsOf(exprs []string) []*sign {
	list := make([]*sign, len(exprs))
	for i, expr := range exprs {
		list[i] = signOf(expr)
	}
	return list
}

// MatchString reports whether the text matches.
func (s *sign) MatchString(text string) bool { return s.may(text) && s.compiled().MatchString(text) }

// FindStringIndex returns where the first match begins and ends; nil if there is
// none.
func (s *sign) FindStringIndex(text string) []int {
	if !s.may(text) {
		return nil
	}
	return s.compiled().FindStringIndex(text)
}

// may reports whether the text may match.
func (s *sign) may(text string) bool {
	s.readOnce.Do(func() {
		if parsed, err := syntax.Parse(s.expr, syntax.Perl); err == nil {
			s.needs = needed(parsed)
		}
	})
	if len(s.needs) == 0 {
		return true
	}
	for _, literal := range s.needs {
		if strings.Contains(text, literal) {
			return true
		}
	}
	return false
}

func (s *sign) compiled() *regexp.Regexp {
	s.compileOnce.Do(func() { s.re = regexp.MustCompile(s.expr) })
	return s.re
}

// fewRunes is how many characters of a class are worth looking for one by one.
const fewRunes = 12

// needed returns literals of which each text that matches holds one; none where
// that cannot be said.
func needed(re *syntax.Regexp) []string {
	switch re.Op {
	case syntax.OpLiteral:
		if re.Flags&syntax.FoldCase == 0 {
			return []string{string(re.Rune)}
		}
	case syntax.OpCharClass:
		return runesOf(re.Rune)
	case syntax.OpCapture, syntax.OpPlus:
		return needed(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return needed(re.Sub[0])
		}
	case syntax.OpConcat:
		var best []string
		for _, part := range re.Sub {
			if found := needed(part); rarer(found, best) {
				best = found
			}
		}
		return best
	case syntax.OpAlternate:
		var all []string
		for _, part := range re.Sub {
			found := needed(part)
			if len(found) == 0 {
				return nil
			}
			all = append(all, found...)
		}
		return all
	}
	return nil
}

// runesOf lists the characters of a class, if they are few.
func runesOf(ranges []rune) []string {
	var all []string
	for i := 0; i+1 < len(ranges); i += 2 {
		for r := ranges[i]; r <= ranges[i+1]; r++ {
			if len(all) == fewRunes {
				return nil
			}
			all = append(all, string(r))
		}
	}
	return all
}

// rarer reports whether fewer texts are likely to hold one of a than one of b.
func rarer(a, b []string) bool {
	if len(a) == 0 || len(b) == 0 {
		return len(a) > 0
	}
	shortA, shortB := shortest(a), shortest(b)
	return shortA > shortB || shortA == shortB && len(a) < len(b)
}

func shortest(list []string) int {
	n := len(list[0])
	for _, text := range list {
		n = min(n, len(text))
	}
	return n
}
