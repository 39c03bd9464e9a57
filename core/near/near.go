// Package near finds what a mistyped word was probably meant to be. It only
// suggests; nobody executes a guess.
package near

import (
	"sort"
	"strings"

	"github.com/agnivade/levenshtein"
)

// Most is how many words Words returns at most.
const Most = 3

// Words returns the candidates that word may have been meant for, nearest
// first: those a few typing errors away, those that it begins, and those that
// hold it. It returns an empty list, never nil, if none is near.
func Words(word string, candidates []string) []string {
	type scored struct {
		text     string
		distance int
	}
	var found []scored
	lower := strings.ToLower(word)
	for _, candidate := range candidates {
		other := strings.ToLower(candidate)
		distance := levenshtein.ComputeDistance(lower, other)
		switch {
		case distance <= 1+len(lower)/4:
		case len(lower) >= 2 && strings.HasPrefix(other, lower):
			distance = 5
		case len(lower) >= 3 && strings.Contains(other, lower):
			distance = 6
		default:
			continue
		}
		found = append(found, scored{candidate, distance})
	}
	sort.SliceStable(found, func(i, j int) bool { return found[i].distance < found[j].distance })
	words := make([]string, 0, Most)
	for _, s := range found[:min(Most, len(found))] {
		words = append(words, s.text)
	}
	return words
}
