// Package near finds what a mistyped word was probably meant to be. Its results are
// suggestions; no caller executes them.
package near

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"cupola/core"

	"github.com/agnivade/levenshtein"
)

// Most is how many words Words returns at most.
const Most = 3

// longest bounds how much of a word is compared, in characters: comparing takes the
// product of both lengths.
const longest = 100

// The shortest words, in characters, that count as a beginning and as a part, and the
// longest words that do not match with one letter changed.
const beginning, part, short = 2, 3, 3

// Words returns the candidates that word may have been meant for, nearest first: those that differ in case
// or by one typing error, those that it begins, those that it shortens by leaving letters out, those that
// differ by a few errors, those that hold it and those that it holds; if a candidate differs by one error
// only, Words returns it and the candidates that begin with it alone. Equally near ones are in alphabetical
// order, whatever the order of the candidates, and none comes twice. The list is empty, never nil, if none
// is near, and for a word that is too long to be one.
func Words(word string, candidates []string) []string {
	if len(word) > longest*utf8.UTFMax {
		return []string{}
	}
	typed := fold(word)
	var hits []hit
	for _, candidate := range candidates {
		if h := compare(typed, fold(candidate)); h.how != far {
			h.word = candidate
			hits = append(hits, h)
		}
	}
	slices.SortFunc(hits, func(a, b hit) int {
		return cmp.Or(cmp.Compare(a.how, b.how), cmp.Compare(a.errors, b.errors), strings.Compare(a.word, b.word))
	})
	if len(hits) > 0 && hits[0].how <= slip {
		// One typing error leads to the word meant; farther words are noise.
		hits = slices.DeleteFunc(hits, func(h hit) bool { return h.how > prefix })
	}
	hits = slices.CompactFunc(hits, func(a, b hit) bool { return a.word == b.word })
	return core.Map(hits[:min(Most, len(hits))], func(h hit) string { return h.word })
}

// relation is how a candidate is near, the nearest first.
type relation int

const (
	same relation = iota
	slip
	prefix
	shortened
	mistyped
	holds
	held
	far
)

type hit struct {
	word   string
	how    relation
	errors int
}

// compare says how two folded words are near each other.
func compare(typed, candidate []rune) hit {
	errors := levenshtein.ComputeDistance(string(typed), string(candidate))
	if swapped(typed, candidate) {
		errors = 1
	}
	h := hit{errors: errors}
	// One word turned wholly into the other is no typing error.
	typo := errors <= 1+len(typed)/4 && errors < max(len(typed), len(candidate))
	text, other := string(typed), string(candidate)
	switch {
	case errors == 0:
		h.how = same
	case typo && errors == 1 && (len(typed) > short || len(typed) != len(candidate)):
		h.how = slip
	case len(typed) >= beginning && strings.HasPrefix(other, text):
		h.how = prefix
	case len(typed) >= part && shortens(typed, candidate):
		h.how = shortened
	case typo:
		h.how = mistyped
	case len(typed) >= part && strings.Contains(other, text):
		h.how = holds
	case len(candidate) >= part && strings.Contains(text, other):
		h.how = held
	default:
		h.how = far
	}
	return h
}

// shortens reports whether a word begins as another does and has its letters in order,
// as cld has of claude.
func shortens(typed, candidate []rune) bool {
	if len(typed) == 0 || len(candidate) == 0 || typed[0] != candidate[0] {
		return false
	}
	at := 0
	for _, r := range candidate {
		if at < len(typed) && typed[at] == r {
			at++
		}
	}
	return at == len(typed)
}

// swapped reports whether two neighbours changed places and nothing else.
func swapped(a, b []rune) bool {
	if len(a) != len(b) {
		return false
	}
	at := 0
	for at < len(a) && a[at] == b[at] {
		at++
	}
	return at+1 < len(a) && a[at] == b[at+1] && a[at+1] == b[at] && slices.Equal(a[at+2:], b[at+2:])
}

// fold prepares a word to be compared.
func fold(word string) []rune {
	var folded []rune
	for _, r := range word {
		if len(folded) == longest {
			break
		}
		folded = append(folded, r)
	}
	return []rune(strings.ToLower(string(folded)))
}
