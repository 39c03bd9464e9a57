package detect

import (
	"slices"
	"time"

	"cupola/core"
)

// weighing is a judgement under way.
type weighing struct {
	facts *Facts
	// composed is true if the agent's input box is drawn and has the keyboard.
	composed bool
	signals  []Signal
	// decided are the numbers of the signals that made the state.
	decided    []int
	quietSince time.Time
	until      time.Time
}

// weigh gathers every signal.
func weigh(f *Facts) *weighing {
	w := &weighing{facts: f}
	if t := f.ProgramStatus; t != nil && t.State != "" && !t.At.Before(f.Started) {
		w.add(Signal{
			Source: FromStatus,
			Rule:   string(t.State),
			Line:   t.Line,
			State:  t.State,
			Reason: t.Reason,
			Age:    w.facts.age(t.At),
		})
	}
	if h := f.Hook; h != nil && h.State != "" && f.Now.Sub(h.At) < hookLife {
		w.add(Signal{
			Source: FromHook, Rule: h.Event, State: h.State, Reason: h.Reason, Notes: h.Notes,
			Age: w.facts.age(h.At),
		})
	}
	if l := f.Live; l != nil && l.State != "" {
		w.add(Signal{
			Source: FromLive, Rule: string(l.State), Line: l.Line, State: l.State, Reason: l.Reason, Notes: l.Notes,
			Age: w.facts.age(l.At),
		})
	}
	if f.Findings == nil && f.Kind != nil && f.Screen != nil {
		f.Findings = ReadScreen(f.Kind, f.Screen, f.Title)
	}
	if f.Findings != nil {
		w.read()
	}
	return w
}

// read adds what the rules found on the screen and in the title.
func (w *weighing) read() {
	seen := w.facts.Findings
	w.composed = seen.Composed
	w.signals = slices.Grow(w.signals, len(seen.Signals))
	for _, signal := range seen.Signals {
		signal.Age = w.facts.age(seen.Taken)
		w.add(signal)
	}
}

func (w *weighing) add(s Signal) {
	if s.Notes == nil {
		s.Notes = []core.Note{}
	}
	w.signals = append(w.signals, s)
}

// age is how long ago something was, in seconds; 0 where that is not known.
func (f *Facts) age(at time.Time) float64 {
	if at.IsZero() {
		return 0
	}
	return max(0, f.Now.Sub(at).Round(time.Millisecond).Seconds())
}

// fresh reports whether a source spoke within the grace that it has against
// screens.
func (w *weighing) fresh(source Source) bool {
	return slices.ContainsFunc(w.signals, func(s Signal) bool { return s.Source == source && s.Age < grace.Seconds() })
}

// has reports whether a source claims a state.
func (w *weighing) has(state core.State, source Source) bool {
	return slices.ContainsFunc(w.signals, func(s Signal) bool { return s.State == state && s.Source == source })
}

// saysIdle reports whether a source says that the agent is idle, and did not say so before
// the agent began to work.
func (w *weighing) saysIdle(source Source) bool {
	began := time.Time{}
	if w.facts.Before.State == core.Working {
		began = w.facts.Before.Since
	}
	return slices.ContainsFunc(w.signals, func(s Signal) bool {
		return s.State == core.Idle && s.Source == source && (began.IsZero() || s.Age <= w.facts.age(began))
	})
}

// decide decides for a state by what any of the sources claims; it reports false
// if none does.
func (w *weighing) decide(state core.State, sources ...Source) bool {
	found := false
	for i, s := range w.signals {
		if s.State == state && slices.Contains(sources, s.Source) {
			w.decided, found = append(w.decided, i), true
		}
	}
	return found
}

// keep makes what a source says the first of what decided, so that its reason
// counts.
func (w *weighing) keep(state core.State, source Source) {
	rank := func(i int) int {
		if s := &w.signals[i]; s.State == state && s.Source == source {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(w.decided, func(a, b int) int { return rank(a) - rank(b) })
}

// drop leaves out what hooks and files claim that screens contradict.
func (w *weighing) drop(state core.State) {
	for i := range w.signals {
		s := &w.signals[i]
		if s.State == state && (s.Source == FromHook || s.Source == FromLive && state == core.Waiting) {
			s.State, s.Reason = "", ""
		}
	}
}

// prove decides by one signal of its own.
func (w *weighing) prove(s Signal) bool {
	w.add(s)
	w.decided = []int{len(w.signals) - 1}
	return true
}
