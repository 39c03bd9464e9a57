package panetag

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/agent/detect"
)

// noon is the clock of these tests. Fixtures of fleettest would be an import cycle here.
var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

func TestEdgesAreReadAsTheyWereWritten(t *testing.T) {
	for _, hook := range []detect.Hook{
		{Event: "Event", State: core.Working, At: noon.Add(time.Minute), Session: "s"},
		{Event: "-", State: core.Waiting, Reason: core.ReasonApproval, At: noon, Session: "a b%20\n,é"},
		{Event: "Stop", State: core.Idle, Notes: []core.Note{core.NoteSubagents, "a,b"}, At: noon},
		{At: noon},
		{Event: "Stop", State: core.Idle, At: noon, Session: "s", Kind: "claude", PID: 4711, Start: 1 << 40},
	} {
		tag := EncodeHook(hook)
		if got := DecodeHook(tag); got == nil || !reflect.DeepEqual(*got, hook) {
			t.Errorf("%q is read as %+v, not %+v", tag, got, hook)
		}
	}
	status := core.Status{State: core.Waiting, Reason: core.ReasonPlan, Since: noon}
	if got := DecodeState(EncodeState(status)); !got.Same(status) || !got.Since.Equal(noon) {
		t.Errorf("%+v", got)
	}
	done := core.Status{
		State: core.Idle, Since: noon, Notes: []core.Note{core.NoteDraft, core.NoteDone},
		Said: "all 41 tests - é %20 pass",
	}
	got := DecodeState(EncodeState(done))
	if !got.Has(core.NoteDone) || got.Said != done.Said || got.Has(core.NoteDraft) {
		t.Errorf("%+v", got)
	}
	if got := DecodeState(EncodeState(core.Status{State: core.Idle})); got.State != core.Idle || !got.Since.IsZero() {
		t.Errorf("without a moment: %+v", got)
	}
}

func TestVariablesAreReadAsTheyWereWritten(t *testing.T) {
	env := map[string]string{"HOME": "/home/a b=c %20é", "EMPTY": "", "OTHER": "/x"}
	read := DecodeEnv(EncodeEnv([]string{"HOME", "EMPTY", "MISSING"}, func(name string) string { return env[name] }))
	for name, want := range map[string]string{"HOME": env["HOME"], "EMPTY": "", "MISSING": "", "OTHER": ""} {
		if got := read(name); got != want {
			t.Errorf("%s is read as %q, not %q", name, got, want)
		}
	}
}

func FuzzEdges(f *testing.F) {
	f.Add("Stop idle - subagents 1700000000000 s")
	f.Add("working - 1700000000000")
	f.Fuzz(func(t *testing.T, tag string) {
		if hook := DecodeHook(tag); hook != nil {
			if again := DecodeHook(EncodeHook(*hook)); again == nil || again.State != hook.State ||
				!again.At.Equal(hook.At) {
				t.Errorf("%q is %+v and then %+v", tag, hook, again)
			}
		}
		status := DecodeState(tag)
		if word := string(status.State); !isState(word) || strings.Contains(word, " ") {
			t.Errorf("%q is a state of %q", word, tag)
		}
	})
}
