package detect

import (
	"fmt"
	"slices"
	"time"

	"cupola/core"
)

const (
	// grace is how long an edge of a hook outweighs a screen that shows
	// something else: the program may not have drawn yet what it reported.
	grace = 3 * time.Second
	// hookLife is how long an edge counts where no screen was read.
	hookLife = 10 * time.Minute
	// calm is how long screens must show no work until an agent counts as idle
	// that worked before, where nothing but screens says so.
	calm = time.Second
	// steady is how long another reason for work must be given until it counts:
	// thinking, writing and tools take turns within moments.
	steady = time.Second
	// unreadStill is how long a screen that cannot be read must not change until
	// it is reported, unreadLong how long one that moves may go unread.
	unreadStill = 5 * time.Second
	unreadLong  = 20 * time.Second
	// blankRows is the most rows that a terminal shows on which no program has
	// drawn yet: the command line and a warning or two.
	blankRows = 6
)

// Judge returns the verdict on the facts. Proof that the program has ended takes
// precedence, then a visible dialog, then any sign of work, then errors and limits, and
// last signs that it is ready. A hook that newer screens contradict is ignored, because
// agents report neither interrupts nor rejected approvals. The state is Unknown if no
// signal decides.
func Judge(f Facts) Verdict {
	w := weigh(&f)
	decisions := []func() bool{
		w.exited, w.settingUp, w.programStatus,
		w.waiting, w.working, w.asked, w.failed, w.starting, w.idle, w.moving, w.redrawing,
	}
	for _, decide := range decisions {
		if decide() {
			break
		}
	}
	w.expire()
	v := w.verdict()
	v.keepReason(&f)
	v.Doubt(&f)
	return v
}

// Doubt adds a note if the state has been unknown for a while: the screen has not
// changed for some seconds, or nothing it showed for longer could be read. It removes the note from a state that
// is known after all.
func (v *Verdict) Doubt(f *Facts) {
	v.Notes = slices.DeleteFunc(v.Notes, func(note core.Note) bool { return note == core.NoteUnreadable })
	if v.State != core.Unknown || f.Kind == nil || !f.Kind.Readable() || f.Findings == nil && f.Screen == nil {
		return
	}
	var at time.Time
	if !f.Moved.IsZero() {
		at = f.Moved.Add(unreadStill)
	}
	if f.Before.State == core.Unknown && !f.Before.Since.IsZero() {
		if end := f.Before.Since.Add(unreadLong); at.IsZero() || end.Before(at) {
			at = end
		}
	}
	if at.IsZero() && !f.Follows && !f.Started.IsZero() {
		// A single observation does not know since when, only that the agent is not new.
		at = f.Started.Add(max(unreadLong, f.Kind.Launch.Timeout))
	}
	switch {
	case at.IsZero():
	case !f.Now.Before(at):
		v.Notes = append(v.Notes, core.NoteUnreadable)
	case v.Until.IsZero() || at.Before(v.Until):
		v.Until = at
	}
}

// keepReason keeps the reason of an agent that is still working until other reasons have been given for a while. Only
// callers that follow a pane wait for that.
func (v *Verdict) keepReason(f *Facts) {
	was := f.Before
	if !f.Follows || v.State != core.Working || was.State != core.Working || was.Reason == "" ||
		was.Reason == core.ReasonAsked || v.Reason == was.Reason {
		return
	}
	since := f.OtherSince
	if since.IsZero() {
		since = f.Now
	}
	end := since.Add(steady)
	if !f.Now.Before(end) {
		return
	}
	v.Reason, v.OtherSince = was.Reason, since
	if v.Until.IsZero() || end.Before(v.Until) {
		v.Until = end
	}
}

// expire has the verdict end with the grace of what decided it against a screen
// that shows the agent ready.
func (w *weighing) expire() {
	if !w.composed {
		return
	}
	for _, i := range w.decided {
		s := &w.signals[i]
		left := grace - time.Duration(s.Age*float64(time.Second))
		if (s.Source == FromHook || s.Source == FromLive) && left > 0 &&
			(s.State == core.Waiting || s.State == core.Working) {
			if end := w.facts.Now.Add(left); w.until.IsZero() || end.Before(w.until) {
				w.until = end
			}
		}
	}
}

// exited decides by the process alone.
func (w *weighing) exited() bool {
	p := w.facts.Process
	died := func(reason core.Reason, line string) bool {
		return w.prove(Signal{Source: FromProcess, Rule: "dead", Line: line, State: core.Exited, Reason: reason})
	}
	switch {
	case p.Dead && p.Signal != 0:
		return died(core.ReasonKilled, fmt.Sprintf("ended by signal %d", p.Signal))
	case p.Dead && p.ExitStatus < 0:
		return died(
			core.ReasonFinished,
			"the program ended; how is not known, because the terminal server had been killed",
		)
	case p.Dead && p.ExitStatus == core.SetupFailed:
		return died(core.ReasonSetup, "its worktree could not be set up")
	case p.Dead && p.ExitStatus != 0:
		return died(core.ReasonFailed, fmt.Sprintf("ended with status %d", p.ExitStatus))
	case p.Dead:
		return died(core.ReasonFinished, "the program ended")
	case w.facts.Gone && w.leftovers():
		return w.prove(Signal{
			Source: FromProcess, Rule: "gone", State: core.Exited, Reason: core.ReasonKilled,
			Line: w.facts.Process.Command + " is in the foreground of a screen that the agent did not clear",
		})
	case w.facts.Gone:
		return w.prove(Signal{
			Source: FromProcess, Rule: "gone", Line: w.facts.Process.Command + " is in the foreground",
			State: core.Exited, Reason: core.ReasonFinished,
		})
	}
	return false
}

// settingUp decides by the program that runs before the agent.
func (w *weighing) settingUp() bool {
	return w.facts.SettingUp && w.prove(Signal{
		Source: FromProcess, Rule: "setup", Line: "its worktree is set up", State: core.Starting,
		Reason: core.ReasonSetup,
	})
}

// leftovers reports whether the agent's own screen is still there. A program that ends by itself clears it; a killed
// one does not.
func (w *weighing) leftovers() bool {
	seen := w.facts.Findings
	return seen != nil && seen.Alternate && (seen.Composed || !w.facts.Kind.Readable())
}

// waiting decides where a dialog is open. What a hook or the agent's own file
// says of one counts while no composer is drawn, or for a moment: agents report
// a dialog up to a second before they draw it. A dialog that offers what to do about a
// limit is that limit.
func (w *weighing) waiting() bool {
	if slices.ContainsFunc(w.signals, func(s Signal) bool { return s.Dialog && s.State == core.Limited }) {
		w.drop(core.Waiting)
		return w.decide(core.Limited, FromScreen)
	}
	if w.sketched() {
		return true
	}
	if w.decide(core.Waiting, FromScreen, FromTitle) {
		w.decide(core.Waiting, FromHook, FromLive)
		w.keep(core.Waiting, FromScreen)
		return true
	}
	if w.composed && (w.shown() || !w.fresh(FromHook) && !w.fresh(FromLive)) {
		w.drop(core.Waiting)
		return false
	}
	return w.decide(core.Waiting, FromLive, FromHook)
}

// sketched keeps what was before where rows look like a dialog that shows nothing to choose, unless another source
// reports one, until they have lasted for a while: a screen that is being drawn has such rows.
func (w *weighing) sketched() bool {
	f := w.facts
	switch f.Before.State {
	case core.Working, core.Idle, core.Errored, core.Limited:
	default:
		return false
	}
	reported := func(s Signal) bool { return s.State == core.Waiting && s.Source != FromScreen }
	return f.Follows && f.Findings != nil && f.Findings.Sketched &&
		!slices.ContainsFunc(w.signals, reported) && w.stay("drawing", "a moment ago it was so")
}

// shown reports whether the dialog that a hook or the agent's own file reports has been on the screen. If it has gone
// since, it was answered.
func (w *weighing) shown() bool {
	f := w.facts
	after := func(at time.Time) bool { return f.Dialog.After(at) }
	return !f.Dialog.IsZero() && (f.Hook == nil || after(f.Hook.At)) && (f.Live == nil || after(f.Live.At))
}

// working decides where a source says so that no stronger one contradicts.
func (w *weighing) working() bool {
	switch {
	case w.has(core.Working, FromLive):
	case w.saysIdle(FromLive):
		// The file is rewritten at once; screens come later.
		return false
	case w.saysIdle(FromHook) && w.fresh(FromHook):
		return false
	case w.has(core.Working, FromTitle), w.has(core.Working, FromScreen):
	case !w.has(core.Working, FromHook):
		return w.settling()
	case w.composed && !w.fresh(FromHook):
		w.drop(core.Working)
		return w.settling()
	}
	return w.decide(core.Working, FromHook, FromLive, FromTitle, FromScreen)
}

// settling keeps an agent working that worked before, until screens have shown
// for a while that it does not.
func (w *weighing) settling() bool {
	f := w.facts
	sure := w.saysIdle(FromLive) || w.saysIdle(FromHook) || w.has(core.Idle, FromTitle)
	if !f.Follows || f.Before.State != core.Working || sure || !w.composed || w.has(core.Errored, FromScreen) ||
		w.has(core.Limited, FromScreen) {
		return false
	}
	return w.stay("settling", "it worked a moment ago")
}

// redrawing keeps what was before for a while where nothing is known: some
// programs clear their screen before they draw it again.
func (w *weighing) redrawing() bool {
	f := w.facts
	switch f.Before.State {
	case "", core.Unknown, core.Starting, core.Exited:
		return false
	}
	return f.Follows && f.Kind != nil && f.Kind.Readable() && w.stay("redrawing", "a moment ago it was so")
}

// stay decides for what was before, until that has been in doubt for a while.
func (w *weighing) stay(rule, why string) bool {
	f := w.facts
	w.quietSince = f.QuietSince
	if w.quietSince.IsZero() {
		w.quietSince = f.Now
	}
	end := w.quietSince.Add(calm)
	if !f.Now.Before(end) {
		return false
	}
	w.until = end
	return w.prove(Signal{
		Source: FromMovement, Rule: rule, Line: why, State: f.Before.State, Reason: f.Before.Reason,
		Notes: f.Before.Notes,
	})
}

// asked decides that an agent works which was given a prompt less than grace ago and has shown nothing since: until it
// draws its turn, its screen shows the state of the turn before.
func (w *weighing) asked() bool {
	f := w.facts
	if f.Asked.IsZero() || f.Kind == nil || !f.Kind.Readable() || f.Acted.After(f.Asked) {
		return false
	}
	end := f.Asked.Add(grace)
	since := f.age(f.Asked)
	acted := func(s Signal) bool { return s.reported() && s.Age < since }
	if f.Now.Before(f.Asked) || !f.Now.Before(end) || slices.ContainsFunc(w.signals, acted) {
		return false
	}
	if w.until.IsZero() || end.Before(w.until) {
		w.until = end
	}
	return w.prove(Signal{
		Source: FromPrompt, Rule: "asked", Line: "it was given a prompt, and has not shown what it does with it",
		State: core.Working, Reason: core.ReasonAsked, Age: since,
	})
}

// failed decides by what the last turn ended with.
func (w *weighing) failed() bool {
	if w.decide(core.Limited, FromScreen, FromHook) {
		return true
	}
	return w.decide(core.Errored, FromScreen, FromHook)
}

// starting decides where the program has not drawn what it draws once it is
// ready.
func (w *weighing) starting() bool {
	f := w.facts
	if f.Ready {
		w.drop(core.Starting)
		return false
	}
	if w.decide(core.Starting, FromScreen, FromTitle) {
		return true
	}
	if f.Kind == nil || !f.Kind.Readable() || f.Findings == nil || w.composed || w.has(core.Idle, FromLive) ||
		!f.Findings.Blank {
		return false
	}
	return w.prove(Signal{Source: FromScreen, Rule: "blank", Line: "nothing of it is drawn yet", State: core.Starting})
}

// idle decides by proof. If a screen was read and shows no composer, what hooks and files report counts for grace only,
// in which the program may draw it again. Before a composer was drawn once, it does not count: hooks know nothing of
// the dialogs of a start.
func (w *weighing) idle() bool {
	if f := w.facts; f.Findings != nil && f.Kind != nil && f.Kind.Readable() && !w.composed {
		for i := range w.signals {
			s := &w.signals[i]
			if s.State == core.Idle && s.reported() && (!f.Ready || s.Age >= grace.Seconds()) {
				s.State = ""
			}
		}
	}
	return w.decide(core.Idle, FromLive, FromHook, FromTitle, FromScreen)
}

// moving decides for programs without rules: one that prints works. A caller
// that keeps polling knows that better than one that reads the screen once.
func (w *weighing) moving() bool {
	f := w.facts
	switch {
	case f.Kind == nil || f.Kind.Readable():
		return false
	case f.Kept != "":
		return f.Kept == core.Working &&
			w.prove(Signal{Source: FromMovement, Rule: "kept", Line: "its screen keeps changing", State: core.Working})
	case f.Moved.IsZero() || f.Now.Sub(f.Moved) >= grace:
		return false
	}
	w.until = f.Moved.Add(grace)
	return w.prove(Signal{Source: FromMovement, Rule: "moved", Line: "its screen changes", State: core.Working})
}
