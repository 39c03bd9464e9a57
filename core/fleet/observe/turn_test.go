package observe

import (
	"testing"
	"time"

	"cupola/core"
)

// TestATurnIsDoneUntilSomebodyLooks goes through states of one pane, each with the status that a follower had before.
func TestATurnIsDoneUntilSomebodyLooks(t *testing.T) {
	at := func(minute int) time.Time { return time.Date(2026, 11, 20, 12, minute, 0, 0, time.UTC) }
	status := func(state core.State, minute int, notes ...core.Note) core.Status {
		return core.Status{State: state, Since: at(minute), Notes: notes}
	}
	k := &tracked{}
	var before core.Status
	step := func(what string, next core.Status, done bool) {
		t.Helper()
		k.noteTurn(&next, before)
		if got := next.Shown() == core.Done; got != done {
			t.Errorf("%s: done is %v", what, got)
		}
		before = next
	}
	step("a start", status(core.Starting, 0), false)
	step("its prompt", status(core.Idle, 1), false)
	step("work", status(core.Working, 2), false)
	step("an unknown moment", status(core.Unknown, 3), false)
	step("the end", status(core.Idle, 4), true)
	step("later", status(core.Idle, 4), true)
	k.turn = k.turn.and(Turn{Ended: at(4), Said: "all tests pass"})
	step("its reply", status(core.Idle, 4), true)
	if before.Said != "all tests pass" {
		t.Errorf("it said %q", before.Said)
	}
	k.turn = k.turn.and(Turn{Looked: at(5)})
	step("a look", status(core.Idle, 4), false)
	step("after it", status(core.Idle, 4), false)
	step("more work", status(core.Working, 6), false)
	step("a question in it", status(core.Waiting, 7), false)
	step("the second end", status(core.Idle, 8), true)
	if before.Said != "" {
		t.Errorf("it has the reply of another turn: %q", before.Said)
	}
	k.signs.looked = at(9)
	step("a look noted in a tag", status(core.Idle, 8), false)
	step("work", status(core.Working, 10), false)
	step("an interrupt", status(core.Idle, 11, core.NoteInterrupted), false)
	step("work", status(core.Working, 12), false)
	step("a failure", status(core.Errored, 13), false)
	step("rest after it", status(core.Idle, 14), false)
	k.signs.shown = true
	step("work on a display", status(core.Working, 15), false)
	step("its end there", status(core.Idle, 16), false)
	k.signs.shown = false
	step("a display that was left", status(core.Idle, 16), false)
}

func TestAFollowerGoesOnWithWhatAnotherLeft(t *testing.T) {
	ended := core.Status{State: core.Idle, Since: time.Unix(90, 0)}
	for _, c := range []struct {
		recorded core.Status
		done     bool
	}{
		{core.Status{State: core.Working, Since: time.Unix(80, 0)}, true},
		{core.Status{State: core.Idle, Since: time.Unix(90, 0)}, false},
		{core.Status{State: core.Idle, Since: time.Unix(90, 0), Notes: []core.Note{core.NoteDone}, Said: "ok"}, true},
		{core.Status{State: core.Waiting, Reason: core.ReasonLogin}, false},
		{core.Status{}, false},
	} {
		k, status := &tracked{recorded: c.recorded}, ended
		k.noteTurn(&status, c.recorded)
		if status.Shown() == core.Done != c.done || status.Said != c.recorded.Said {
			t.Errorf("after %+v: %+v", c.recorded, status)
		}
	}
}
