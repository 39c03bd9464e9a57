package overview

import (
	"strings"
	"testing"
	"time"

	"cupola/core"
)

func TestEventsAreLinesForPeople(t *testing.T) {
	at := time.Date(2026, 1, 31, 10, 20, 30, 0, time.Local)
	for _, test := range []struct {
		event core.Event
		want  string
	}{
		{
			core.Event{
				At: at, Type: core.StateChanged, Session: "api", Pane: "api.1", Agent: "cc_1", From: "idle",
				To: "working",
			},
			"10:20:30  state_changed    api.1 cc_1 idle → working ",
		},
		{
			core.Event{At: at, Type: core.SessionClosed, Session: "api", Message: "gone"},
			"10:20:30  session_closed   api gone",
		},
		{
			core.Event{At: at, Type: core.Resynced, Snapshot: &core.Snapshot{}},
			"10:20:30  resync           0 sessions, 0 agents ",
		},
	} {
		var got strings.Builder
		for _, cell := range eventLineOf(&test.event).Report().Blocks[0].Lines[0] {
			got.WriteString(cell.Text)
		}
		if got.String() != test.want {
			t.Errorf("got %q, want %q", got.String(), test.want)
		}
	}
}
