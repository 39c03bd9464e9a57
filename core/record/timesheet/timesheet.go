// Package timesheet computes how long agents were in each state, from the events that
// keepers recorded. It counts no time without a keeper: the time between the last event of
// one keeper and the first event of the next is skipped. It is pure.
package timesheet

import (
	"cmp"
	"slices"
	"time"

	"cupola/core"
)

// Span is a time in which an agent was in one state. A change of keepers splits it.
type Span struct {
	Pane core.PaneID
	// Session, Address and Agent are names at its beginning.
	Session, Address, Agent string
	Kind                    core.Kind
	State                   core.State
	// Reason is why, as far as the event that began it says so.
	Reason   core.Reason
	From, To time.Time
	// Begins is true if the agent entered the state at From rather than being first
	// observed in it; Resumes, if it continued after waiting for the user.
	Begins, Resumes bool
	// Foreign is true for an agent in a foreign session.
	Foreign bool
}

// Within returns the part of a span between two times; ok is false if there is none.
func (s Span) Within(from, to time.Time) (part Span, ok bool) {
	if s.From.Before(from) {
		s.From, s.Begins = from, false
	}
	if s.To.After(to) {
		s.To = to
	}
	return s, s.From.Before(s.To) || s.Begins && s.From.Equal(s.To) && s.From.Before(to)
}

// Of returns the spans in one server's ordered events, by their beginning. kept says that a
// keeper still runs, so that open spans last until now.
func Of(events []core.Event, now time.Time, kept bool) []Span {
	s := sheet{open: map[core.PaneID]*Span{}}
	for i := range events {
		e := &events[i]
		if s.began.IsZero() {
			s.began, s.last = e.At, e.At
		}
		s.add(e)
		s.last = e.At
	}
	if kept {
		s.last = now
	}
	s.closeAll(s.last)
	slices.SortStableFunc(s.spans,
		func(a, b Span) int { return cmp.Or(a.From.Compare(b.From), cmp.Compare(a.Pane, b.Pane)) })
	return s.spans
}

// sheet collects spans while events are read.
type sheet struct {
	spans []Span
	open  map[core.PaneID]*Span
	// began is when the present keeper started, last the time of the last event.
	began, last time.Time
}

func (s *sheet) add(e *core.Event) {
	switch e.Type {
	case core.PaneOpened:
		if e.Kind != "" {
			s.start(e, e.At, core.State(e.To), true)
		}
	case core.AgentFound:
		if span := s.open[e.PaneID]; span != nil && span.State == core.State(e.To) {
			span.Agent, span.Kind = e.Agent, e.Kind
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
		if span := s.open[e.PaneID]; span != nil {
			span.Resumes = span.State == core.Working && core.State(e.From) == core.Waiting
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
	s.open[e.PaneID] = &Span{
		Pane: e.PaneID, Session: e.Session, Address: e.Pane, Agent: e.Agent, Kind: e.Kind, State: state, From: at,
		Begins: begins, Foreign: e.Foreign,
	}
	if state == core.State(e.To) {
		s.open[e.PaneID].Reason = e.Reason
	}
}

func (s *sheet) end(pane core.PaneID, at time.Time) {
	span := s.open[pane]
	if span == nil {
		return
	}
	delete(s.open, pane)
	span.To = at
	if span.From.Before(at) || span.Begins {
		s.spans = append(s.spans, *span)
	}
}

func (s *sheet) closeAll(at time.Time) {
	for pane := range s.open {
		s.end(pane, at)
	}
}

// handOver ends all open spans at the last event of the previous keeper, and begins
// new ones in the same states at the first event of the next.
func (s *sheet) handOver(at time.Time) {
	for pane, span := range s.open {
		next := *span
		s.end(pane, s.last)
		next.From, next.Begins, next.Resumes = at, false, false
		s.open[pane] = &next
	}
	s.began = at
}
