package screen

import (
	"cupola/core/run"
	"cupola/theme"
	"cupola/tui/intent"
)

// WantRun asks for a run that is listed: while it runs, if another one was read before, and after each act. Head
// describes the run that was read.
func WantRun[T any](w *World, slot *Slot[T], question any, listed *run.Head, head func(read *T) run.Head) Want {
	follow := !listed.State.Ended()
	switch read := slot.In(w); {
	case read.Question != question:
		follow = true
	case read.Wrong == "":
		was := head(&read.Value)
		follow = follow || !was.State.Ended() || listed.State != was.State || listed.Done != was.Done ||
			!listed.Ended.Equal(was.Ended)
	}
	return Want{Slot: slot, Question: question, Version: w.Acts, Follow: follow}
}

// HeadOf returns the head of a run as it was read: nil before that, and the listed one if it could not be read.
func HeadOf[T any](read *Answer[T], listed *run.Head, head func(read *T) run.Head) *run.Head {
	switch {
	case !read.Read:
		return nil
	case read.Wrong != "":
		return listed
	}
	known := head(&read.Value)
	return &known
}

// RunKeys are the tables of keys of a run: while it works, once it is done, and once it has ended before that.
type RunKeys struct{ Works, Done, Stopped intent.Scope }

// Of returns the table for a run in its state.
func (k *RunKeys) Of(h *run.Head) *intent.Scope {
	switch {
	case !h.State.Ended():
		return &k.Works
	case h.State == run.Done:
		return &k.Done
	}
	return &k.Stopped
}

// RunToken is the token of the state of a run, or of a part of one.
func RunToken(state run.State) theme.Token {
	switch state {
	case run.Running:
		return theme.Busy
	case run.Done:
		return theme.Good
	case run.Failed:
		return theme.Danger
	case run.NeedsYou:
		return theme.Ask
	case run.Paused, run.Cancelled, run.Interrupted:
		return theme.Warn
	}
	return theme.Dim
}
