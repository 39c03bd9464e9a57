package deliver

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"cupola/core"
	"cupola/core/agent/detect"
	"cupola/core/engine"
	"cupola/core/fleet/fleettest"
	"cupola/core/fleet/panetag"
	"cupola/core/fleet/resolve"
	"cupola/core/fleet/terminal"
)

func TestATextIsPastedOnceAndSubmittedOnce(t *testing.T) {
	a := fleettest.NewScriptedEngine()
	d, took := deliverTo(t, a, nil)
	wantDelivery(t, a, d, core.Delivered, "", 1, 1, "left the composer")
	if took > time.Second {
		t.Errorf("it took %v", took)
	}
}

func TestEnterIsTriedAgainAndTheTextIsNot(t *testing.T) {
	a := fleettest.NewScriptedEngine()
	a.OnPress = func(string) {}
	d, took := deliverTo(t, a, nil)
	wantDelivery(t, a, d, core.Unconfirmed, "", 1, 4, "did not leave the composer after 4 times Enter")
	if took > 15*time.Second {
		t.Errorf("it took %v", took)
	}
	a = fleettest.NewScriptedEngine()
	a.OnPress = func(string) {
		if len(a.Pressed) == 3 {
			a.Draft = ""
		}
	}
	d, _ = deliverTo(t, a, nil)
	wantDelivery(t, a, d, core.Delivered, "", 1, 3, "left the composer")
}

func TestALineBreakInsteadOfASubmitIsSeenSoon(t *testing.T) {
	a := fleettest.NewScriptedEngine()
	a.OnPress = func(string) {
		if a.Draft += "\n"; len(a.Pressed) == 2 {
			a.Draft = ""
		}
	}
	d, took := deliverTo(t, a, nil)
	wantDelivery(t, a, d, core.Delivered, "", 1, 2, "left the composer")
	if took > 1500*time.Millisecond {
		t.Errorf("it took %v", took)
	}
}

func TestEnterIsNotPressedOnceSomethingCameUp(t *testing.T) {
	for name, c := range map[string]struct {
		comes    func(a *fleettest.ScriptedEngine, text string)
		evidence string
	}{
		"a dialog": {
			func(a *fleettest.ScriptedEngine, _ string) { a.Dialog = true },
			"a dialog is open (approval",
		},
		"copy mode": {
			func(a *fleettest.ScriptedEngine, text string) { a.Draft, a.InMode = text, true },
			"scroll back",
		},
		"a draft of the user": {
			func(a *fleettest.ScriptedEngine, text string) { a.Draft = text + " and mine" },
			"Enter was not pressed",
		},
		"nothing": {func(*fleettest.ScriptedEngine, string) {}, "the composer is empty"},
		"a dialog, late": {func(a *fleettest.ScriptedEngine, text string) {
			a.Draft = text
			a.Later(150*time.Millisecond, func() { a.Dialog = true })
		}, "a dialog is open (approval"},
		"a draft of the user, late": {func(a *fleettest.ScriptedEngine, text string) {
			a.Draft = text
			a.Later(150*time.Millisecond, func() { a.Draft = "other words" })
		}, `the composer holds "other words"`},
	} {
		t.Run(name, func(t *testing.T) {
			a := fleettest.NewScriptedEngine()
			a.OnPaste = func(text string) { c.comes(a, text) }
			d, _ := deliverTo(t, a, nil)
			wantDelivery(t, a, d, core.Unconfirmed, "", 1, 0, c.evidence)
		})
	}
}

func TestNoEnterIsRetriedIntoADialog(t *testing.T) {
	a := fleettest.NewScriptedEngine()
	a.Working = true
	a.OnPress = func(string) { a.Dialog = true }
	d, _ := deliverTo(t, a, nil)
	wantDelivery(t, a, d, core.Unconfirmed, "", 1, 1, "since Enter was pressed")
	a = fleettest.NewScriptedEngine()
	a.OnPress = func(string) { a.Draft, a.Dialog = "", true }
	d, _ = deliverTo(t, a, nil)
	wantDelivery(t, a, d, core.Delivered, "", 1, 1, "a dialog is open")
}

func TestNoEnterIsRetriedInCopyMode(t *testing.T) {
	a := fleettest.NewScriptedEngine()
	a.OnPress = func(string) { a.InMode = true }
	d, _ := deliverTo(t, a, nil)
	wantDelivery(t, a, d, core.Unconfirmed, "", 1, 1, "scrolls back")
}

func TestAComposerThatIsEmptyForAMomentIsNotEmpty(t *testing.T) {
	a := fleettest.NewScriptedEngine()
	a.OnPress = func(string) {
		a.Draft = ""
		if len(a.Pressed) == 1 {
			a.Later(50*time.Millisecond, func() { a.Draft = "run the tests" })
		}
	}
	d, _ := deliverTo(t, a, nil)
	wantDelivery(t, a, d, core.Delivered, "", 1, 2, "left the composer")
}

func TestADraftBehindTheCursorIsNoSuggestion(t *testing.T) {
	// Codex puts the cursor before a command that it does not know.
	ghost := fstest.MapFS{"scripted.toml": {Data: []byte("id = \"scripted\"\n[composer]\nghost = true\n")}}
	a := fleettest.NewScriptedEngine()
	a.OnPress = func(string) {}
	d, _ := deliverTo(t, a, func(r *Request) { r.Text = "/nosuchthing" }, ghost)
	wantDelivery(t, a, d, core.Unconfirmed, "", 1, 4, "did not leave the composer")
}

func TestAnAgentThatEndsAfterEnter(t *testing.T) {
	for text, want := range map[string]core.Outcome{"run the tests": core.Unconfirmed, "/exit": core.Delivered} {
		a := fleettest.NewScriptedEngine()
		a.OnPress = func(string) { a.Gone = true }
		d, _ := deliverTo(t, a, func(r *Request) { r.Text = text })
		wantDelivery(t, a, d, want, "", 1, 1, "the pane is gone")
	}
}

func TestAnAgentThatDrawsLateIsWatched(t *testing.T) {
	a := fleettest.NewScriptedEngine()
	a.OnPress = func(string) {
		a.Draft, a.Blank = "", true
		a.Later(9*time.Second, func() { a.Blank = false })
	}
	d, took := deliverTo(t, a, nil)
	wantDelivery(t, a, d, core.Delivered, "", 1, 1, "left the composer")
	if took < 9*time.Second {
		t.Errorf("it took %v", took)
	}
}

func TestAnAgentIsWaitedForWhileItStarts(t *testing.T) {
	a := fleettest.NewScriptedEngine()
	a.Blank = true
	d, took := deliverTo(t, a, nil)
	wantDelivery(t, a, d, core.Refused, terminal.WhyStarting, 0, 0, `its last line is "loading"`)
	if took < startPatience {
		t.Errorf("it took %v", took)
	}
	a = fleettest.NewScriptedEngine()
	a.Blank = true
	d, _ = deliverTo(t, a, func(*Request) { a.Later(2*time.Second, func() { a.Blank = false }) })
	wantDelivery(t, a, d, core.Delivered, "", 1, 1, "")
}

// TestRowsThatLookLikeADialogAreSeenToLast draws rows for a while that a rule takes for a dialog, without a choice.
func TestRowsThatLookLikeADialogAreSeenToLast(t *testing.T) {
	file := fstest.MapFS{"scripted.toml": {Data: []byte("id = \"scripted\"\n[rule.rows]\nstate = \"waiting\"\n" +
		"reason = \"dialog\"\nregion = \"bottom\"\nall = ['^loading']\n")}}
	a := fleettest.NewScriptedEngine()
	a.Blank = true
	d, took := deliverTo(t, a, nil, file)
	wantDelivery(t, a, d, core.Refused, terminal.WhyDialog, 0, 0, "a dialog is open (dialog, by the rule rows")
	if took < drawPatience {
		t.Errorf("it took %v", took)
	}
	a = fleettest.NewScriptedEngine()
	a.Blank = true
	d, _ = deliverTo(t, a, func(*Request) { a.Later(drawPatience/2, func() { a.Blank = false }) }, file)
	wantDelivery(t, a, d, core.Delivered, "", 1, 1, "")
}

// TestRowsThatLookLikeADialogForAMomentStopNoEnter shows a dialog for a moment once the text was typed, and one that
// stays.
func TestRowsThatLookLikeADialogForAMomentStopNoEnter(t *testing.T) {
	for _, goes := range []bool{true, false} {
		for _, after := range []time.Duration{0, 50 * time.Millisecond, 150 * time.Millisecond} {
			a := fleettest.NewScriptedEngine()
			a.OnPaste = func(text string) {
				a.Draft = text
				a.Later(after, func() { a.Dialog = true })
				if goes {
					a.Later(after+drawPatience/2, func() { a.Dialog = false })
				}
			}
			d, _ := deliverTo(t, a, nil)
			if goes {
				wantDelivery(t, a, d, core.Delivered, "", 1, 1, "left the composer")
			} else {
				wantDelivery(t, a, d, core.Unconfirmed, "", 1, 0, "a dialog is open")
			}
		}
	}
}

// steers makes the scripted kind one that steers, with a key that queues.
func steers(queue string) fstest.MapFS {
	return fstest.MapFS{"scripted.toml": {Data: []byte("id = \"scripted\"\n[keys]\nqueue = [" + queue +
		"]\n[typing]\nbusy = \"steers\"\n")}}
}

func TestATurnThatWouldTakeThePromptIsWaitedFor(t *testing.T) {
	a := fleettest.NewScriptedEngine()
	a.Working = true
	d, took := deliverTo(t, a, nil, steers(""))
	wantDelivery(t, a, d, core.Refused, terminal.WhyBusy, 0, 0, "a turn runs")
	if took < turnPatience {
		t.Errorf("it took %v", took)
	}
	d, _ = deliverTo(t, a, func(r *Request) { r.Now = true }, steers(""))
	wantDelivery(t, a, d, core.Steered, "", 1, 1, "")

	a = fleettest.NewScriptedEngine()
	a.Working = true
	d, _ = deliverTo(t, a, func(*Request) { a.Later(5*time.Second, func() { a.Working = false }) }, steers(""))
	wantDelivery(t, a, d, core.Delivered, "", 1, 1, "")

	a = fleettest.NewScriptedEngine()
	a.Working = true
	d, took = deliverTo(t, a, nil, steers(`"Tab"`))
	if d.Outcome != core.Queued || !slices.Equal(a.Pressed, []string{"Tab"}) || took < turnPatience {
		t.Errorf("%+v after %v, pressed %q", d, took, a.Pressed)
	}
}

// TestAPromptThatWaitsWhileNothingRunsIsQueued has an agent that starts hold a prompt back: a kind that steers has no
// turn to take it into.
func TestAPromptThatWaitsWhileNothingRunsIsQueued(t *testing.T) {
	for _, files := range [][]fstest.MapFS{nil, {steers("")}, {steers(`"Tab"`)}} {
		a := fleettest.NewScriptedEngine()
		a.OnPress = func(string) { a.Queued, a.Draft = a.Draft, "" }
		d, _ := deliverTo(t, a, nil, files...)
		wantDelivery(t, a, d, core.Queued, "", 1, 1, "queued")
	}
}

func TestADraftThatCannotBeClearedIsRefused(t *testing.T) {
	a := fleettest.NewScriptedEngine()
	a.Draft = "stubborn"
	a.OnPress = func(string) {}
	d, _ := deliverTo(t, a, func(r *Request) { r.ReplaceDraft = true })
	wantDelivery(t, a, d, core.Refused, terminal.WhyDraft, 0, 0, "could not be cleared")
}

func TestWhatIsCancelledBeforeItIsTypedIsNotTyped(t *testing.T) {
	a := fleettest.NewScriptedEngine()
	a.Blank = true
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		sent, err := open(t, Options{Engine: a}).Send(ctx, Request{Target: resolve.Target{Session: "api"}, Text: "x"})
		fleettest.WantError(t, err, core.Timeout, "")
		if len(sent.Deliveries) != 1 || sent.Deliveries[0].Outcome != core.Refused || len(a.Pasted) > 0 {
			t.Errorf("%+v, pasted %q", sent, a.Pasted)
		}
	})
}

func TestWhatIsTypedIsSubmittedThoughItIsCancelled(t *testing.T) {
	a := fleettest.NewScriptedEngine()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		a.OnPaste = func(text string) {
			a.Draft = text
			cancel()
		}
		sent, err := open(t, Options{Engine: a}).Send(ctx, Request{Target: resolve.Target{Session: "api"}, Text: "x"})
		fleettest.WantError(t, err, core.Cancelled, "")
		if len(sent.Deliveries) != 1 || sent.Deliveries[0].Outcome != core.Delivered ||
			!slices.Equal(a.Pressed, []string{"Enter"}) {
			t.Errorf("%+v, pressed %q", sent, a.Pressed)
		}
	})
}

func TestACancelledDeliveryDoesNotGoOnForLong(t *testing.T) {
	a := fleettest.NewScriptedEngine()
	a.OnPress = func(string) {}
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		started := time.Now()
		_, err := open(t, Options{Engine: a}).Send(ctx, Request{Target: resolve.Target{Session: "api"}, Text: "x"})
		fleettest.WantError(t, err, core.Timeout, "")
		if took := time.Since(started); took > time.Second+grace {
			t.Errorf("it went on for %v", took)
		}
	})
}

func TestAKindWithoutRulesMustChangeItsScreen(t *testing.T) {
	a := fleettest.NewScriptedEngine()
	a.Listing.Panes[0] = fleettest.Row("$1", "%1", "sh", engine.TagKind, "stub", engine.TagRole, panetag.RoleAgent,
		engine.TagName, "st_1", engine.TagOrdinal, "1")
	a.Listing.Panes[0].Process.Command = "stub"
	d, _ := deliverTo(t, a, nil)
	if d.Outcome != core.Delivered || !strings.Contains(d.Saw(), "no rule but the screen") {
		t.Errorf("%+v", d)
	}
	a.Draft = ""
	a.OnPaste, a.OnPress = func(string) {}, func(string) {}
	d, _ = deliverTo(t, a, nil)
	if d.Outcome != core.Typed || d.Why != terminal.WhyUnseen || d.Enters != 0 {
		t.Errorf("%+v", d)
	}
}

// A screen that is younger than its program says nothing of what is typed there, whatever it shows.
func TestNothingIsTypedWhereTheScreenIsNotKnown(t *testing.T) {
	for _, force := range []bool{false, true} {
		a := fleettest.NewScriptedEngine()
		a.Listing.Panes[0] = fleettest.Row("$1", "%1", "sh", engine.TagKind, "stub", engine.TagRole, panetag.RoleAgent,
			engine.TagName, "st_1", engine.TagOrdinal, "1")
		a.Listing.Panes[0].Process.Command = "stub"
		a.Partial = true
		d, _ := deliverTo(t, a, func(r *Request) { r.Force = force })
		if refused := d.Outcome == core.Refused && d.Why == terminal.WhyPartial; refused == force ||
			refused && len(a.Pasted)+len(a.Pressed) > 0 {
			t.Errorf("force %v: %+v; pasted %q", force, d, a.Pasted)
		}
	}
}

func TestProgressIsReportedOnceItTakesLong(t *testing.T) {
	a := fleettest.NewScriptedEngine()
	a.OnPress = func(string) {}
	var reports []core.Progress
	deliverTo(t, a, func(r *Request) { r.Progress = func(p core.Progress) { reports = append(reports, p) } })
	if len(reports) == 0 || reports[0].Phase != "send" || !strings.Contains(reports[0].Message, "waiting for api.1") {
		t.Errorf("told %+v", reports)
	}
	reports = nil
	deliverTo(t, fleettest.NewScriptedEngine(),
		func(r *Request) { r.Progress = func(p core.Progress) { reports = append(reports, p) } })
	if len(reports) > 0 {
		t.Errorf("told %+v of a short one", reports)
	}
}

// lapsing is a scripted engine to which something happens after some looks at a draft.
type lapsing struct {
	*fleettest.ScriptedEngine
	captures int
	happen   func()
}

func (l *lapsing) Capture(ctx context.Context, asks ...engine.Ask) ([]core.Screen, error) {
	screens, err := l.ScriptedEngine.Capture(ctx, asks...)
	l.Mu.Lock()
	defer l.Mu.Unlock()
	if l.Draft != "" {
		l.captures--
		if l.captures == 0 {
			l.happen()
		}
	}
	return screens, err
}

func TestEnterIsNotPressedOnWhatTheLastLookBeforeItShows(t *testing.T) {
	for name, happen := range map[string]func(*fleettest.ScriptedEngine){
		"a dialog":         func(a *fleettest.ScriptedEngine) { a.Dialog = true },
		"the user scrolls": func(a *fleettest.ScriptedEngine) { a.InMode = true },
		"another draft":    func(a *fleettest.ScriptedEngine) { a.Draft += " rm -rf /" },
	} {
		t.Run(name, func(t *testing.T) {
			a := fleettest.NewScriptedEngine()
			synctest.Test(t, func(t *testing.T) {
				f := open(t, Options{Engine: &lapsing{a, 2, func() { happen(a) }}})
				at := resolve.Target{Session: "api.1"}
				sent, err := f.Send(t.Context(), Request{Target: at, Text: "run the tests"})
				if err == nil || len(sent.Deliveries) != 1 || sent.Deliveries[0].Outcome != core.Unconfirmed ||
					len(a.Pressed) > 0 {
					t.Errorf("%+v, %v; pressed were %q", sent.Deliveries, err, a.Pressed)
				}
			})
		})
	}
}

func TestATextThatAMenuCompletedIsNotDelivered(t *testing.T) {
	a := fleettest.NewScriptedEngine()
	a.OnPress = func(string) { a.Draft = "what is the price in $imagegen" }
	d, _ := deliverTo(t, a, func(r *Request) { r.Text = "what is the price in $" })
	wantDelivery(t, a, d, core.Unconfirmed, "", 1, 1, "what is the price in $imagegen")
}

// touchy is a kind whose composer has commands.
var touchy = fstest.MapFS{"scripted.toml": {Data: []byte(`
id = "scripted"
[[typing.escape]]
text = '^!'
taken = "a shell command"
command = true
before = " "
[[typing.escape]]
text = '^#'
taken = "a note"
`)}}

func TestAPromptIsKeptWords(t *testing.T) {
	a := fleettest.NewScriptedEngine()
	d, _ := deliverTo(t, a, func(r *Request) { r.Text = "!important" }, touchy)
	const evidence = "a blank is typed before it, so that Scripted does not take it for a shell command"
	wantDelivery(t, a, d, core.Delivered, "", 1, 1, evidence)
	if a.Pasted[0] != " !important" {
		t.Errorf("typed %q", a.Pasted)
	}
	a = fleettest.NewScriptedEngine()
	d, _ = deliverTo(t, a, func(r *Request) { r.Text, r.Command = "!ls", true }, touchy)
	wantDelivery(t, a, d, core.Delivered, "", 1, 1, "")
	if a.Pasted[0] != "!ls" {
		t.Errorf("typed %q", a.Pasted)
	}
	a = fleettest.NewScriptedEngine()
	d, _ = deliverTo(t, a, func(r *Request) { r.Text = "# a heading" }, touchy)
	wantDelivery(t, a, d, core.Refused, "command", 0, 0,
		"Scripted would take it for a note")
	if d.Remedy != core.RemedySendCommand {
		t.Errorf("the remedy is %q", d.Remedy)
	}
}

func TestAShellIsNotGivenThePromptOfAnAgentThatEnded(t *testing.T) {
	abandoned := func() *fleettest.ScriptedEngine {
		a := fleettest.NewScriptedEngine()
		pane := fleettest.Row("$1", "%1", "bash", engine.TagState,
			panetag.EncodeState(core.Status{State: core.Idle, Since: fleettest.Noon}))
		a.Listing.Panes = []engine.Pane{pane}
		return a
	}
	a := abandoned()
	d, _ := deliverTo(t, a, func(r *Request) { r.Target.Session = "%1" })
	wantDelivery(t, a, d, core.Refused, "agent_gone", 0, 0, "bash is in the foreground")
	if d.Remedy != core.RemedyTypeAnyway {
		t.Errorf("the remedy is %q", d.Remedy)
	}

	a = abandoned()
	a.LineOf = "$ "
	d, _ = deliverTo(t, a, func(r *Request) { r.Target.Session, r.Command = "%1", true })
	wantDelivery(t, a, d, core.Delivered, "", 1, 1, "")
	if len(a.Tags) == 0 || a.Tags[0].Name != engine.TagState || a.Tags[0].Value != "" {
		t.Errorf("the shell is not the user's again: %v", a.Tags)
	}
}

func TestEnterIsNotPressedInAShellThatAnAgentLeft(t *testing.T) {
	a := fleettest.NewScriptedEngine()
	a.OnPaste = func(text string) {
		a.Draft = text
		a.Listing.Panes[0].Process.Command = "bash"
	}
	d, _ := deliverTo(t, a, nil)
	wantDelivery(t, a, d, core.Unconfirmed, "", 1, 0, "Scripted is gone; bash is in the foreground")
}

func TestReturnedPromptIsNoUserDraft(t *testing.T) {
	give := func(draft string) (*fleettest.ScriptedEngine, core.Delivery) {
		a := fleettest.NewScriptedEngine()
		a.Draft = draft
		a.OnPress = func(key string) { a.Draft = "" }
		d := core.Delivery{}
		synctest.Test(t, func(t *testing.T) {
			f := open(t, Options{Engine: a, Journal: &fleettest.Journal{
				Took: []string{"write the report", "read it first"}, MayHave: []string{"run them twice"},
			}})
			sent, _ := f.Send(t.Context(), Request{Target: resolve.Target{Session: "api"}, Text: "run the tests"})
			d = sent.Deliveries[0]
		})
		return a, d
	}
	a, d := give("write the report")
	wantDelivery(t, a, d, core.Delivered, "", 1, 1,
		`the prompt "write the report", which the agent had given back when its turn was stopped, was cleared`)
	a, d = give("run them twice")
	wantDelivery(t, a, d, core.Delivered, "", 1, 1,
		`the prompt "run them twice", which was not seen to leave, was cleared`)
	a, d = give("write the report, but shorter")
	wantDelivery(t, a, d, core.Refused, "draft", 0, 0, `the user typed "write the report, but shorter" there`)
	if d.Remedy != core.RemedyReplaceDraft {
		t.Errorf("the remedy is %q", d.Remedy)
	}
}

func TestAPromptThatArrivesLateIsOurs(t *testing.T) {
	const late = "run them twice"
	give := func(a *fleettest.ScriptedEngine) core.Delivery {
		d := core.Delivery{}
		synctest.Test(t, func(t *testing.T) {
			f := open(t, Options{Engine: a, Journal: &fleettest.Journal{MayHave: []string{late}}})
			if a.OnPaste == nil {
				a.Later(time.Second, func() { a.Draft = late })
			}
			sent, _ := f.Send(t.Context(), Request{Target: resolve.Target{Session: "api"}, Text: "run the tests"})
			d = sent.Deliveries[0]
		})
		return d
	}
	clears := func(a *fleettest.ScriptedEngine) { a.OnPress = func(string) { a.Draft = "" } }
	before := fleettest.NewScriptedEngine()
	clears(before)
	wantDelivery(t, before, give(before), core.Delivered, "", 1, 1, `the prompt "run them twice", which was not seen to`)
	front := fleettest.NewScriptedEngine()
	clears(front)
	pasted := 0
	front.OnPaste = func(text string) {
		pasted++
		if pasted == 1 {
			text = late + text
		}
		front.Draft = text
	}
	d := give(front)
	if d.Outcome != core.Delivered || pasted != 2 || !strings.Contains(d.Evidence[0], "arrived late, in front of") {
		t.Errorf("%s after %d pastes: %q", d.Outcome, pasted, d.Evidence)
	}
	users := fleettest.NewScriptedEngine()
	users.OnPaste = func(text string) { users.Draft = "my words " + text }
	if d := give(users); d.Outcome != core.Unconfirmed {
		t.Errorf("behind what a user typed: %s: %q", d.Outcome, d.Evidence)
	}
}

func TestADialogThatAHookReportedIsWaitedFor(t *testing.T) {
	announced := func(a *fleettest.ScriptedEngine) func(*Request) {
		return func(*Request) {
			hook := detect.Hook{
				Event: "PermissionRequest", State: core.Waiting, Reason: core.ReasonApproval,
				At: time.Now(),
			}
			a.Listing.Panes[0].Tags[engine.TagHook] = panetag.EncodeHook(hook)
		}
	}
	a := fleettest.NewScriptedEngine()
	d, _ := deliverTo(t, a, func(r *Request) {
		announced(a)(r)
		a.Later(time.Second, func() { a.Dialog = true })
	})
	wantDelivery(t, a, d, core.Refused, "dialog", 0, 0, "")
	a = fleettest.NewScriptedEngine()
	d, took := deliverTo(t, a, announced(a))
	wantDelivery(t, a, d, core.Delivered, "", 1, 1, "")
	if took < terminal.DrawWait || took > terminal.DrawWait+2*time.Second {
		t.Errorf("it took %v", took)
	}
	a = fleettest.NewScriptedEngine()
	a.OnPaste = func(text string) {
		a.Draft = text
		announced(a)(nil)
	}
	d, _ = deliverTo(t, a, nil)
	wantDelivery(t, a, d, core.Unconfirmed, "", 1, 0, "its hook reports a dialog since the text was typed")
}
