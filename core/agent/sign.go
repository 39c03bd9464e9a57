package agent

import (
	"regexp"
	"regexp/syntax"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// sign is a pattern that is known to be right. It is compiled when a text may
// match it for the first time: most texts lack what they must hold for that,
// which is found out for a hundredth of what matching costs.
type sign struct {
	expr string

	readOnce, compileOnce sync.Once
	// needs are what a text must hold one of.
	needs *needs
	re    *regexp.Regexp
}

// needs are literals of which a text must hold one; none where that cannot be
// said. Where folded they are lower case, and the case of ASCII letters is no
// matter.
type needs struct {
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
		if s.needs = shipped(s.expr); s.needs == nil {
			found := needsOf(s.expr)
			s.needs = &found
		}
	})
	return s.needs.met(text)
}

// needsOf finds out what a pattern needs.
func needsOf(expr string) needs {
	parsed, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return needs{}
	}
	return needed(parsed)
}

// met reports whether a text holds what is needed.
func (n *needs) met(text string) bool {
	for _, literal := range n.list {
		if n.folded && holdsFolded(text, literal) || !n.folded && strings.Contains(text, literal) {
			return true
		}
	}
	return len(n.list) == 0
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

func (s *sign) compiled() *regexp.Regexp {
	s.compileOnce.Do(func() { s.re = regexp.MustCompile(s.expr) })
	return s.re
}

// fewRunes is how many characters of a class are worth looking for one by one.
const fewRunes = 12

// needed returns what each text that matches holds.
func needed(re *syntax.Regexp) needs {
	switch re.Op {
	case syntax.OpLiteral:
		return literal(string(re.Rune), re.Flags&syntax.FoldCase != 0)
	case syntax.OpCharClass:
		return needs{list: runesOf(re.Rune)}
	case syntax.OpCapture, syntax.OpPlus:
		return needed(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return needed(re.Sub[0])
		}
	case syntax.OpConcat:
		var best needs
		for _, part := range re.Sub {
			if found := needed(part); found.worth() > best.worth() {
				best = found
			}
		}
		return best
	case syntax.OpAlternate:
		var all needs
		for _, part := range re.Sub {
			found := needed(part)
			if len(found.list) == 0 {
				return needs{}
			}
			all.list, all.folded = append(all.list, found.list...), all.folded || found.folded
		}
		if all.folded {
			for i, text := range all.list {
				all.list[i] = strings.Map(lowerRune, text)
			}
		}
		return all
	}
	return needs{}
}

// literal is what a literal needs. Blanks stand everywhere. Two ASCII letters, k
// and s, fold to characters outside ASCII too; the longest part without them must
// be there as it is.
func literal(text string, folded bool) needs {
	if folded {
		longest := ""
		for _, part := range strings.FieldsFunc(strings.Map(lowerRune, text), func(r rune) bool { return r == 'k' || r == 's' || r > unicode.MaxASCII }) {
			if len(part) > len(longest) {
				longest = part
			}
		}
		text = longest
	}
	// The replacement character matches any byte that is no UTF-8.
	if strings.TrimSpace(text) == "" || strings.ContainsRune(text, utf8.RuneError) {
		return needs{}
	}
	return needs{list: []string{text}, folded: folded}
}

func lowerRune(r rune) rune {
	if 'A' <= r && r <= 'Z' {
		return r + 'a' - 'A'
	}
	return r
}

// runesOf lists the characters of a class, if they are few.
func runesOf(ranges []rune) []string {
	var all []string
	for i := 0; i+1 < len(ranges); i += 2 {
		for r := ranges[i]; r <= ranges[i+1]; r++ {
			if len(all) == fewRunes || unicode.IsSpace(r) || r == utf8.RuneError {
				return nil
			}
			all = append(all, string(r))
		}
	}
	return all
}

// worth is how much it tells that a text lacks all of it: the length of the
// shortest literal, and less the more there are.
func (n *needs) worth() int {
	if len(n.list) == 0 {
		return 0
	}
	shortest := len(n.list[0])
	for _, text := range n.list {
		shortest = min(shortest, len(text))
	}
	return 100*shortest - min(len(n.list), 99)
}
