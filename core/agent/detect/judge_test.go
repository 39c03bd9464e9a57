package detect_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/agent"
	"cupola/core/agent/detect"
)

// claude draws a screen of Claude Code: the text above its composer, and the
// footer.
func claude(footer string, above ...string) *core.Screen {
	rule := strings.Repeat("─", 100)
	lines := append(slices.Clone(above), rule, "❯ ", rule, "  "+footer)
	return &core.Screen{Lines: lines, Visible: len(lines), View: core.Viewport{
		Width: 100, Height: len(lines), Cursor: core.Cursor{X: 2, Y: len(lines) - 3},
	}, Taken: noon}
}

const manual, busy = "⏸ manual mode on · ? for shortcuts", "⏸ manual mode on · esc to interrupt"

var (
	resting = claude(manual, "❯ hello", "● Hello!", "✻ Worked for 3s · done 9:35 PM")
	running = claude(busy, "❯ hello", "✻ Pondering… (3s · ↓ 17 tokens)")
	failing = claude(manual, "❯ hello", "● API Error: 500 Internal server error.")
	asking  = &core.Screen{
		Lines: []string{
			"❯ hello", strings.Repeat("─", 100), " Bash command", "   touch x", " Do you want to proceed?", " ❯ 1. Yes",
			"   2. No", " Esc to cancel",
		},
		Visible: 8, Taken: noon,
	}
)

func kinds(t testing.TB) *agent.Kinds {
	t.Helper()
	all, err := agent.Load()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestSignalsAreWeighedByWhatTheyProve(t *testing.T) {
	kind, _ := kinds(t).Find("claude")
	ago := func(d time.Duration) time.Time { return noon.Add(-d) }
	hook := func(state core.State, age time.Duration) *detect.Hook {
		return &detect.Hook{Event: "Event", State: state, At: ago(age)}
	}
	live := func(state core.State) *detect.Live {
		return &detect.Live{State: state, At: ago(time.Second), Line: "status"}
	}
	for name, test := range map[string]struct {
		facts detect.Facts
		state core.State
	}{
		"dead": {
			detect.Facts{Screen: running, Process: core.Process{Dead: true, Signal: 9}, Live: live(core.Working)},
			core.Exited,
		},
		"gone": {detect.Facts{Screen: resting, Gone: true}, core.Exited},
		"a dialog is seen, hooks say it works": {
			detect.Facts{Screen: asking, Hook: hook(core.Working, 0), Live: live(core.Working)}, core.Waiting,
		},
		"a hook tells of a dialog before it is drawn": {
			detect.Facts{Screen: running, Hook: hook(core.Waiting, 0)}, core.Waiting,
		},
		"a hook tells of a dialog, nothing runs": {
			detect.Facts{Screen: resting, Hook: hook(core.Waiting, time.Second)}, core.Waiting,
		},
		"a dialog was left without a hook": {
			detect.Facts{Screen: resting, Hook: hook(core.Waiting, time.Minute)}, core.Idle,
		},
		"a dialog was seen, and then left": {
			detect.Facts{Screen: resting, Hook: hook(core.Waiting, time.Second), Dialog: ago(time.Second / 2)},
			core.Idle,
		},
		"a dialog was seen before another one came": {
			detect.Facts{Screen: resting, Hook: hook(core.Waiting, time.Second), Dialog: ago(2 * time.Second)},
			core.Waiting,
		},
		"its file tells of a dialog": {detect.Facts{Live: live(core.Waiting)}, core.Waiting},
		"a turn began that is not drawn yet": {
			detect.Facts{Screen: resting, Hook: hook(core.Working, time.Second)}, core.Working,
		},
		"a turn was interrupted without a hook": {
			detect.Facts{Screen: resting, Hook: hook(core.Working, time.Minute)}, core.Idle,
		},
		"its file says that it works": {
			detect.Facts{Screen: resting, Live: live(core.Working)}, core.Working,
		},
		"its file says that it rests": {
			detect.Facts{Screen: running, Live: live(core.Idle)}, core.Idle,
		},
		"a hook says that it has just stopped": {
			detect.Facts{Screen: running, Hook: hook(core.Idle, 0)}, core.Idle,
		},
		"it works again after a stop": {
			detect.Facts{Screen: running, Hook: hook(core.Idle, time.Minute)}, core.Working,
		},
		"an error, and its file says idle": {
			detect.Facts{Screen: failing, Live: live(core.Idle)}, core.Errored,
		},
		"a hook tells of an error": {
			detect.Facts{Screen: resting, Hook: hook(core.Errored, time.Minute)}, core.Errored,
		},
		"nothing is known": {detect.Facts{}, core.Unknown},
		"nothing is drawn": {
			detect.Facts{Screen: &core.Screen{Lines: []string{"$ claude"}, Visible: 1}}, core.Starting,
		},
		"nothing is drawn any more": {
			detect.Facts{Screen: &core.Screen{Lines: []string{"$ claude"}, Visible: 1}, Ready: true}, core.Unknown,
		},
	} {
		test.facts.Now, test.facts.Kind = noon, kind
		verdict := detect.Judge(test.facts)
		if verdict.State != test.state {
			t.Errorf("%s: %s, not %s: %q", name, verdict.State, test.state, verdict.Evidence)
		}
		if text := strconv.FormatFloat(verdict.Confidence, 'f', -1, 64); len(text) > len("0.95") {
			t.Errorf("%s: the confidence is %s", name, text)
		}
		if decided := slices.ContainsFunc(
			verdict.Signals, func(s detect.Signal) bool { return s.Decided },
		); decided != (test.state != core.Unknown) {
			t.Errorf("%s: decided %v by %+v", name, decided, verdict.Signals)
		}
	}
}

func TestAnAgentThatEndedSaysHow(t *testing.T) {
	kind, _ := kinds(t).Find("claude")
	left := *resting
	left.View.AlternateOn = true
	shell := core.Process{Command: "bash"}
	for name, test := range map[string]struct {
		facts    detect.Facts
		reason   core.Reason
		evidence string
	}{
		"well": {
			detect.Facts{Process: core.Process{Dead: true}}, core.ReasonFinished, "the program ended",
		},
		"with a status": {
			detect.Facts{Process: core.Process{Dead: true, ExitStatus: 3}}, core.ReasonFailed, "ended with status 3",
		},
		"by a signal": {
			detect.Facts{Process: core.Process{Dead: true, Signal: 9, ExitStatus: 137}},
			core.ReasonKilled,
			"ended by signal 9",
		},
		"to a shell": {
			detect.Facts{Process: shell, Gone: true, Screen: resting}, core.ReasonFinished, "bash is in the foreground",
		},
		"to a shell, without a bow": {
			detect.Facts{Process: shell, Gone: true, Screen: &left}, core.ReasonKilled, "that the agent did not clear",
		},
	} {
		test.facts.Now, test.facts.Kind = noon, kind
		verdict := detect.Judge(test.facts)
		if said := strings.Join(verdict.Evidence, "; "); verdict.State != core.Exited ||
			verdict.Reason != test.reason || !strings.Contains(said, test.evidence) {
			t.Errorf("%s: %s, %s: %s", name, verdict.State, verdict.Reason, said)
		}
	}
	alive := detect.Judge(
		detect.Facts{Now: noon, Kind: kind, Screen: resting, Process: core.Process{ExitStatus: 3, Signal: 9}},
	)
	if alive.State != core.Idle {
		t.Errorf("one that lives is %s", alive.State)
	}
}

func TestWhatADialogAsksIsReportedWhileItIsOpen(t *testing.T) {
	kind, _ := kinds(t).Find("claude")
	for name, test := range map[string]struct {
		facts detect.Facts
		asks  string
	}{
		"a dialog":  {detect.Facts{Screen: asking}, "touch x"},
		"no dialog": {detect.Facts{Screen: resting}, ""},
		"a dialog that hooks know": {
			detect.Facts{Screen: resting, Hook: &detect.Hook{Event: "Event", State: core.Waiting, At: noon}}, "",
		},
		"a dialog of what is ended": {detect.Facts{Screen: asking, Process: core.Process{Dead: true}}, ""},
	} {
		test.facts.Now, test.facts.Kind = noon, kind
		if got := detect.Judge(test.facts); got.Asks != test.asks {
			t.Errorf("%s: %q, want %q", name, got.Asks, test.asks)
		}
	}
}

func TestOnlyIdleIsDoubtedAndOnlyWhileWatched(t *testing.T) {
	kind, _ := kinds(t).Find("claude")
	facts := detect.Facts{
		Now: noon, Kind: kind, Screen: resting, Before: core.Status{State: core.Working, Reason: core.ReasonTool},
	}
	if got := detect.Judge(facts); got.State != core.Idle {
		t.Errorf("a single look finds %s", got.State)
	}
	facts.Follows = true
	first := detect.Judge(facts)
	if first.State != core.Working || first.Reason != core.ReasonTool || !first.Until.After(noon) {
		t.Fatalf("got %+v", first)
	}
	facts.Now, facts.QuietSince = first.Until, first.QuietSince
	if got := detect.Judge(facts); got.State != core.Idle {
		t.Errorf("after %v it is %s", first.Until.Sub(noon), got.State)
	}
	facts.Now, facts.QuietSince = noon, time.Time{}
	for state, screen := range map[core.State]*core.Screen{core.Waiting: asking, core.Errored: failing} {
		facts.Screen = screen
		if got := detect.Judge(facts); got.State != state {
			t.Errorf("%s is doubted: %s", state, got.State)
		}
	}
	facts.Screen, facts.Live = resting, &detect.Live{State: core.Idle, At: noon}
	if got := detect.Judge(facts); got.State != core.Idle {
		t.Errorf("its own word is doubted: %s", got.State)
	}
	facts.Before.Since = noon.Add(time.Millisecond)
	facts.Now = facts.Before.Since
	if got := detect.Judge(facts); got.State != core.Working {
		t.Errorf("its word from before it began to work ends that: %s", got.State)
	}
	facts.Before.Since = noon
	if got := detect.Judge(facts); got.State != core.Idle {
		t.Errorf("its word of that work is doubted: %s", got.State)
	}
}

// A report that no screen bears out is judged again once its grace is over, also
// where nothing else happens.
func TestAReportThatTheScreenContradictsExpires(t *testing.T) {
	kind, _ := kinds(t).Find("claude")
	for _, state := range []core.State{core.Waiting, core.Working} {
		facts := detect.Facts{
			Now: noon, Kind: kind, Screen: resting,
			Hook: &detect.Hook{Event: "Event", State: state, At: noon.Add(-time.Second)},
		}
		verdict := detect.Judge(facts)
		if verdict.State != state || !verdict.Until.After(noon) {
			t.Fatalf("%s: %s until %v", state, verdict.State, verdict.Until)
		}
		facts.Now = verdict.Until
		if after := detect.Judge(facts); after.State != core.Idle {
			t.Errorf("%s: then %s", state, after.State)
		}
	}
}

// Reasons of work that flip within moments are no news; other states are, at once.
func TestReasonForWorkLastsUntilAnotherOneLasts(t *testing.T) {
	kind, _ := kinds(t).Find("claude")
	hook := func(reason core.Reason) *detect.Hook {
		return &detect.Hook{Event: "PreToolUse", State: core.Working, Reason: reason, At: noon}
	}
	facts := detect.Facts{Now: noon, Kind: kind, Hook: hook(core.ReasonThinking), Follows: true}
	follow := func(after time.Duration) detect.Verdict {
		facts.Now = noon.Add(after)
		v := detect.Judge(facts)
		facts.Before, facts.QuietSince, facts.OtherSince = v.Status, v.QuietSince, v.OtherSince
		return v
	}
	for _, step := range []struct {
		after        time.Duration
		given, shown core.Reason
	}{
		{0, core.ReasonThinking, core.ReasonThinking},
		{100 * time.Millisecond, core.ReasonTool, core.ReasonThinking},
		{600 * time.Millisecond, core.ReasonThinking, core.ReasonThinking},
		{700 * time.Millisecond, core.ReasonTool, core.ReasonThinking},
		{1600 * time.Millisecond, core.ReasonStreaming, core.ReasonThinking},
		{1700 * time.Millisecond, core.ReasonStreaming, core.ReasonStreaming},
		{1800 * time.Millisecond, "", core.ReasonStreaming},
		{2800 * time.Millisecond, "", ""},
		{2900 * time.Millisecond, core.ReasonTool, core.ReasonTool},
	} {
		facts.Hook = hook(step.given)
		v := follow(step.after)
		if v.State != core.Working || v.Reason != step.shown {
			t.Errorf(
				"after %v %q is given and %s %q shown, not %q", step.after, step.given, v.State, v.Reason, step.shown,
			)
		}
		if waits := v.Reason != step.given; waits &&
			(!v.Until.After(facts.Now) || v.Until.Sub(facts.Now) > time.Second) {
			t.Errorf("after %v it is to be looked at in %v", step.after, v.Until.Sub(facts.Now))
		}
	}
	facts.Hook = &detect.Hook{Event: "PermissionRequest", State: core.Waiting, Reason: core.ReasonApproval, At: noon}
	if v := follow(3 * time.Second); v.State != core.Waiting || v.Reason != core.ReasonApproval {
		t.Errorf("a dialog is %s %s", v.State, v.Reason)
	}
	facts.Before, facts.Hook, facts.Follows = core.Status{
		State: core.Working, Reason: core.ReasonTool,
	}, hook(core.ReasonThinking), false
	if v := follow(4 * time.Second); v.Reason != core.ReasonThinking {
		t.Errorf("a single look finds %q", v.Reason)
	}
}

// A screen that is empty for a moment does not make a state unknown.
func TestAScreenThatIsDrawnAnewKeepsTheState(t *testing.T) {
	kind, _ := kinds(t).Find("claude")
	blank := &core.Screen{Lines: []string{"", ""}, Visible: 2, Taken: noon}
	facts := detect.Facts{
		Now: noon, Kind: kind, Screen: blank, Ready: true, Follows: true, Before: core.Status{State: core.Idle},
	}
	first := detect.Judge(facts)
	if first.State != core.Idle || !first.Until.After(noon) {
		t.Fatalf("got %+v", first)
	}
	facts.Now, facts.QuietSince = first.Until, first.QuietSince
	if got := detect.Judge(facts); got.State != core.Unknown {
		t.Errorf("after %v it is %s", first.Until.Sub(noon), got.State)
	}
}

// talk are texts that an agent may write without being in the state that they name.
var talk = []string{
	"API Error: 500 Internal Server Error", "You've hit your usage limit · resets 3pm", "429 Too Many Requests",
	"rate limit reached",
	"Do you want to proceed?", "❯ 1. Yes", "Press enter to confirm or esc to cancel", "esc to interrupt",
	"Invalid API key",
	"Allow execution of [Shell]?", "✻ Thinking… (3s · esc to interrupt)", "■ unexpected status 401",
	"✕ [API Error: 503]", "Permission required",
	"Credit balance too low", "Waiting for user confirmation...", "1% until auto-compact",
}

// TestTextAboutStatesIsNoState puts such text into the recorded screens of agents
// at rest, as part of what they answered.
func TestTextAboutStatesIsNoState(t *testing.T) {
	all, seen := kinds(t), 0
	for _, c := range corpus(t, recordings(t)) {
		at := answerRow(&c, c.screen(t, ".txt"))
		if !c.Strict || c.State != "idle_after_answer" || at < 0 {
			continue
		}
		for _, line := range talk {
			screen := c.screen(t, ".txt")
			screen.Lines[at] = said(screen.Lines[at], line)
			verdict := c.judged(all, screen)
			seen++
			if verdict.State != core.Idle {
				t.Errorf("%s with %q: %s: %q", c.File, line, verdict.State, verdict.Evidence)
			}
		}
	}
	if seen < 100 {
		t.Errorf("only %d screens were tried", seen)
	}
}

const answer = "Hello! This is a short answer from the mock model."

// answerRow finds the row of the mock model's answer; -1 if it is not seen.
func answerRow(_ *capture, screen *core.Screen) int {
	for i := len(screen.Lines) - 1; i >= 0; i-- {
		if strings.Contains(screen.Lines[i], answer) {
			return i
		}
	}
	return -1
}

// said replaces the answer in a row.
func said(row, line string) string {
	head, tail, _ := strings.Cut(row, answer)
	return head + fmt.Sprintf("It prints: %s", line) + tail
}

func BenchmarkJudge(b *testing.B) {
	all := kinds(b)
	for _, file := range []string{
		"claude/working/01-120x40", "codex/idle_after_answer/26-120x40", "gemini/waiting_permission/01-120x40",
		"opencode/working/01-120x40",
	} {
		for _, c := range corpus(b, recordings(b)) {
			if c.File != file {
				continue
			}
			screen := c.screen(b, ".txt")
			c.judged(all, screen)
			b.Run(c.Agent, func(b *testing.B) {
				for b.Loop() {
					c.judged(all, screen)
				}
			})
		}
	}
}

func TestALimitEndsWhenItsWordsSaidAtFirst(t *testing.T) {
	kind, _ := kinds(t).Find("claude")
	limited := claude(manual, "❯ go on", "● API Error: 429 rate limit reached, try again in 1h30m.")
	facts := detect.Facts{Now: noon, Kind: kind, Screen: limited, Moved: noon.Add(-10 * time.Minute)}
	first := detect.Judge(facts)
	if want := noon.Add(80 * time.Minute); first.State != core.Limited || !first.ResetsAt.Equal(want) {
		t.Fatalf("%s until %v, want %v: %q", first.State, first.ResetsAt, want, first.Evidence)
	}
	// Repeated looks keep the time, even if something else is drawn in between.
	facts.Before, facts.Now, facts.Moved = first.Status, noon.Add(time.Hour), noon.Add(59*time.Minute)
	if later := detect.Judge(facts); !later.ResetsAt.Equal(first.ResetsAt) {
		t.Errorf("an hour later it is %v", later.ResetsAt)
	}
	// A single look finds since when it is limited.
	facts.Before, facts.Moved = core.Status{State: core.Limited, Since: noon}, time.Time{}
	if later := detect.Judge(facts); !later.ResetsAt.Equal(noon.Add(90 * time.Minute)) {
		t.Errorf("by the state's age it is %v", later.ResetsAt)
	}
}

func TestADialogAboutALimitIsThatLimit(t *testing.T) {
	kind, _ := kinds(t).Find("gemini")
	dialog := func(words ...string) detect.Verdict {
		lines := []string{" > hello", "╭" + strings.Repeat("─", 60) + "╮"}
		for _, row := range slices.Concat(words, []string{"", "● 1. Switch to gemini-2.5-flash", "  2. Stop"}) {
			lines = append(lines, fmt.Sprintf("│ %-58s │", row))
		}
		lines = append(lines, "╰"+strings.Repeat("─", 60)+"╯")
		return detect.Judge(detect.Facts{Now: noon, Kind: kind, Screen: &core.Screen{
			Lines: lines, Visible: len(lines), View: core.Viewport{Width: 80, Height: len(lines)}, Taken: noon,
		}})
	}
	got := dialog("Usage limit reached for gemini-2.5-pro.", "Access resets at 9:14 PM.")
	if got.State != core.Limited || got.Reason != core.ReasonQuota || got.ResetsAt.Hour() != 21 || got.Asks != "" {
		t.Errorf("%+v", got.Status)
	}
	if got := dialog("Usage limit reached for gemini-2.5-pro."); got.State != core.Limited || !got.ResetsAt.IsZero() {
		t.Errorf("%+v", got.Status)
	}
	if got := dialog("We are currently experiencing high demand."); got.State != core.Waiting {
		t.Errorf("%+v", got.Status)
	}
}

func TestUnreadableScreenIsNoted(t *testing.T) {
	kind, _ := kinds(t).Find("qwen")
	strange := &core.Screen{
		Lines: []string{"something new", "  that no rule knows", "  of at all", "", "a", "b", "c", "d"}, Visible: 8,
		View: core.Viewport{Height: 8, Width: 80}, Taken: noon,
	}
	for name, c := range map[string]struct {
		facts detect.Facts
		noted bool
		again time.Duration
	}{
		"still for a moment": {detect.Facts{Moved: noon.Add(-time.Second)}, false, 4 * time.Second},
		"still for long":     {detect.Facts{Moved: noon.Add(-6 * time.Second)}, true, 0},
		"moving for a moment": {
			detect.Facts{Moved: noon, Before: core.Status{State: core.Unknown, Since: noon.Add(-18 * time.Second)}},
			false, 2 * time.Second,
		},
		"moving for long": {
			detect.Facts{Moved: noon, Before: core.Status{State: core.Unknown, Since: noon.Add(-20 * time.Second)}},
			true, 0,
		},
		"nothing known": {detect.Facts{}, false, 0},
	} {
		c.facts.Now, c.facts.Kind, c.facts.Screen, c.facts.Ready = noon, kind, strange, true
		v := detect.Judge(c.facts)
		pane := core.Pane{Status: v.Status, Agent: core.Agent{Kind: "qwen"}}
		again := time.Duration(0)
		if !v.Until.IsZero() {
			again = v.Until.Sub(noon)
		}
		if v.State != core.Unknown || v.Has(core.NoteUnreadable) != c.noted || pane.NeedsUser() != c.noted ||
			again != c.again {
			t.Errorf("%s: %s %v, to be looked at in %v", name, v.State, v.Notes, again)
		}
	}
}
