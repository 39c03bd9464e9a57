package intent

import (
	"cmp"
	"slices"
	"strings"
)

// Screen is the name of a screen.
type Screen string

// Open opens a screen above the one that is open or, Afresh, in place of all that is.
type Open struct {
	Screen Screen
	// ID is the row to select there; empty for any. Selected is true if the screen is to be about the selection
	// alone.
	ID       string
	Selected bool
	Afresh   bool
}

func (Open) isIntent() {}

// Opener is a key that opens a screen from anywhere.
type Opener struct {
	Screen    Screen
	Key, Does string
	// Alone is true if that needs no session.
	Alone bool
}

// Opens says which screens the keys of a table open.
type Opens int

// What a table opens: no screen, those that need no session, all.
const (
	OpensNone Opens = iota
	OpensAlone
	OpensAll
)

// Tables are all tables of keys.
type Tables struct {
	// Scopes are in the order in which help shows them, without the keys of Openers.
	Scopes  []*Scope
	Openers []Opener
}

// bindings are the keys of the openers that a table has, digits first.
func (t *Tables) bindings(which Opens) []Binding {
	if which == OpensNone {
		return nil
	}
	sorted := slices.Clone(t.Openers)
	slices.SortStableFunc(sorted, func(a, b Opener) int {
		return cmp.Or(len(a.Key)-len(b.Key), strings.Compare(ranked(a.Key), ranked(b.Key)))
	})
	var all []Binding
	for _, one := range sorted {
		if which == OpensAll || one.Alone {
			all = append(all, Bind(Open{Screen: one.Screen, Afresh: true}, "", one.Does, one.Key))
		}
	}
	return all
}

// ranked is a key as keyboards have it in order: 0 is behind 9.
func ranked(key string) string { return strings.Replace(key, "0", ":", 1) }

// full is a table with the keys that open screens.
func (t *Tables) full(s *Scope) *Scope {
	if s.Opens == OpensNone {
		return s
	}
	all := *s
	all.Bindings = slices.Concat(s.Bindings, t.bindings(s.Opens))
	return &all
}

// always are the keys that are active everywhere but in forms.
func (t *Tables) always() []Binding { return append(slices.Clone(General), t.bindings(OpensAll)...) }

// Keymap returns the usual keys.
func (t *Tables) Keymap() *Keymap { return &Keymap{tables: t, made: map[*Scope]*Scope{}} }
