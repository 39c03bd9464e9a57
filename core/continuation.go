package core

import (
	"hash/fnv"
	"time"
)

// OnLimit is the reaction of an agent to a usage limit or a server error that ended its turn. The zero value means
// StopAtLimit.
type OnLimit string

// The values of OnLimit.
const (
	StopAtLimit     OnLimit = "stop"
	ContinueAtLimit OnLimit = "continue"
)

// Continuation says whether an agent is continued by itself after a usage limit or a server error ended its turn, and
// how often that was tried. The zero value is an agent that waits for its user.
type Continuation struct {
	Wanted bool `json:"wanted"`
	// Tries counts the attempts in a row, TriedAt is when the last one began.
	Tries   int       `json:"tries,omitempty"`
	TriedAt time.Time `json:"tried_at,omitzero"`
}

// ContinueTries is how often an agent is continued in a row, until it waits for its user.
const ContinueTries = 3

// How long an agent rests that does not say when it can continue: the first time, and at most. Each time in a row is
// twice as long as the one before.
const (
	restFirst = time.Minute
	restMost  = 30 * time.Minute
)

// Not all agents of an account begin in the same second: each has a moment of its own between these.
const (
	jitterLeast = 5 * time.Second
	jitterMost  = 35 * time.Second
)

// OnLimit returns ContinueAtLimit for an agent that is continued, else the zero value.
func (c Continuation) OnLimit() OnLimit {
	if c.Wanted {
		return ContinueAtLimit
	}
	return ""
}

// GaveUp reports whether it was tried as often as it may be.
func (c Continuation) GaveUp() bool { return c.Wanted && c.Tries >= ContinueTries }

// ContinuesAt returns when the agent of a pane is continued. It returns the zero time if it is not: that was not asked
// for, its turn was not ended by a limit or a server error, it tries again by itself, or it was tried too often.
func (p *Pane) ContinuesAt() time.Time {
	c, s := p.Agent.Continues, &p.Status
	if !c.Wanted || c.GaveUp() || s.Has(NoteRetrying) || !p.cutOff() {
		return time.Time{}
	}
	at := s.ResetsAt
	if at.IsZero() || !c.TriedAt.Before(at) {
		begin := s.Since
		if c.TriedAt.After(begin) {
			begin = c.TriedAt
		}
		if begin.IsZero() {
			return time.Time{} // since when it waits is not known
		}
		at = begin.Add(min(restMost, restFirst<<c.Tries))
	}
	return at.Add(p.jitter())
}

// cutOff reports whether a limit or a server error ended the turn.
func (p *Pane) cutOff() bool {
	return p.Status.State == Limited || p.Status.State == Errored && p.Status.Reason == ReasonServer
}

// jitter returns the delay of a pane, which is always the same.
func (p *Pane) jitter() time.Duration {
	sum := fnv.New32a()
	_, _ = sum.Write([]byte(p.ID))
	return jitterLeast + time.Duration(sum.Sum32())*time.Millisecond%(jitterMost-jitterLeast)
}
