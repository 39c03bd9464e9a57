package conversation

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"cupola/core"
	"cupola/core/agent"
	"cupola/core/agent/transcript"
)

// Resumable is the session of its own that an agent would resume if it were started again.
type Resumable struct {
	// Session is its id, and Started when it began, if that is known; Why says what shows that it is the agent's own.
	// Session is empty if no session is the agent's own for sure.
	Session string
	Started time.Time
	Why     string
	// Lost says what a new session would lose; empty if there is a Session, or nothing to lose. Fits are the sessions
	// that may be the agent's own, the likeliest first.
	Lost string
	Fits []transcript.Fit
	// Unanswered are the prompts that the agent accepted and has not answered, the oldest first, as far as its record
	// shows that.
	Unanswered []Unanswered
}

// Unanswered is a prompt that an agent accepted and has not answered.
type Unanswered struct {
	core.TakenPrompt
	// Started is true if its turn was cut off, false if the prompt waited behind another turn.
	Started bool
}

// unanswered returns the prompts that a record lacks, and the one whose turn has not ended in it.
func unanswered(record *transcript.Account, place *transcript.Subject, kind *agent.Kind) (left []Unanswered) {
	if place.Asked == nil {
		return nil
	}
	for _, prompt := range place.Asked() {
		if kind.TakesForCommand(prompt.Text) {
			continue
		}
		_, over, found := record.TurnOf(prompt.Text, prompt.Sent)
		if !over {
			left = append(left, Unanswered{prompt, found})
		}
		if found {
			break // those before it were answered, or passed over
		}
	}
	slices.Reverse(left)
	return left
}

// ResumableOf finds the session of the agent in a place, of a kind that can resume. screen returns the screen of an
// agent that has ended, or nil. Every new start of an agent uses it.
func ResumableOf(
	ctx context.Context, place *transcript.Subject, kind *agent.Kind, screen func() *core.Screen,
) Resumable {
	if agent.Speaks(kind) {
		if place.Launched == "" {
			return Resumable{} // it took no prompt yet
		}
		return Resumable{Session: place.Launched, Why: "the session is the one that its program named by protocol"}
	}
	record, err := transcript.Read(ctx, place)
	own := &record.Identity
	found := Resumable{Started: record.Started}
	if own.Certain && own.Path != "" && own.Session != "" && err == nil {
		found.Session, found.Why = own.Session, fmt.Sprintf("the session is in %s: %s", own.Path, own.Why)
		found.Unanswered = unanswered(&record, place, kind)
		return found
	}
	if shown := screen(); shown != nil {
		if found.Session = kind.ResumedOn(shown); found.Session != "" {
			found.Why = "the session is on the screen"
			return found
		}
	}
	switch {
	case len(own.Fits) > 0:
		found.Lost, found.Fits = fmt.Sprintf("which of %s is its own is not known", sessionsOf(own.Fits)), own.Fits
	case own.New || !asked(place, kind):
	case own.Certain && own.Session != "" && own.Session == place.Launched:
		found.Session, found.Why = own.Session, "the session is the one that it was started with"
	default:
		found.Lost = "no record of its session was found"
	}
	return found
}

// asked reports whether the agent took a prompt since it was started.
func asked(place *transcript.Subject, kind *agent.Kind) bool {
	return place.Asked != nil && slices.ContainsFunc(place.Asked(),
		func(p core.TakenPrompt) bool { return !kind.TakesForCommand(p.Text) })
}

// sessionsOf names sessions with their last prompts.
func sessionsOf(fits []transcript.Fit) string {
	names := make([]string, len(fits))
	for i, fit := range fits {
		names[i] = fit.Session
		if fit.Prompt != "" {
			names[i] += fmt.Sprintf(" (%q)", fit.Prompt)
		}
	}
	if len(names) == 1 {
		return names[0] + " and others"
	}
	return strings.Join(names, ", ")
}
