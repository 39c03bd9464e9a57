package core

import (
	"cmp"
	"slices"
	"strconv"
)

// urgency ranks the states in which an agent needs the user, the most urgent first.
var urgency = map[State]int{Waiting: 1, Errored: 2, Exited: 3, Limited: 4, Unknown: 5}

// NeedsUser reports whether a program in this state needs the user or a supervising agent: it waits, shows an error or
// a limit, ended with a failure, or shows a screen that no rule recognises.
func (s *Status) NeedsUser() bool {
	if s.State == Unknown && !s.Has(NoteUnreadable) {
		return false
	}
	return urgency[s.State] > 0 && s.Reason != ReasonFinished
}

// NeedsUser reports whether the pane's program needs the user. Shells of the user never do, and snoozed agents do not
// until their time.
func (p *Pane) NeedsUser() bool { return !p.IsUser() && !p.IsSnoozed() && p.Status.NeedsUser() }

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

// NeedYou says how many need the user: "1 needs you", "2 need you".
func NeedYou(n int) string {
	if n == 1 {
		return "1 needs you"
	}
	return strconv.Itoa(n) + " need you"
}
