package agent

import (
	"cmp"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// fewLiterals is how many literals are worth looking for one by one.
	fewLiterals = 16
	// fewNeeds is how many needs of a pattern are worth asking about.
	fewNeeds = 3
)

// needsOf finds out what a pattern needs.
func needsOf(expr string) needs {
	re, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return needs{}
	}
	found := needs{holds: held(re), chains: chainsOf(re)}
	parts := []*syntax.Regexp{re}
	if re.Op == syntax.OpConcat {
		parts = re.Sub
	}
	if parts[0].Op == syntax.OpBeginText {
		heads, whole := headsOf(parts[1:])
		if heads = shortest(heads); heads[0] != "" {
			found.begins, found.decides = heads, whole
		}
	}
	if found.decides {
		found.holds = nil
	}
	found.holds = slices.DeleteFunc(found.holds, func(n need) bool { return slices.Equal(sortedText(n.list), sortedText(found.begins)) })
	slices.SortStableFunc(found.holds, func(a, b need) int { return cmp.Compare(b.worth(), a.worth()) })
	found.holds = found.holds[:min(len(found.holds), fewNeeds)]
	return found
}

func sortedText(list []string) []string { return slices.Sorted(slices.Values(list)) }

// held returns what each text that matches holds.
func held(re *syntax.Regexp) []need {
	switch re.Op {
	case syntax.OpLiteral:
		return spelt(string(re.Rune), re.Flags&syntax.FoldCase != 0)
	case syntax.OpCharClass:
		if list := runesOf(re.Rune, fewLiterals); len(list) > 0 {
			return []need{{list: list}}
		}
	case syntax.OpCapture, syntax.OpPlus:
		return held(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return held(re.Sub[0])
		}
	case syntax.OpConcat:
		var all []need
		for _, part := range re.Sub {
			all = append(all, held(part)...)
		}
		return all
	case syntax.OpAlternate:
		return anyOf(re.Sub)
	}
	return nil
}

// anyOf puts together what the branches of an alternation need: of each branch
// the need that tells most.
func anyOf(branches []*syntax.Regexp) []need {
	var all need
	for _, branch := range branches {
		found := held(branch)
		if len(found) == 0 {
			return nil
		}
		best := slices.MaxFunc(found, func(a, b need) int { return cmp.Compare(a.worth(), b.worth()) })
		all.list, all.folded = append(all.list, best.list...), all.folded || best.folded
	}
	if all.folded {
		for i, text := range all.list {
			all.list[i] = lowered(text)
		}
	}
	return []need{all}
}

// spelt is what a literal needs. Blanks stand everywhere. Two ASCII letters, k
// and s, fold to characters outside ASCII too; the longest part without them must
// be there as it is.
func spelt(text string, folded bool) []need {
	if folded {
		longest := ""
		for _, part := range strings.FieldsFunc(lowered(text), func(r rune) bool { return r == 'k' || r == 's' || r > unicode.MaxASCII }) {
			if len(part) > len(longest) {
				longest = part
			}
		}
		text = longest
	}
	// The replacement character matches any byte that is no UTF-8.
	if strings.TrimSpace(text) == "" || strings.ContainsRune(text, utf8.RuneError) {
		return nil
	}
	return []need{{list: []string{text}, folded: folded}}
}

// lowered is a text, or a part of one that ends within a character, with its
// ASCII letters in lower case.
func lowered(text string) string {
	bytes := []byte(text)
	for i, b := range bytes {
		bytes[i] = lower(b)
	}
	return string(bytes)
}

// runesOf lists the characters of a class, if they are few and no blanks; of a
// class that is larger, the bytes with which its characters begin.
func runesOf(ranges []rune, few int) []string {
	var runes, starts []string
	for i := 0; i+1 < len(ranges); i += 2 {
		for r := ranges[i]; r <= ranges[i+1]; r++ {
			if unicode.IsSpace(r) || r == utf8.RuneError || len(starts) > few {
				return nil
			}
			text := string(r)
			if len(runes) <= few {
				runes = append(runes, text)
			}
			if start := text[:max(1, len(text)-1)]; len(starts) == 0 || starts[len(starts)-1] != start {
				starts = append(starts, start)
			}
		}
	}
	switch {
	case len(runes) <= few:
		return runes
	case len(starts) <= few:
		return starts
	}
	return nil
}

// worth is how much it tells that a text lacks all of it: the length of the
// shortest literal, and less the more there are.
func (n need) worth() int {
	shortest := len(n.list[0])
	for _, text := range n.list {
		shortest = min(shortest, len(text))
	}
	return 100*shortest - min(len(n.list), 99)
}

// headsOf returns literals with one of which everything begins that matches the
// parts one after another; whole is true if nothing more is asked of it.
func headsOf(parts []*syntax.Regexp) (heads []string, whole bool) {
	heads = []string{""}
	for i, part := range parts {
		more, exact := headOf(part)
		if len(more)*len(heads) > fewLiterals {
			more, exact = []string{""}, false
		}
		var longer []string
		for _, head := range heads {
			for _, tail := range more {
				longer = append(longer, head+tail)
			}
		}
		heads = longer
		if !exact {
			return heads, false
		}
		if i == len(parts)-1 {
			return heads, true
		}
	}
	return heads, true
}

// headOf returns literals with one of which everything begins that matches; exact
// is true if these are all that match.
func headOf(re *syntax.Regexp) (heads []string, exact bool) {
	switch re.Op {
	case syntax.OpEmptyMatch:
		return []string{""}, true
	case syntax.OpLiteral:
		return literalHead(re)
	case syntax.OpCharClass:
		var runes []string
		for i := 0; i+1 < len(re.Rune); i += 2 {
			for r := re.Rune[i]; r <= re.Rune[i+1] && len(runes) <= fewLiterals; r++ {
				runes = append(runes, string(r))
			}
		}
		if len(runes) <= fewLiterals && !slices.Contains(runes, string(utf8.RuneError)) {
			return runes, true
		}
	case syntax.OpCapture:
		return headOf(re.Sub[0])
	case syntax.OpConcat:
		return headsOf(re.Sub)
	case syntax.OpQuest:
		heads, exact = headOf(re.Sub[0])
		return append([]string{""}, heads...), exact
	case syntax.OpPlus:
		heads, _ = headOf(re.Sub[0])
		return heads, false
	case syntax.OpRepeat:
		return repeatedHead(re)
	case syntax.OpAlternate:
		exact = true
		for _, branch := range re.Sub {
			more, all := headOf(branch)
			heads, exact = append(heads, more...), exact && all
		}
		return heads, exact
	}
	return []string{""}, false
}

// literalHead is a literal up to where the case of a letter is no matter.
func literalHead(re *syntax.Regexp) (heads []string, exact bool) {
	text := string(re.Rune)
	end := strings.IndexRune(text, utf8.RuneError)
	if re.Flags&syntax.FoldCase != 0 && end < 0 {
		end = strings.IndexFunc(text, func(r rune) bool { return unicode.SimpleFold(r) != r })
	}
	if end >= 0 {
		return []string{text[:end]}, false
	}
	return []string{text}, true
}

// repeatedHead writes few repetitions out.
func repeatedHead(re *syntax.Regexp) (heads []string, exact bool) {
	one, exact := headOf(re.Sub[0])
	if len(one) != 1 || !exact || re.Max > fewLiterals || re.Min > fewLiterals {
		if re.Min == 0 {
			return []string{""}, false
		}
		return one, false
	}
	for n := re.Min; n <= max(re.Max, re.Min); n++ {
		heads = append(heads, strings.Repeat(one[0], n))
	}
	return heads, re.Max >= re.Min
}

// shortest drops the literals that begin with others.
func shortest(heads []string) []string {
	slices.SortStableFunc(heads, func(a, b string) int { return cmp.Compare(len(a), len(b)) })
	var kept []string
	for _, head := range heads {
		if !slices.ContainsFunc(kept, func(other string) bool { return strings.HasPrefix(head, other) }) {
			kept = append(kept, head)
		}
	}
	return kept
}
