package fleet

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/detect"
)

// hookOf is an edge into a state, one minute after noon.
func hookOf(state core.State) detect.Hook {
	return detect.Hook{Event: "Event", State: state, At: noon.Add(time.Minute), Session: "s"}
}

func TestEdgesAreReadAsTheyWereWritten(t *testing.T) {
	for _, hook := range []detect.Hook{
		hookOf(core.Working),
		{Event: "-", State: core.Waiting, Reason: core.ReasonApproval, At: noon, Session: "a b%20\n,é"},
		{Event: "Stop", State: core.Idle, Notes: []core.Note{core.NoteSubagents, "a,b"}, At: noon},
		{At: noon},
	} {
		tag := encodeHook(hook)
		if got := decodeHook(tag); got == nil || !reflect.DeepEqual(*got, hook) {
			t.Errorf("%q is read as %+v, not %+v", tag, got, hook)
		}
	}
	status := core.Status{State: core.Waiting, Reason: core.ReasonPlan, Since: noon}
	if got := decodeState(encodeState(status)); !got.Same(status) || !got.Since.Equal(noon) {
		t.Errorf("%+v", got)
	}
	if got := decodeState(encodeState(core.Status{State: core.Idle})); got.State != core.Idle || !got.Since.IsZero() {
		t.Errorf("without a moment: %+v", got)
	}
}

func FuzzEdges(f *testing.F) {
	f.Add("Stop idle - subagents 1700000000000 s")
	f.Add("working - 1700000000000")
	f.Fuzz(func(t *testing.T, tag string) {
		if hook := decodeHook(tag); hook != nil {
			if again := decodeHook(encodeHook(*hook)); again == nil || again.State != hook.State || !again.At.Equal(hook.At) {
				t.Errorf("%q is %+v and then %+v", tag, hook, again)
			}
		}
		status := decodeState(tag)
		if word := string(status.State); !isState(word) || strings.Contains(word, " ") {
			t.Errorf("%q is a state of %q", word, tag)
		}
	})
}
