package screen

import (
	"slices"

	"cupola/core"
)

// MarkedSet are the agents that were marked, on which acts are done together. The zero value has none.
type MarkedSet struct {
	of map[core.PaneID]bool
	// last is the agent that was marked last.
	last core.PaneID
}

// Toggle marks panes or, if all of them are marked, removes their marks.
func (m *MarkedSet) Toggle(panes ...*core.Pane) {
	if m.of == nil {
		m.of = map[core.PaneID]bool{}
	}
	all := !slices.ContainsFunc(panes, func(p *core.Pane) bool { return !m.of[p.ID] })
	for _, pane := range panes {
		if all {
			delete(m.of, pane.ID)
			continue
		}
		m.of[pane.ID], m.last = true, pane.ID
	}
}

// Range marks the agents among rows from the one that was marked last up to one of them.
func (m *MarkedSet) Range(rows []Row, to int) {
	from := slices.IndexFunc(rows, func(r Row) bool { return r.Pane != nil && r.Pane.ID == m.last })
	if to < 0 {
		return
	}
	if from < 0 {
		from = to
	}
	for _, row := range rows[min(from, to) : max(from, to)+1] {
		if row.Pane != nil && row.Pane.IsAgent() && !m.of[row.Pane.ID] {
			m.Toggle(row.Pane)
		}
	}
}

// Among are the marked agents that there are, in the order of the snapshot.
func (m *MarkedSet) Among(snap *core.Snapshot) []*core.Pane {
	if snap == nil || len(m.of) == 0 {
		return nil
	}
	return core.AddresseesOf(slices.DeleteFunc(snap.Panes(), func(p *core.Pane) bool { return !m.of[p.ID] })).Agents
}

// Has reports whether a pane is marked.
func (m *MarkedSet) Has(pane *core.Pane) bool { return m.of[pane.ID] }

// Clear removes all marks; it reports whether there were some.
func (m *MarkedSet) Clear() bool {
	had := len(m.of) > 0
	*m = MarkedSet{}
	return had
}

// SeenSet are the agents that were acknowledged, with the status that they had then. The zero value has none.
type SeenSet struct{ of map[core.PaneID]core.Status }

// Add takes a pane off those that need the user, until its status changes.
func (s *SeenSet) Add(pane *core.Pane) {
	if s.of == nil {
		s.of = map[core.PaneID]core.Status{}
	}
	s.of[pane.ID] = pane.Status
}

// Remove puts a pane back among those that need the user.
func (s *SeenSet) Remove(pane core.PaneID) { delete(s.of, pane) }

// Has reports whether a pane was acknowledged in the state that it is in.
func (s *SeenSet) Has(pane *core.Pane) bool {
	seen, known := s.of[pane.ID]
	return known && seen.Same(pane.Status) && seen.Since.Equal(pane.Status.Since)
}

// Calling returns the panes that need the user, then those that are done and not looked at yet, the oldest
// first.
func (s *SeenSet) Calling(snap *core.Snapshot) []*core.Pane {
	done := slices.DeleteFunc(snap.Panes(), func(p *core.Pane) bool { return !p.IsDone() })
	slices.SortStableFunc(done, func(a, b *core.Pane) int { return a.Status.Since.Compare(b.Status.Since) })
	return append(s.Needing(snap), done...)
}

// Needing returns the panes that need the user, the most urgent first, without those that were acknowledged since.
func (s *SeenSet) Needing(snap *core.Snapshot) []*core.Pane {
	return slices.DeleteFunc(snap.PanesNeedingUser(), s.Has)
}
