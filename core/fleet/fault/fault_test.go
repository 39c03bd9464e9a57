package fault

import (
	"errors"
	"strings"
	"testing"

	"cupola/core"
	"cupola/core/engine"
)

func TestAServerThatDoesNotAnswerIsBusy(t *testing.T) {
	err := Wrap("status", errors.Join(errors.New("list"), engine.ErrSilent))
	known := core.AsError(err)
	if known.Code != core.EngineBusy || known.Hint == "" ||
		known.Details != (unavailable{Reason: "not_answering"}) ||
		!NotAnswering(err) {
		t.Errorf("got %+v", known)
	}
	hidden := Wrap("status", errors.Join(&engine.HiddenError{PID: 7, Socket: "/s"}))
	if known = core.AsError(hidden); known.Code != core.EngineUnavailable || !NotAnswering(hidden) ||
		!strings.Contains(known.Hint, "kill -USR1 7") || known.Details != (unavailable{"socket_deleted", 7, "/s"}) {
		t.Errorf("got %+v", known)
	}
	other := core.AsError(Wrap("spawn", &engine.OtherServerError{
		OtherServer: engine.OtherServer{Socket: "/a", Env: "TMUX_TMPDIR=/a"}, Missing: "/b",
	}))
	if other.Code != core.EngineUnavailable || !strings.Contains(other.Hint, "'TMUX_TMPDIR=/a'") ||
		!strings.Contains(other.Hint, "CUPOLA_ENGINE_SOCKET=/b") {
		t.Errorf("got %+v", other)
	}
	if NotAnswering(Wrap("status", engine.ErrUnavailable)) {
		t.Error("a missing program does not answer")
	}
}
