package screen

import (
	"fmt"
	"time"

	"cupola/core"
	"cupola/tui/layout"
)

// Want is something that is to be read for the display.
type Want struct {
	// Slot keeps the answer.
	Slot Keeper
	// Question is a comparable value, whose type decides who answers it; nil asks nothing.
	Question any
	// Version is comparable. The question is asked again once it is another.
	Version any
	// Follow asks again after each answer. The next one comes once there is news.
	Follow bool
}

// Keeper is a Slot for answers of any type.
type Keeper interface{ keep(w *World, got *Got) }

// Got is an answer as it came.
type Got struct {
	Question, Value any
	// N is the number of the question, Now when it was answered.
	N   int
	Now time.Time
	// Wrong says why there is no answer, Hint what to do about that; both may be empty.
	Wrong, Hint string
}

// Answer is the last answer to a question. The zero value was not read yet.
type Answer[T any] struct {
	Value T
	// Read is true once an answer came, also one that says why nothing could be read.
	Read bool
	Got
}

// Slot keeps the last answer of one sort. The package that shows it owns it.
type Slot[T any] struct{ _ byte } // with a size, so that each has an address of its own

// In returns the last answer; the zero answer if there is none. It must not be changed.
func (s *Slot[T]) In(w *World) *Answer[T] {
	if kept, is := w.answers[s].(*Answer[T]); is {
		return kept
	}
	return &Answer[T]{}
}

// keep stores an answer.
func (s *Slot[T]) keep(w *World, got *Got) {
	value, fits := got.Value.(T)
	if !fits && got.Wrong == "" {
		got.Wrong = fmt.Sprintf("the answer is a %T", got.Value)
	}
	w.answers[s] = &Answer[T]{Value: value, Read: true, Got: *got}
}

// Keep stores the answer to a want.
func (w *World) Keep(slot Keeper, got *Got) {
	if w.answers == nil {
		w.answers = map[Keeper]any{}
	}
	slot.keep(w, got)
}

// Moment changes when the fleet, the minute, or by an act of the user what is on record has changed.
type Moment struct {
	revision core.Revision
	minute   time.Time
	acts     int
}

// Moment is the present one.
func (w *World) Moment() Moment {
	moment := Moment{minute: w.Now.Truncate(time.Minute), acts: w.Acts}
	if w.Snapshot != nil {
		moment.revision = w.Snapshot.Revision
	}
	return moment
}

// Unread draws what is shown in place of an answer that could not be read, or has not been read yet; nil for others.
func Unread[T any](w *World, r layout.Rect, of *Answer[T]) []string {
	switch {
	case of.Wrong != "":
		return Trouble(w, r, of.Wrong)
	case !of.Read:
		return Reading(w, r)
	}
	return nil
}
