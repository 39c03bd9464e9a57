// Package timesheet says how long agents were in each state, from the events that
// keepers recorded. It counts no time without a keeper: the time between the last event
// of one keeper and the first event of the next is skipped. It is pure.
package timesheet

import (
	"cmp"
	"slices"
	"time"

	"cupola/core"
)

// Stint is a time in which an agent was in one state. A change of keepers splits it.
type Stint struct {
	Pane core.PaneID
	// Session, Address and Agent are names at its beginning.
	Session, Address, Agent string
	Kind                    core.Kind
	State                   core.State
	From, To                time.Time
	// Begins is true if the agent entered the state at From rather than being first
	// observed in it; Resumes, if it continued after waiting for the user.
	Begins, Resumes bool
	// Foreign is true for an agent in a session that is not Cupola's.
	Foreign bool
}

// Within returns the part of a stint between two moments; ok is false where there
// is none.
func (s Stint) Within(from, to time.Time) (part Stint, ok bool) {
	if s.From.Before(from) {
		s.From, s.Begins = from, false
	}
	if s.To.After(to) {
		s.To = to
	}
	return s, s.From.Before(s.To) || s.Begins && s.From.Equal(s.To) && s.From.Before(to)
}

// Of returns the stints in one server's ordered events, by their beginning. Kept says
// that a keeper still runs, so that open stints last until now.
func Of(events []core.Event, now time.Time, kept bool) []Stint {
	s := sheet{open: map[core.PaneID]*Stint{}}
	for i := range events {
		e := &events[i]
		if s.began.IsZero() {
			s.began, s.last = e.At, e.At
		}
		s.take(e)
		s.last = e.At
	}
	if kept {
		s.last = now
	}
	s.closeAll(s.last)
	slices.SortStableFunc(s.stints,
		func(a, b Stint) int { return cmp.Or(a.From.Compare(b.From), cmp.Compare(a.Pane, b.Pane)) })
	return s.stints
}

// sheet collects stints while events are read.
type sheet struct {
	stints []Stint
	open   map[core.PaneID]*Stint
	// began is when the present keeper started, last the time of the last event.
	began, last time.Time
}

func (s *sheet) take(e *core.Event) {
	switch e.Type {
	case core.PaneOpened:
		if e.Kind != "" {
			s.start(e, e.At, core.State(e.To), true)
		}
	case core.AgentFound:
		if stint := s.open[e.PaneID]; stint != nil && stint.State == core.State(e.To) {
			stint.Agent, stint.Kind = e.Agent, e.Kind
			return
		}
		s.end(e.PaneID, e.At)
		s.start(e, e.At, core.State(e.To), true)
	case core.StateChanged:
		if s.open[e.PaneID] == nil {
			s.start(e, s.began, core.State(e.From), false)
		}
		s.end(e.PaneID, e.At)
		s.start(e, e.At, core.State(e.To), e.From != e.To)
		if stint := s.open[e.PaneID]; stint != nil {
			stint.Resumes = stint.State == core.Working && core.State(e.From) == core.Waiting
		}
	case core.PaneClosed:
		s.end(e.PaneID, e.At)
	case core.EngineLost:
		s.closeAll(e.At)
	case core.KeeperChanged:
		s.handOver(e.At)
	}
}

func (s *sheet) start(e *core.Event, at time.Time, state core.State, begins bool) {
	if !slices.Contains(core.States, state) {
		return
	}
	s.open[e.PaneID] = &Stint{
		Pane: e.PaneID, Session: e.Session, Address: e.Pane, Agent: e.Agent, Kind: e.Kind, State: state, From: at,
		Begins: begins, Foreign: e.Foreign,
	}
}

func (s *sheet) end(pane core.PaneID, at time.Time) {
	stint := s.open[pane]
	if stint == nil {
		return
	}
	delete(s.open, pane)
	stint.To = at
	if stint.From.Before(at) || stint.Begins {
		s.stints = append(s.stints, *stint)
	}
}

func (s *sheet) closeAll(at time.Time) {
	for pane := range s.open {
		s.end(pane, at)
	}
}

// handOver ends all open stints at the last event of the previous keeper, and begins
// new ones in the same states at the first event of the next.
func (s *sheet) handOver(at time.Time) {
	for pane, stint := range s.open {
		next := *stint
		s.end(pane, s.last)
		next.From, next.Begins, next.Resumes = at, false, false
		s.open[pane] = &next
	}
	s.began = at
}
