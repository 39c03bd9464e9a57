package core

import (
	"slices"
	"time"
)

// Snapshot holds all sessions, panes and alerts at one moment.
type Snapshot struct {
	Revision Revision  `json:"revision"`
	Taken    time.Time `json:"taken_at"`
	// EngineUp is false when no terminal server runs; there are no sessions then.
	EngineUp bool `json:"engine_up"`
	// SilentSince is when the server stopped answering; zero if it answers. Until it answers again, the sessions are
	// the last seen ones, and neither states nor alerts are judged.
	SilentSince time.Time `json:"silent_since,omitzero"`
	// SilentWhy is why, where that is known: no server can be started for the terminals that are kept, or its socket
	// was deleted.
	SilentWhy string `json:"silent_why,omitempty"`
	// Sessions are sorted by name.
	Sessions []Session `json:"sessions"`
	Alerts   []Alert   `json:"alerts"`
}

// Session finds a session by its exact name, full address, id or identity; nil if there is none.
func (s *Snapshot) Session(name string) *Session {
	for i := range s.Sessions {
		if s.Sessions[i].Called(name) {
			return &s.Sessions[i]
		}
	}
	return nil
}

// Pane finds a pane by id; nil if there is none.
func (s *Snapshot) Pane(id PaneID) *Pane {
	for i := range s.Sessions {
		for j := range s.Sessions[i].Panes {
			if s.Sessions[i].Panes[j].ID == id {
				return &s.Sessions[i].Panes[j]
			}
		}
	}
	return nil
}

// Without returns a snapshot without a pane, and without its session if that has no other; the same one if it has no
// such pane. Both share what they have in common.
func (s *Snapshot) Without(id PaneID) *Snapshot {
	without := *s
	without.Sessions = nil
	for i := range s.Sessions {
		session := s.Sessions[i]
		at := slices.IndexFunc(session.Panes, func(p Pane) bool { return p.ID == id })
		if at >= 0 {
			session.Panes = slices.Delete(slices.Clone(session.Panes), at, at+1)
		}
		if at < 0 || len(session.Panes) > 0 {
			without.Sessions = append(without.Sessions, session)
		}
	}
	return &without
}

// SetAlerts sets the alerts, without the ones about a snoozed agent.
func (s *Snapshot) SetAlerts(alerts []Alert) {
	s.Alerts = slices.DeleteFunc(alerts, func(a Alert) bool {
		pane := s.Pane(a.Pane)
		return pane != nil && pane.IsSnoozed()
	})
}

// Panes returns every pane, session by session.
func (s *Snapshot) Panes() []*Pane {
	total := 0
	for i := range s.Sessions {
		total += len(s.Sessions[i].Panes)
	}
	panes := make([]*Pane, 0, total)
	for i := range s.Sessions {
		for j := range s.Sessions[i].Panes {
			panes = append(panes, &s.Sessions[i].Panes[j])
		}
	}
	return panes
}

// Counts is a snapshot in numbers.
type Counts struct {
	Sessions int `json:"sessions"`
	Panes    int `json:"panes"`
	Agents   int `json:"agents"`
	// Done counts the idle agents with a finished turn not looked at yet.
	Done int `json:"done"`
	// Snoozed counts the agents that are snoozed.
	Snoozed int `json:"snoozed,omitempty"`
	// ByState counts agents only; states without any are absent.
	ByState map[State]int `json:"by_state"`
}

// Shown counts the agents that are shown in a state: those that are Done are not Idle.
func (c *Counts) Shown(state State) int {
	switch state {
	case Done:
		return c.Done
	case Idle:
		return c.ByState[Idle] - c.Done
	}
	return c.ByState[state]
}

// Counts counts sessions, panes and agents.
func (s *Snapshot) Counts() Counts {
	counts := CountPanes(s.Panes())
	counts.Sessions = len(s.Sessions)
	return counts
}

// CountPanes counts panes, and the agents in them.
func CountPanes(panes []*Pane) Counts {
	counts := Counts{ByState: map[State]int{}}
	for _, pane := range panes {
		counts.Panes++
		if pane.IsAgent() {
			counts.Agents++
			counts.ByState[pane.Status.State]++
			if pane.Status.Shown() == Done {
				counts.Done++
			}
			if pane.IsSnoozed() {
				counts.Snoozed++
			}
		}
	}
	return counts
}
