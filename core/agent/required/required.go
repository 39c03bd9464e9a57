// Package required finds literals that every match of a regular expression contains, so that most texts need not be
// matched at all.
package required

import (
	"cmp"
	"math"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// maxRunes is how many characters of a class are worth looking for one by one.
	maxRunes = 16
	// maxRequired is how many requirements of a pattern are worth checking.
	maxRequired = 2
)

// Literals match a text that contains one of them. Where Folded they are lower case, the
// case of ASCII letters does not matter, and texts match too that hold a kelvin or a long s.
type Literals struct {
	Any    []string
	Folded bool
}

// By returns the literals that every text holds which matches an expression, the most selective first; empty where none
// are known.
func By(expr string) []Literals {
	re, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return nil
	}
	all := requiredBy(re)
	slices.SortStableFunc(all, func(a, b Literals) int { return cmp.Compare(b.selectivity(), a.selectivity()) })
	return all[:min(len(all), maxRequired)]
}

func requiredBy(re *syntax.Regexp) []Literals {
	switch re.Op {
	case syntax.OpLiteral:
		return requiredText(string(re.Rune), re.Flags&syntax.FoldCase != 0)
	case syntax.OpCharClass:
		return requiredRune(re.Rune)
	case syntax.OpCapture, syntax.OpPlus:
		return requiredBy(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return requiredBy(re.Sub[0])
		}
	case syntax.OpConcat:
		var all []Literals
		for _, part := range re.Sub {
			all = append(all, requiredBy(part)...)
		}
		return all
	case syntax.OpAlternate:
		return requiredByAny(re.Sub)
	}
	return nil
}

// requiredByAny joins the most selective literals of each branch.
func requiredByAny(branches []*syntax.Regexp) []Literals {
	var all Literals
	for _, branch := range branches {
		found := requiredBy(branch)
		if len(found) == 0 {
			return nil
		}
		best := slices.MaxFunc(found, func(a, b Literals) int { return cmp.Compare(a.selectivity(), b.selectivity()) })
		all.Any, all.Folded = append(all.Any, best.Any...), all.Folded || best.Folded
	}
	if all.Folded {
		for i, literal := range all.Any {
			all.Any[i] = lowered(literal)
		}
	}
	slices.Sort(all.Any)
	all.Any = slices.Compact(all.Any)
	return []Literals{all}
}

// requiredText returns the literals that a literal of an expression requires. Blanks are in most rows. Where folded, it
// uses the longest part that has no letters with cases outside ASCII. The replacement character matches any byte that
// is no UTF-8.
func requiredText(text string, folded bool) []Literals {
	if folded {
		folds := func(r rune) bool {
			return r > unicode.MaxASCII && unicode.SimpleFold(r) != r
		}
		longest := ""
		for _, part := range strings.FieldsFunc(lowered(text), folds) {
			if len(part) > len(longest) {
				longest = part
			}
		}
		text = longest
	}
	if strings.TrimSpace(text) == "" || strings.ContainsRune(text, utf8.RuneError) {
		return nil
	}
	return []Literals{{Any: []string{text}, Folded: folded}}
}

// requiredRune lists the characters of a class if they are few, and none is a blank.
func requiredRune(ranges []rune) []Literals {
	var all Literals
	for i := 0; i+1 < len(ranges); i += 2 {
		for r := ranges[i]; r <= ranges[i+1]; r++ {
			if unicode.IsSpace(r) || r == utf8.RuneError || len(all.Any) == maxRunes {
				return nil
			}
			all.Any = append(all.Any, string(r))
		}
	}
	if len(all.Any) == 0 {
		return nil
	}
	return []Literals{all}
}

// selectivity measures how few texts contain one of the literals: the characters of the shortest, blanks left out, and
// less the more literals there are.
func (l *Literals) selectivity() int {
	shortest := math.MaxInt32
	for _, literal := range l.Any {
		shortest = min(shortest, utf8.RuneCountInString(strings.ReplaceAll(literal, " ", "")))
	}
	return 100*shortest - min(len(l.Any), 99)
}

// lowered is a text with its ASCII letters in lower case.
func lowered(text string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, text)
}

// In reports whether a text contains one of them.
func (l *Literals) In(text string) bool {
	for _, literal := range l.Any {
		if l.Folded && ContainsFolded(text, literal) || !l.Folded && strings.Contains(text, literal) {
			return true
		}
	}
	return l.Folded && (strings.Contains(text, kelvin) || strings.Contains(text, longS))
}

// Regular expressions take these for other cases of k and s. No literal is looked for in a
// text that holds one.
const kelvin, longS = "\u212a", "\u017f"

// ContainsFolded is strings.Contains for a lower-case literal, whatever the case of
// the ASCII letters of the text.
func ContainsFolded(text, literal string) bool {
	first := literal[0]
	if found := containsFrom(text, literal, first); found || first < 'a' || first > 'z' {
		return found
	}
	return containsFrom(text, literal, first-'a'+'A')
}

// containsFrom is ContainsFolded for texts in which the literal begins with first.
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
