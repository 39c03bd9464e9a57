package agent

import (
	"sort"
	"strings"

	"github.com/agnivade/levenshtein"
)

// near returns the candidates that name may have been meant for, nearest
// first: those that begin with it, and those a few letters away.
func near(name string, candidates []string) []string {
	type miss struct {
		name     string
		distance int
	}
	name = strings.ToLower(name)
	var misses []miss
	for _, candidate := range candidates {
		distance := levenshtein.ComputeDistance(name, strings.ToLower(candidate))
		begins := len(name) > 1 && strings.HasPrefix(candidate, name) ||
			len(candidate) > 2 && strings.HasPrefix(name, candidate)
		if begins || distance <= max(1, len(name)/3) {
			misses = append(misses, miss{candidate, distance})
		}
	}
	sort.SliceStable(misses, func(i, j int) bool { return misses[i].distance < misses[j].distance })
	names := make([]string, len(misses))
	for i, m := range misses {
		names[i] = m.name
	}
	return names
}
