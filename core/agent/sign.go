package agent

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// sign is a pattern that is known to be right. It is compiled when a text may
// match it for the first time: most texts lack what they must hold for that,
// which is found out for a hundredth of what matching costs.
type sign struct {
	expr string

	readOnce, compileOnce sync.Once
	needs                 *needs
	re                    *regexp.Regexp
}

// needs are what a text must hold to match a pattern.
type needs struct {
	// begins are literals with one of which it begins; empty where that cannot be
	// said. Where decides is set, a text that does so matches.
	begins  []string
	decides bool
	// holds are to be met one and all.
	holds []need
	// chains are the pattern itself where it can be said so.
	chains []chain
}

// need are literals of which a text must hold one. Where folded they are lower
// case, and the case of ASCII letters is no matter.
type need struct {
	list   []string
	folded bool
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
func (s *sign) MatchString(text string) bool {
	n := s.needed()
	switch {
	case !n.met(text):
		return false
	case n.decides:
		return true
	case n.chains != nil:
		from, _ := find(n.chains, text)
		return from >= 0
	}
	return s.compiled().MatchString(text)
}

// find returns where the first match begins and ends; -1 if there is none.
func (s *sign) find(text string) (from, to int) {
	n := s.needed()
	if !n.met(text) {
		return -1, -1
	}
	if n.chains != nil {
		return find(n.chains, text)
	}
	at := s.compiled().FindStringIndex(text)
	if at == nil {
		return -1, -1
	}
	return at[0], at[1]
}

func (s *sign) needed() *needs {
	s.readOnce.Do(func() {
		if s.needs = shipped(s.expr); s.needs == nil {
			found := needsOf(s.expr)
			s.needs = &found
		}
	})
	return s.needs
}

func (s *sign) compiled() *regexp.Regexp {
	s.compileOnce.Do(func() { s.re = regexp.MustCompile(s.expr) })
	return s.re
}

// met reports whether a text holds what is needed.
func (n *needs) met(text string) bool {
	if len(n.begins) > 0 && !slices.ContainsFunc(n.begins, func(literal string) bool { return strings.HasPrefix(text, literal) }) {
		return false
	}
	for i := range n.holds {
		if !n.holds[i].met(text) {
			return false
		}
	}
	return true
}

func (n *need) met(text string) bool {
	for _, literal := range n.list {
		if n.folded && holdsFolded(text, literal) || !n.folded && strings.Contains(text, literal) {
			return true
		}
	}
	return false
}

// holdsFolded is strings.Contains for a lower literal, whatever the case of the
// ASCII letters of the text.
func holdsFolded(text, literal string) bool {
	for i := 0; i+len(literal) <= len(text); i++ {
		at := 0
		for at < len(literal) && lower(text[i+at]) == literal[at] {
			at++
		}
		if at == len(literal) {
			return true
		}
	}
	return false
}

func lower(b byte) byte {
	if 'A' <= b && b <= 'Z' {
		return b + 'a' - 'A'
	}
	return b
}
