package observe

import (
	"slices"

	"cupola/core"
)

// LookedEvent is the name of the hook report about a look at a pane. It changes nothing else.
const LookedEvent = "looked"

// noteTurn marks the status of an agent that ended a turn which was not looked at since. before is the last
// status that is known, which may be one that a keeper left on the pane.
func (k *tracked) noteTurn(status *core.Status, before core.Status) {
	switch before.State {
	case core.Working:
		k.inTurn = true
	case core.Waiting:
		k.inTurn = k.inTurn || HasStarted(before)
	}
	switch status.State {
	case core.Working:
		k.inTurn = true
	case core.Idle:
		ended := k.inTurn || before.State == core.Idle && before.Has(core.NoteDone)
		k.inTurn = false
		if ended && !k.seen(status) {
			status.Notes = append(slices.Clip(status.Notes), core.NoteDone)
			status.Said = before.Said
			if k.turn.Ended.Equal(status.Since) {
				status.Said = k.turn.Said
			}
		}
	case core.Starting, core.Errored, core.Exited, core.Limited:
		k.inTurn = false
	}
}

// seen reports whether the turn whose end a status is was looked at, or interrupted.
func (k *tracked) seen(status *core.Status) bool {
	looked := k.signs.looked
	if k.turn.Looked.After(looked) {
		looked = k.turn.Looked
	}
	since := status.Since
	if since.IsZero() {
		since = k.recorded.Since
	}
	return k.signs.shown || status.Has(core.NoteInterrupted) || !looked.IsZero() && !looked.Before(since)
}
