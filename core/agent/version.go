package agent

import (
	"slices"

	"github.com/BurntSushi/toml"

	"cupola/core"
	"cupola/core/agent/versions"
)

// versionSpec says where a kind shows its version.
type versionSpec struct {
	// Shown find it on the screen, as their first group.
	Shown []*Pattern
	// Seen are the versions whose screens were recorded, the oldest first.
	Seen []string
}

func (s *versionSpec) check(src source) error {
	key := toml.Key{"version", "shown"}
	if err := src.checkPatterns(s, "version"); err != nil {
		return err
	}
	for _, version := range s.Seen {
		if _, ok := versions.Parse(version); !ok {
			return src.errorf(toml.Key{"version", "seen"}, "%q is no version", version)
		}
	}
	for _, p := range s.Shown {
		if p.regexp().NumSubexp() != 1 {
			return src.errorf(key, "%q needs one group, for the version", p.Expr)
		}
	}
	return nil
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

// Unseen returns the newest version whose screens were recorded, empty if none is known, and reports whether a version
// is newer than that: its dialogs and keys may differ. A version that cannot be parsed is not.
func (k *Kind) Unseen(version string) (newest string, unseen bool) {
	k.rulebook()
	seen := k.screen.version.Seen
	if len(seen) == 0 {
		return "", false
	}
	newest = seen[len(seen)-1]
	numbers, known := versions.Parse(version)
	newer, err := versions.ParseRange(">" + newest)
	return newest, known && err == nil && newer.Holds(numbers)
}

// At returns the kind without the rules that do not apply to a version. All rules apply to
// an unknown version, which is empty.
func (k *Kind) At(version string) *Kind {
	numbers, known := versions.Parse(version)
	if !known || !k.Versioned() {
		return k
	}
	if one, found := k.versions.Load(version); found {
		return one.(*Kind) //nolint:errcheck // it holds nothing else
	}
	screen := *k.screen
	screen.rules = slices.DeleteFunc(slices.Clone(screen.rules), func(r *Rule) bool {
		within, err := versions.ParseRange(r.Versions)
		return err == nil && !within.Holds(numbers)
	})
	one := &Kind{
		ID: k.ID, Short: k.Short, Name: k.Name, Launch: k.Launch, Process: k.Process, Keys: k.Keys, Typing: k.Typing,
		History:  k.History,
		readable: k.readable, screen: &screen,
	}
	kept, _ := k.versions.LoadOrStore(version, one)
	return kept.(*Kind) //nolint:errcheck // it holds nothing else
}
