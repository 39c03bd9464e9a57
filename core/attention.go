package core

import (
	"cmp"
	"slices"
)

// urgency ranks the states in which an agent needs the user, the most urgent first.
var urgency = map[State]int{Waiting: 1, Errored: 2, Exited: 3, Limited: 4, Unknown: 5}

// NeedsUser reports whether the pane's program needs the user or a supervising agent: it
// waits, shows an error or a limit, ended with a failure, or shows a screen that no rule
// recognises. Shells of the user need nobody.
func (p *Pane) NeedsUser() bool {
	if p.Status.State == Unknown && !p.Status.Has(NoteUnreadable) {
		return false
	}
	return !p.IsUser() && urgency[p.Status.State] > 0 && p.Status.Reason != ReasonFinished
}

// PanesNeedingUser returns the agents' panes that need the user: waiting agents first, then
// errors, ended programs, limits and unreadable screens; within each the oldest first.
func (s *Snapshot) PanesNeedingUser() []*Pane {
	panes := slices.DeleteFunc(s.Panes(), func(p *Pane) bool { return !p.IsAgent() || !p.NeedsUser() })
	slices.SortStableFunc(panes, func(a, b *Pane) int {
		return cmp.Or(cmp.Compare(urgency[a.Status.State], urgency[b.Status.State]),
			a.Status.Since.Compare(b.Status.Since))
	})
	return panes
}
