package fault

import (
	"errors"
	"testing"

	"cupola/core"
	"cupola/core/engine"
)

func TestAServerThatDoesNotAnswerIsUnavailableForNow(t *testing.T) {
	err := Wrap("status", errors.Join(errors.New("list"), engine.ErrSilent))
	known := core.AsError(err)
	if known.Code != core.EngineUnavailable || known.Hint == "" || known.Details != (unavailable{"not_answering"}) ||
		!NotAnswering(err) {
		t.Errorf("got %+v", known)
	}
	if NotAnswering(Wrap("status", engine.ErrUnavailable)) {
		t.Error("a missing program does not answer")
	}
}
