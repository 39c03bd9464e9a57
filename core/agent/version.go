package agent

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/BurntSushi/toml"

	"cupola/core"
)

// versionSpec says where a kind shows its version.
type versionSpec struct {
	// Shown find it on the screen, as their first group.
	Shown []*Pattern
}

func (s *versionSpec) check(src source) error {
	key := toml.Key{"version", "shown"}
	if err := src.checkPatterns(s, "version"); err != nil {
		return err
	}
	for _, p := range s.Shown {
		if p.regexp().NumSubexp() != 1 {
			return src.errorf(key, "%q needs one group, for the version", p.Expr)
		}
	}
	return nil
}

// bound is one part of a range of versions: ">=2.1".
type bound struct {
	sign    string
	version []int
}

// boundSigns are longest first.
var boundSigns = []string{">=", "<=", ">", "<", "="}

var errVersions = errors.New("is no range of versions such as '>=2.1.0, <2.2'")

// parseVersions reads a range of versions; an empty one holds for all.
func parseVersions(text string) ([]bound, error) {
	if strings.TrimSpace(text) == "" {
		return nil, nil
	}
	var bounds []bound
	for part := range strings.SplitSeq(text, ",") {
		part = strings.TrimSpace(part)
		i := slices.IndexFunc(boundSigns, func(sign string) bool { return strings.HasPrefix(part, sign) })
		if i < 0 {
			return nil, fmt.Errorf("%q %w", text, errVersions)
		}
		version, ok := parseVersion(part[len(boundSigns[i]):])
		if !ok {
			return nil, fmt.Errorf("%q %w", text, errVersions)
		}
		bounds = append(bounds, bound{boundSigns[i], version})
	}
	return bounds, nil
}

// parseVersion reads the numbers of a version. A suffix, as in
// 1.2.3-beta, is ignored.
func parseVersion(text string) ([]int, bool) {
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

// inside reports whether a version is in a range. Numbers that one side lacks
// count as 0.
func inside(version []int, bounds []bound) bool {
	for _, b := range bounds {
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

// Versioned reports whether some rules of the kind hold for some versions only.
func (k *Kind) Versioned() bool { return k.rulebook().versioned }

// VersionOn returns the version that a screen shows; empty if it shows none.
func (k *Kind) VersionOn(screen *core.Screen) string {
	k.rulebook()
	for _, p := range k.screen.version.Shown {
		for _, line := range screen.Lines {
			if at := p.submatch(clean(line)); len(at) > 1 {
				return at[1]
			}
		}
	}
	return ""
}

// At returns the kind without the rules that do not apply to a version. All rules apply to
// an unknown version, which is empty.
func (k *Kind) At(version string) *Kind {
	numbers, known := parseVersion(version)
	if !known || !k.Versioned() {
		return k
	}
	if one, found := k.versions.Load(version); found {
		return one.(*Kind) //nolint:errcheck // it holds nothing else
	}
	screen := *k.screen
	screen.rules = slices.DeleteFunc(slices.Clone(screen.rules), func(r *Rule) bool {
		bounds, err := parseVersions(r.Versions)
		return err == nil && !inside(numbers, bounds)
	})
	one := &Kind{
		ID: k.ID, Short: k.Short, Name: k.Name, Launch: k.Launch, Process: k.Process, Keys: k.Keys, Typing: k.Typing,
		History:  k.History,
		readable: k.readable, screen: &screen,
	}
	kept, _ := k.versions.LoadOrStore(version, one)
	return kept.(*Kind) //nolint:errcheck // it holds nothing else
}
