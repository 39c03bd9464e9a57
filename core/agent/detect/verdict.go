package detect

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"cupola/core"
	"cupola/core/agent"
)

// sure is how far a source can be believed.
var sure = map[Source]float64{
	FromProcess:  1,
	FromStatus:   0.99,
	FromLive:     0.97,
	FromHook:     0.95,
	FromTitle:    0.93,
	FromScreen:   0.9,
	FromMovement: 0.5,
	FromPrompt:   0.8,
}

// general is how far the signs can be believed that many programs share.
const general = 0.6

// guessed is how far the general signs of a failure can be believed, where no rule knows
// the words.
const guessed = 0.75

// strength orders the sources, the strongest first.
var strength = []Source{FromProcess, FromStatus, FromHook, FromLive, FromTitle, FromScreen, FromMovement, FromPrompt}

// verdict says what was decided, by what, and what else was weighed.
func (w *weighing) verdict() Verdict {
	v := Verdict{Status: core.Status{State: core.Unknown}, Until: w.until, QuietSince: w.quietSince}
	sources := map[Source]bool{}
	for n, i := range w.decided {
		s := &w.signals[i]
		s.Decided = true
		sources[s.Source] = true
		v.Confidence = max(v.Confidence, w.facts.belief(s))
		v.Evidence = append(v.Evidence, s.evidence())
		if n == 0 {
			v.State = s.State
		}
		v.Reason = cmp.Or(v.Reason, s.Reason)
		if v.State == core.Limited && v.ResetsAt.IsZero() {
			v.ResetsAt = w.facts.resetsAt(s)
		}
	}
	if len(sources) > 1 {
		v.Confidence = min(0.99, math.Round(100*v.Confidence+3)/100)
	}
	if v.State == core.Waiting && w.facts.Findings != nil {
		v.Asks = w.facts.Findings.Asks
	}
	// The hook comes before the screen is drawn.
	if hook := w.facts.Hook; v.State == core.Waiting && v.Asks == "" && hook != nil && hook.State == core.Waiting {
		v.Asks = hook.Asks
	}
	v.Notes = w.notes(v.State)
	slices.SortStableFunc(w.signals, func(a, b Signal) int {
		if a.Decided != b.Decided {
			if a.Decided {
				return -1
			}
			return 1
		}
		return slices.Index(strength, a.Source) - slices.Index(strength, b.Source)
	})
	v.Signals = w.signals
	return v
}

// Shows reports whether the screen or the title shows a state.
func (v *Verdict) Shows(state core.State) bool {
	return slices.ContainsFunc(v.Signals, func(s Signal) bool {
		return s.State == state && (s.Source == FromScreen || s.Source == FromTitle)
	})
}

// Acts reports whether the agent itself shows that it works or waits.
func (v *Verdict) Acts() bool {
	return (v.State == core.Working || v.State == core.Waiting) &&
		slices.ContainsFunc(v.Signals, func(s Signal) bool {
			return s.Decided && s.Source != FromPrompt && s.Source != FromMovement
		})
}

// belief is how far a signal can be believed.
func (f *Facts) belief(s *Signal) float64 {
	belief := sure[s.Source]
	switch s.Rule {
	case "composer":
		belief = 0.85
	case "blank":
		belief = 0.5
	}
	if strings.HasPrefix(s.Rule, agent.FailureRule) {
		belief = guessed
	}
	if kind := f.Kind; kind != nil && kind.ID == core.KindGeneric {
		belief = min(belief, general)
	}
	return belief
}

// evidence says what was observed, for people.
func (s *Signal) evidence() string {
	text := fmt.Sprintf("%s %s", s.Source, s.Rule)
	if s.Line != "" {
		text += ": " + s.Line
	}
	if s.Source == FromHook && s.Age >= 1 {
		text += fmt.Sprintf(" (%.0f s ago)", s.Age)
	}
	return text
}

// resetsAt is when a limit ends by what a signal says. "In an hour" counts from when that
// was first seen: words that are still there keep their time.
func (f *Facts) resetsAt(s *Signal) time.Time {
	before, said := &f.Before, f.Now
	limited := before.State == core.Limited
	switch {
	case limited && !before.ResetsAt.IsZero() && slices.Contains(before.Evidence, s.evidence()):
		return before.ResetsAt
	case !f.Moved.IsZero() && f.Moved.Before(said):
		said = f.Moved
	case limited && !before.Since.IsZero() && before.Since.Before(said):
		said = before.Since
	}
	return agent.ResetsAt(s.Line, said)
}

// notes returns the notes beside a state: from the signals for that state, and from the signals that claim none.
func (w *weighing) notes(state core.State) []core.Note {
	var notes []core.Note
	for _, known := range []core.Note{
		core.NoteDraft, core.NoteQueued, core.NoteRetrying, core.NoteSubagents, core.NoteContextLow,
		core.NoteInterrupted, core.NoteBackground,
	} {
		for _, s := range w.signals {
			holds := s.State == "" || s.State == state || known == core.NoteDraft || known == core.NoteContextLow
			if known == core.NoteInterrupted {
				holds = state == core.Idle
			}
			if holds && slices.Contains(s.Notes, known) {
				notes = append(notes, known)
				break
			}
		}
	}
	return notes
}
