package agent

import (
	"errors"
	"io/fs"
	"slices"
	"strings"

	"cupola/core"

	"cupola/core/text/near"
)

// Kinds are the known kinds, in a fixed order: those that come with Cupola, then the user's
// own by id.
type Kinds struct {
	all []*Kind
	// twins are the kinds by protocol of those kinds that are shown by their screens.
	twins  []*Kind
	faults []*Fault
	stamp  uint64
}

// Load returns the kinds that come with Cupola, changed and extended by every *.toml at the
// top of overrides, the later ones winning. A file whose id (or else name) is a known
// kind's replaces the keys it holds and keeps the others; any other file is a new kind.
// Kinds is never nil: a file that cannot be read or has an invalid value is left out, and so is
// an unknown key. The error says so, with file and line; Faults lists them.
func Load(overrides ...fs.FS) (*Kinds, error) {
	l := &loader{overrides: overrides}
	for again := true; again; {
		again = l.pass()
	}
	l.note()
	ks := &Kinds{all: l.kinds, twins: twins(l.kinds), faults: append(l.broken, l.unknown...), stamp: l.read.Sum64()}
	errs := core.Map(ks.faults, func(fault *Fault) error { return fault.Err })
	return ks, errors.Join(errs...)
}

// Faults lists what is not used of the user's files.
func (ks *Kinds) Faults() []*Fault { return ks.faults }

// Broken returns why the file that describes a kind is not used; nil if there is none.
func (ks *Kinds) Broken(id string) error {
	for _, fault := range ks.faults {
		if fault.Whole && string(fault.Kind) == id {
			return fault.Err
		}
	}
	return nil
}

// Stamp identifies the user's files from which the kinds were read: it differs if they
// differ.
func (ks *Kinds) Stamp() uint64 { return ks.stamp }

// All returns every kind, without the twins by protocol. The caller must not change the slice.
func (ks *Kinds) All() []*Kind { return ks.all }

// Find returns the kind with this id or short name.
func (ks *Kinds) Find(name string) (*Kind, bool) {
	for _, kinds := range [][]*Kind{ks.all, ks.twins} {
		for _, k := range kinds {
			if string(k.ID) == name || k.Short == name {
				return k, true
			}
		}
	}
	return nil, false
}

// Near returns the ids and short names that are similar to name, the nearest first.
func (ks *Kinds) Near(name string) []string {
	var names []string
	for _, k := range ks.all {
		names = append(names, string(k.ID), k.Short)
	}
	return near.Words(strings.TrimSpace(name), names)
}

// WithoutSessionVariables returns an environment without the variables by which programs know that an agent started
// them, of whatever kind: one that is started on its own is no part of that agent's session.
func (ks *Kinds) WithoutSessionVariables(environ []string) []string {
	var patterns []string
	for _, k := range ks.all {
		patterns = append(patterns, k.Headless.Unset...)
	}
	within := Present(environ, patterns)
	return slices.DeleteFunc(slices.Clone(environ), func(pair string) bool {
		name, _, _ := strings.Cut(pair, "=")
		return slices.Contains(within, name)
	})
}

// Present returns the names of the variables of an environment that patterns name, as Headless.Unset has them, sorted.
func Present(environ, patterns []string) []string {
	var names []string
	for _, entry := range environ {
		name, _, _ := strings.Cut(entry, "=")
		if slices.ContainsFunc(patterns, func(pattern string) bool {
			prefix, open := strings.CutSuffix(pattern, "*")
			return name == pattern || open && strings.HasPrefix(name, prefix)
		}) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
