package agent

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"cupola/core/near"
)

// Kinds are the known kinds, in a fixed order: those that come with Cupola, then the user's
// own by id.
type Kinds struct {
	all   []*Kind
	stamp uint64
}

// Load returns the kinds that come with Cupola, changed and extended by every *.toml at the
// top of overrides, the later ones winning. A file whose id (or else name) is a known
// kind's replaces the keys it holds and keeps the others; any other file is a new kind.
// Unreadable files, unknown keys and invalid values are errors that name file and line.
func Load(overrides ...fs.FS) (*Kinds, error) {
	l := newLoader(builtin())
	for _, dir := range overrides {
		names, err := fs.Glob(dir, "*.toml")
		if err != nil {
			return nil, fmt.Errorf("list agent kinds: %w", err)
		}
		for _, name := range names {
			if err := l.override(dir, name); err != nil {
				return nil, err
			}
		}
	}
	return &Kinds{all: l.kinds, stamp: l.read.Sum64()}, nil
}

// Stamp identifies the user's files from which the kinds were read: it differs if they
// differ.
func (ks *Kinds) Stamp() uint64 { return ks.stamp }

// All returns every kind. The caller must not change the slice.
func (ks *Kinds) All() []*Kind { return ks.all }

// Find returns the kind with this id or short name.
func (ks *Kinds) Find(name string) (*Kind, bool) {
	i := slices.IndexFunc(ks.all, func(k *Kind) bool { return string(k.ID) == name || k.Short == name })
	if i < 0 {
		return nil, false
	}
	return ks.all[i], true
}

// Near returns the ids and short names that are similar to name, the nearest first.
func (ks *Kinds) Near(name string) []string {
	var names []string
	for _, k := range ks.all {
		names = append(names, string(k.ID), k.Short)
	}
	return near.Words(strings.TrimSpace(name), names)
}
