// Package versions compares versions of programs with ranges of them.
package versions

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// bound is one part of a range of versions: ">=2.1".
type bound struct {
	sign    string
	version []int
}

// boundSigns are longest first.
var boundSigns = []string{">=", "<=", ">", "<", "="}

var errVersions = errors.New("is no range of versions such as '>=2.1.0, <2.2'")

// Range is a range of versions. The zero value holds for all.
type Range []bound

// ParseRange reads a range of versions; an empty one holds for all.
func ParseRange(text string) (Range, error) {
	if strings.TrimSpace(text) == "" {
		return nil, nil
	}
	var bounds Range
	for part := range strings.SplitSeq(text, ",") {
		part = strings.TrimSpace(part)
		i := slices.IndexFunc(boundSigns, func(sign string) bool { return strings.HasPrefix(part, sign) })
		if i < 0 {
			return nil, fmt.Errorf("%q %w", text, errVersions)
		}
		version, ok := Parse(part[len(boundSigns[i]):])
		if !ok {
			return nil, fmt.Errorf("%q %w", text, errVersions)
		}
		bounds = append(bounds, bound{boundSigns[i], version})
	}
	return bounds, nil
}

// Parse reads the numbers of a version. A suffix, as in
// 1.2.3-beta, is ignored.
func Parse(text string) ([]int, bool) {
	text, _, _ = strings.Cut(strings.TrimPrefix(strings.TrimSpace(text), "v"), "-")
	var numbers []int
	for part := range strings.SplitSeq(text, ".") {
		n, err := strconv.Atoi(part)
		if err != nil || n < 0 {
			return nil, false
		}
		numbers = append(numbers, n)
	}
	return numbers, true
}

// Holds reports whether a version is in the range. Numbers that one side lacks count as 0.
func (r Range) Holds(version []int) bool {
	for _, b := range r {
		order := 0
		for i := 0; i < max(len(version), len(b.version)) && order == 0; i++ {
			order = cmp.Compare(numberAt(version, i), numberAt(b.version, i))
		}
		holds := strings.Contains(b.sign, "=") && order == 0 || strings.HasPrefix(b.sign, ">") && order > 0 ||
			strings.HasPrefix(b.sign, "<") && order < 0
		if !holds {
			return false
		}
	}
	return true
}

func numberAt(version []int, i int) int {
	if i < len(version) {
		return version[i]
	}
	return 0
}
