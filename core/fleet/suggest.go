package fleet

import (
	"cmp"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
)

// suggestionsMax is how many near misses an error names.
const suggestionsMax = 5

// near returns the candidates that were probably meant, nearest first: those a
// few letters away, and those that begin with or hold what was typed.
func near(typed string, candidates []string) []string {
	type hit struct {
		name     string
		distance int
	}
	var hits []hit
	low := strings.ToLower(typed)
	for _, name := range candidates {
		other := strings.ToLower(name)
		distance := levenshtein.ComputeDistance(low, other)
		within := distance <= max(1, (len([]rune(low))+1)/3)
		part := len(low) > 1 && (strings.Contains(other, low) || len(other) > 1 && strings.Contains(low, other))
		if within || part {
			hits = append(hits, hit{name, distance})
		}
	}
	slices.SortFunc(hits, func(a, b hit) int {
		return cmp.Or(cmp.Compare(a.distance, b.distance), cmp.Compare(a.name, b.name))
	})
	var names []string
	for _, h := range hits[:min(len(hits), suggestionsMax)] {
		if !slices.Contains(names, h.name) {
			names = append(names, h.name)
		}
	}
	return names
}
