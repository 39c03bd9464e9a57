package detect_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/agent/detect"
)

func TestAnAgentThatWasAskedWorksUntilItShowsWhatItDoes(t *testing.T) {
	kind, _ := kinds(t).Find("claude")
	plain, _ := kinds(t).Find("generic")
	ago := func(d time.Duration) time.Time { return noon.Add(-d) }
	const second = time.Second
	for name, test := range map[string]struct {
		facts  detect.Facts
		state  core.State
		reason core.Reason
	}{
		"the old idle": {detect.Facts{Screen: resting, Asked: ago(second)}, core.Working, core.ReasonAsked},
		"the old error": {
			detect.Facts{Screen: failing, Asked: ago(second)}, core.Working, core.ReasonAsked,
		},
		"a dialog": {
			detect.Facts{Screen: asking, Asked: ago(second)}, core.Waiting, core.ReasonApproval,
		},
		"its turn":         {detect.Facts{Screen: running, Asked: ago(second)}, core.Working, ""},
		"nothing for long": {detect.Facts{Screen: resting, Asked: ago(time.Minute)}, core.Idle, ""},
		"it was asked before that": {
			detect.Facts{Screen: resting, Asked: ago(2 * second), Acted: ago(second)}, core.Idle, "",
		},
		"it acted before that": {
			detect.Facts{Screen: resting, Asked: ago(second), Acted: ago(2 * second)}, core.Working, core.ReasonAsked,
		},
		"a hook that ended since": {
			detect.Facts{
				Screen: resting, Asked: ago(2 * second),
				Hook: &detect.Hook{Event: "Stop", State: core.Idle, At: ago(second)},
			}, core.Idle, "",
		},
		"a hook that ended before": {
			detect.Facts{
				Screen: resting, Asked: ago(second),
				Hook: &detect.Hook{Event: "Stop", State: core.Idle, At: ago(2 * second)},
			}, core.Working, core.ReasonAsked,
		},
		"its file, written before": {
			detect.Facts{
				Screen: resting, Asked: ago(second), Live: &detect.Live{State: core.Idle, At: ago(2 * second)},
			}, core.Working, core.ReasonAsked,
		},
		"its terminal was told before": {
			detect.Facts{
				Screen: resting, Asked: ago(second),
				ProgramStatus: detect.ParseProgramStatus("state=idle", ago(2*second)),
			}, core.Working, core.ReasonAsked,
		},
		"its terminal was told since": {
			detect.Facts{
				Screen: resting, Asked: ago(2 * second),
				ProgramStatus: detect.ParseProgramStatus("state=done", ago(second)),
			}, core.Idle, "",
		},
		"a program without rules": {
			detect.Facts{Kind: plain, Screen: resting, Asked: ago(second)}, core.Unknown, "",
		},
	} {
		test.facts.Now = noon
		if test.facts.Kind == nil {
			test.facts.Kind = kind
		}
		got := detect.Judge(test.facts)
		asked := test.reason == "" && got.Reason == core.ReasonAsked
		other := got.State != test.state && test.facts.Kind != plain
		if other || asked || test.reason != "" && got.Reason != test.reason {
			t.Errorf("%s: %s %s: %q", name, got.State, got.Reason, got.Evidence)
		}
		if held := got.Reason == core.ReasonAsked; held == got.Until.IsZero() {
			t.Errorf("%s: it holds until %v", name, got.Until)
		}
		if got.Reason == core.ReasonAsked && got.Acts() {
			t.Errorf("%s: that it was asked is no act of its own", name)
		}
	}
}

func TestAProgramThatIsBlockedByItsCredentialsHasFailed(t *testing.T) {
	kind, _ := kinds(t).Find("claude")
	status := detect.ParseProgramStatus("state=blocked:kind=auth", noon)
	for name, test := range map[string]struct {
		screen *core.Screen
		state  core.State
		reason core.Reason
	}{
		"it rests":          {resting, core.Errored, core.ReasonAuth},
		"it shows an error": {failing, core.Errored, ""},
		"it shows a dialog": {asking, core.Waiting, core.ReasonApproval},
	} {
		got := detect.Judge(detect.Facts{Now: noon, Kind: kind, Screen: test.screen, ProgramStatus: status})
		if got.State != test.state || test.reason != "" && got.Reason != test.reason {
			t.Errorf("%s: %s %s: %q", name, got.State, got.Reason, got.Evidence)
		}
	}
}

// nothing is a screen without a composer, and with more than a command line on it.
func nothing() *core.Screen {
	lines := strings.Split(strings.Repeat("words of a dialog that nobody knows\n", 12), "\n")
	return &core.Screen{Lines: lines, Visible: len(lines), Taken: noon}
}

func TestWithoutAComposerAHookProvesIdlenessForAMoment(t *testing.T) {
	kind, _ := kinds(t).Find("claude")
	for name, test := range map[string]struct {
		age   time.Duration
		ready bool
		state core.State
	}{
		"at the start":       {time.Second, false, core.Unknown},
		"right after a turn": {time.Second, true, core.Idle},
		"for long":           {time.Minute, true, core.Unknown},
	} {
		got := detect.Judge(detect.Facts{
			Now: noon, Kind: kind, Screen: nothing(), Ready: test.ready,
			Hook: &detect.Hook{Event: "Event", State: core.Idle, At: noon.Add(-test.age)},
		})
		if got.State != test.state {
			t.Errorf("%s: %s, not %s: %q", name, got.State, test.state, got.Evidence)
		}
	}
}

func TestASingleLookSaysThatAnAgentCannotBeRead(t *testing.T) {
	kind, _ := kinds(t).Find("claude")
	for name, test := range map[string]struct {
		facts detect.Facts
		want  bool
	}{
		"an agent of an hour": {detect.Facts{Started: noon.Add(-time.Hour)}, true},
		"one that starts":     {detect.Facts{Started: noon.Add(-time.Second)}, false},
		"one that is known":   {detect.Facts{Started: noon.Add(-time.Hour), Screen: resting}, false},
		"one that is watched": {detect.Facts{Started: noon.Add(-time.Hour), Follows: true}, false},
	} {
		test.facts.Now, test.facts.Kind, test.facts.Ready = noon, kind, true
		if test.facts.Screen == nil {
			test.facts.Screen = nothing()
		}
		got := detect.Judge(test.facts)
		if slices.Contains(got.Notes, core.NoteUnreadable) != test.want {
			t.Errorf("%s: %s with %v", name, got.State, got.Notes)
		}
		got.State = core.Idle
		got.Doubt(&test.facts)
		if slices.Contains(got.Notes, core.NoteUnreadable) {
			t.Errorf("%s: what is known after all keeps the note", name)
		}
	}
}
