package scripted

import (
	"fmt"
	"time"
)

// begin starts a turn.
func (a *agent) begin(p prompt) {
	a.echo(p)
	a.turn = &turn{acts: script(p.text, a.now), since: a.now, began: a.now}
}

// echo prints a prompt into the transcript.
func (a *agent) echo(p prompt) {
	a.transcript.print(block{mark: MarkPrompt, text: p.shown, sgr: sgrBold, apart: true})
}

// advance does everything that is due at the given moment.
func (a *agent) advance(now time.Time) {
	a.now = now
	for a.ended == nil {
		switch {
		case a.turn != nil:
			if !a.step() {
				return
			}
		case len(a.queue) > 0:
			next := a.queue[0]
			a.queue = a.queue[1:]
			a.begin(next)
		default:
			return
		}
	}
}

// step ends the running act if its time is up and reports whether it was.
func (a *agent) step() bool {
	act := a.turn.current()
	if act == nil {
		a.finish(OutcomeDone + span(a.turn.since.Sub(a.turn.began)))
		return true
	}
	due := a.due()
	if act.asks != nil || due.After(a.now) {
		return false
	}
	a.transcript.print(act.prints)
	a.turn.pass(due)
	if act.ends == nil {
		return true
	}
	a.turn = nil
	if act.ends.reason != "" {
		a.end(*act.ends)
	}
	return true
}

// due is when the running act is over.
func (a *agent) due() time.Time {
	return a.turn.since.Add(a.traits.scale(a.turn.current().hold))
}

// finish ends the turn with a line that says how.
func (a *agent) finish(outcome string) {
	a.transcript.print(block{mark: MarkOutcome, text: outcome, sgr: sgrDim})
	a.turn = nil
}

// next is when the agent wants to advance; zero means that it waits for a key.
func (a *agent) next() time.Time {
	if a.turn == nil || a.turn.current() == nil || a.dialog() != nil {
		return time.Time{}
	}
	due, frame := a.due(), a.now.Add(frameTime)
	if due.Before(frame) {
		return due
	}
	return frame
}

// span writes a duration in whole seconds: 7s, 2m 5s.
func span(d time.Duration) string {
	s := int(d / time.Second)
	if s < 60 {
		return fmt.Sprintf("%ds", s)
	}
	return fmt.Sprintf("%dm %ds", s/60, s%60)
}
