package agent

import (
	"regexp/syntax"
	"slices"
	"unicode"
	"unicode/utf8"
)

// chain is a pattern that can be matched without looking back: steps one after
// another, each of which ends where the next begins. Most frames and prompts are
// such, and they are what is looked for most.
type chain struct {
	// begins and ends are true where nothing may stand before or behind.
	begins, ends bool
	steps        []step
}

// step is a run of characters of a set, which is written as ranges; a most of -1
// is any number.
type step struct {
	set         []rune
	least, most int
}

// fewChains is how many branches of a pattern are worth being tried in turn.
const fewChains = 8

// chainsOf returns the branches of a pattern as chains, in the order in which they
// are tried; nil where one is none.
func chainsOf(re *syntax.Regexp) []chain {
	chains := branches(re)
	for i := range chains {
		if !chains[i].decided() {
			return nil
		}
	}
	return chains
}

// decided reports whether a run never takes what a later step would need.
func (c *chain) decided() bool {
	for i, s := range c.steps {
		for _, next := range c.steps[i+1:] {
			if s.least != s.most && overlap(s.set, next.set) {
				return false
			}
			if next.least > 0 {
				break
			}
		}
	}
	return true
}

func overlap(a, b []rune) bool {
	for i := 0; i < len(a); i += 2 {
		for j := 0; j < len(b); j += 2 {
			if a[i] <= b[j+1] && b[j] <= a[i+1] {
				return true
			}
		}
	}
	return false
}

// branches writes the alternatives of a pattern out; none where that is not done.
func branches(re *syntax.Regexp) []chain {
	if re.Flags&syntax.NonGreedy != 0 && (re.Op == syntax.OpStar || re.Op == syntax.OpPlus || re.Op == syntax.OpQuest || re.Op == syntax.OpRepeat) {
		return nil
	}
	switch re.Op {
	case syntax.OpEmptyMatch:
		return []chain{{}}
	case syntax.OpBeginText:
		return []chain{{begins: true}}
	case syntax.OpEndText:
		return []chain{{ends: true}}
	case syntax.OpCapture:
		return branches(re.Sub[0])
	case syntax.OpAlternate:
		var all []chain
		for _, sub := range re.Sub {
			some := branches(sub)
			if some == nil || len(all)+len(some) > fewChains {
				return nil
			}
			all = append(all, some...)
		}
		return all
	case syntax.OpConcat:
		all := []chain{{}}
		for _, sub := range re.Sub {
			if all = joined(all, branches(sub)); all == nil {
				return nil
			}
		}
		return all
	case syntax.OpLiteral:
		return literalChain(re)
	case syntax.OpQuest:
		if one := setOf(re.Sub[0]); one == nil {
			some := branches(re.Sub[0])
			if some == nil {
				return nil
			}
			return append(some, chain{})
		}
		return run(re.Sub[0], 0, 1)
	case syntax.OpStar:
		return run(re.Sub[0], 0, -1)
	case syntax.OpPlus:
		return run(re.Sub[0], 1, -1)
	case syntax.OpRepeat:
		return run(re.Sub[0], re.Min, re.Max)
	}
	return run(re, 1, 1)
}

// joined puts every tail behind every head.
func joined(heads, tails []chain) []chain {
	if len(heads)*len(tails) > fewChains {
		return nil
	}
	var all []chain
	for _, a := range heads {
		for _, b := range tails {
			if a.ends && len(b.steps) > 0 || b.begins && len(a.steps) > 0 {
				return nil
			}
			all = append(all, chain{a.begins || b.begins, a.ends || b.ends, slices.Concat(a.steps, b.steps)})
		}
	}
	return all
}

func literalChain(re *syntax.Regexp) []chain {
	var c chain
	for _, r := range re.Rune {
		if re.Flags&syntax.FoldCase != 0 && unicode.SimpleFold(r) != r {
			return nil
		}
		c.steps = append(c.steps, step{[]rune{r, r}, 1, 1})
	}
	return []chain{c}
}

// run is a chain of one step; none where that repeats more than one character.
func run(re *syntax.Regexp, least, most int) []chain {
	set := setOf(re)
	if set == nil {
		return nil
	}
	return []chain{{steps: []step{{set, least, most}}}}
}

// setOf returns the characters that a pattern of one character matches, as
// ranges; nil for other patterns.
func setOf(re *syntax.Regexp) []rune {
	switch re.Op {
	case syntax.OpCapture:
		return setOf(re.Sub[0])
	case syntax.OpCharClass:
		return re.Rune
	case syntax.OpAnyChar:
		return []rune{0, unicode.MaxRune}
	case syntax.OpAnyCharNotNL:
		return []rune{0, '\n' - 1, '\n' + 1, unicode.MaxRune}
	case syntax.OpLiteral:
		if len(re.Rune) == 1 && (re.Flags&syntax.FoldCase == 0 || unicode.SimpleFold(re.Rune[0]) == re.Rune[0]) {
			return []rune{re.Rune[0], re.Rune[0]}
		}
	}
	return nil
}

// find returns where the first match of the chains begins and ends; -1 if there
// is none.
func find(chains []chain, text string) (from, to int) {
	floats := slices.ContainsFunc(chains, func(c chain) bool { return !c.begins })
	for from = 0; ; {
		for i := range chains {
			if c := &chains[i]; from == 0 || !c.begins {
				if to = c.match(text, from); to >= 0 {
					return from, to
				}
			}
		}
		if !floats || from >= len(text) {
			return -1, -1
		}
		_, size := utf8.DecodeRuneInString(text[from:])
		from += size
	}
}

// match returns where a match that begins at from ends, -1 if there is none.
func (c *chain) match(text string, from int) int {
	at := from
	for i := range c.steps {
		s := &c.steps[i]
		n := 0
		for n != s.most && at < len(text) {
			r, size := rune(text[at]), 1
			if r >= utf8.RuneSelf {
				r, size = utf8.DecodeRuneInString(text[at:])
			}
			if !within(s.set, r) {
				break
			}
			n, at = n+1, at+size
		}
		if n < s.least {
			return -1
		}
	}
	if c.ends && at < len(text) {
		return -1
	}
	return at
}

func within(set []rune, r rune) bool {
	for i := 0; i < len(set); i += 2 {
		if set[i] <= r && r <= set[i+1] {
			return true
		}
	}
	return false
}
