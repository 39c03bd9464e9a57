package core

import (
	"cmp"
	"slices"
)

// urgency ranks the states in which nothing goes on without somebody: the
// smaller, the sooner.
var urgency = map[State]int{Waiting: 1, Errored: 2, Exited: 3, Limited: 4, Unknown: 5}

// NeedsSomeone reports whether nothing goes on in a pane until a person, or a
// supervising agent, does something: its agent waits, has failed, has reached a
// limit, has ended otherwise than well, or shows what cannot be read.
func (p *Pane) NeedsSomeone() bool {
	if p.Status.State == Unknown && !p.Status.Has(NoteUnreadable) {
		return false
	}
	return p.IsAgent() && urgency[p.Status.State] > 0 && p.Status.Reason != ReasonFinished
}

// Needy returns the panes that need someone, the most urgent first: those that
// wait, then errors, ended programs, limits, and what cannot be read; the oldest first
// in each.
func (s *Snapshot) Needy() []*Pane {
	needy := slices.DeleteFunc(s.Panes(), func(p *Pane) bool { return !p.NeedsSomeone() })
	slices.SortStableFunc(needy, func(a, b *Pane) int {
		return cmp.Or(cmp.Compare(urgency[a.Status.State], urgency[b.Status.State]),
			a.Status.Since.Compare(b.Status.Since))
	})
	return needy
}
