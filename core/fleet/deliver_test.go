package fleet

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"cupola/core"
	"cupola/core/detect"
	"cupola/core/engine"
)

func TestATextIsPastedOnceAndSubmittedOnce(t *testing.T) {
	a := newActor()
	d, took := deliverTo(t, a, nil)
	wantDelivery(t, a, d, Delivered, "", 1, 1, "left the composer")
	if took > time.Second {
		t.Errorf("it took %v", took)
	}
}

func TestEnterIsTriedAgainAndTheTextIsNot(t *testing.T) {
	a := newActor()
	a.press = func(string) {}
	d, took := deliverTo(t, a, nil)
	wantDelivery(t, a, d, Unconfirmed, "", 1, 4, "did not leave the composer after 4 times Enter")
	if took > 15*time.Second {
		t.Errorf("it took %v", took)
	}
	a = newActor()
	a.press = func(string) {
		if len(a.pressed) == 3 {
			a.draft = ""
		}
	}
	d, _ = deliverTo(t, a, nil)
	wantDelivery(t, a, d, Delivered, "", 1, 3, "left the composer")
}

func TestALineBreakInsteadOfASubmitIsSeenSoon(t *testing.T) {
	a := newActor()
	a.press = func(string) {
		if a.draft += "\n"; len(a.pressed) == 2 {
			a.draft = ""
		}
	}
	d, took := deliverTo(t, a, nil)
	wantDelivery(t, a, d, Delivered, "", 1, 2, "left the composer")
	if took > 1500*time.Millisecond {
		t.Errorf("it took %v", took)
	}
}

func TestEnterIsNotPressedOnceSomethingCameUp(t *testing.T) {
	for name, c := range map[string]struct {
		comes    func(a *actor, text string)
		evidence string
	}{
		"a dialog":             {func(a *actor, _ string) { a.dialog = true }, "a dialog is open (approval"},
		"copy mode":            {func(a *actor, text string) { a.draft, a.inMode = text, true }, "scroll back"},
		"somebody's own words": {func(a *actor, text string) { a.draft = text + " and mine" }, "Enter was not pressed"},
		"nothing":              {func(*actor, string) {}, "the composer is empty"},
		"a dialog, late": {func(a *actor, text string) {
			a.draft = text
			a.later(150*time.Millisecond, func() { a.dialog = true })
		}, "a dialog is open (approval"},
		"somebody's words, late": {func(a *actor, text string) {
			a.draft = text
			a.later(150*time.Millisecond, func() { a.draft = "other words" })
		}, `the composer holds "other words"`},
	} {
		t.Run(name, func(t *testing.T) {
			a := newActor()
			a.paste = func(text string) { c.comes(a, text) }
			d, _ := deliverTo(t, a, nil)
			wantDelivery(t, a, d, Unconfirmed, "", 1, 0, c.evidence)
		})
	}
}

func TestNoEnterIsRetriedIntoADialog(t *testing.T) {
	a := newActor()
	a.working = true
	a.press = func(string) { a.dialog = true }
	d, _ := deliverTo(t, a, nil)
	wantDelivery(t, a, d, Unconfirmed, "", 1, 1, "since Enter was pressed")
	a = newActor()
	a.press = func(string) { a.draft, a.dialog = "", true }
	d, _ = deliverTo(t, a, nil)
	wantDelivery(t, a, d, Delivered, "", 1, 1, "a dialog is open")
}

func TestNoEnterIsRetriedInCopyMode(t *testing.T) {
	a := newActor()
	a.press = func(string) { a.inMode = true }
	d, _ := deliverTo(t, a, nil)
	wantDelivery(t, a, d, Unconfirmed, "", 1, 1, "scrolls back")
}

func TestAComposerThatIsEmptyForAMomentIsNotEmpty(t *testing.T) {
	a := newActor()
	a.press = func(string) {
		a.draft = ""
		if len(a.pressed) == 1 {
			a.later(50*time.Millisecond, func() { a.draft = "run the tests" })
		}
	}
	d, _ := deliverTo(t, a, nil)
	wantDelivery(t, a, d, Delivered, "", 1, 2, "left the composer")
}

func TestADraftBehindTheCursorIsNoSuggestion(t *testing.T) {
	// Codex puts the cursor before a command that it does not know.
	ghost := fstest.MapFS{"scripted.toml": {Data: []byte("id = \"scripted\"\n[composer]\nghost = true\n")}}
	a := newActor()
	a.press = func(string) {}
	d, _ := deliverTo(t, a, func(r *SendRequest) { r.Text = "/nosuchthing" }, ghost)
	wantDelivery(t, a, d, Unconfirmed, "", 1, 4, "did not leave the composer")
}

func TestAnAgentThatEndsAfterEnter(t *testing.T) {
	for text, want := range map[string]Outcome{"run the tests": Unconfirmed, "/exit": Delivered} {
		a := newActor()
		a.press = func(string) { a.gone = true }
		d, _ := deliverTo(t, a, func(r *SendRequest) { r.Text = text })
		wantDelivery(t, a, d, want, "", 1, 1, "the pane is gone")
	}
}

func TestAnAgentThatDrawsLateIsWatched(t *testing.T) {
	a := newActor()
	a.press = func(string) {
		a.draft, a.blank = "", true
		a.later(9*time.Second, func() { a.blank = false })
	}
	d, took := deliverTo(t, a, nil)
	wantDelivery(t, a, d, Delivered, "", 1, 1, "left the composer")
	if took < 9*time.Second {
		t.Errorf("it took %v", took)
	}
}

func TestAnAgentIsWaitedForWhileItStarts(t *testing.T) {
	a := newActor()
	a.blank = true
	d, took := deliverTo(t, a, nil)
	wantDelivery(t, a, d, Refused, whyStarting, 0, 0, `its last line is "loading"`)
	if took < startPatience {
		t.Errorf("it took %v", took)
	}
	a = newActor()
	a.blank = true
	d, _ = deliverTo(t, a, func(*SendRequest) { a.later(2*time.Second, func() { a.blank = false }) })
	wantDelivery(t, a, d, Delivered, "", 1, 1, "")
}

// steers makes the scripted kind one that steers, with a key that queues.
func steers(queue string) fstest.MapFS {
	return fstest.MapFS{"scripted.toml": {Data: []byte("id = \"scripted\"\n[keys]\nqueue = [" + queue + "]\n[typing]\nbusy = \"steers\"\n")}}
}

func TestATurnThatWouldTakeThePromptIsWaitedFor(t *testing.T) {
	a := newActor()
	a.working = true
	d, took := deliverTo(t, a, nil, steers(""))
	wantDelivery(t, a, d, Refused, whyBusy, 0, 0, "a turn runs")
	if took < turnPatience {
		t.Errorf("it took %v", took)
	}
	d, _ = deliverTo(t, a, func(r *SendRequest) { r.Now = true }, steers(""))
	wantDelivery(t, a, d, Steered, "", 1, 1, "")

	a = newActor()
	a.working = true
	d, _ = deliverTo(t, a, func(*SendRequest) { a.later(5*time.Second, func() { a.working = false }) }, steers(""))
	wantDelivery(t, a, d, Delivered, "", 1, 1, "")

	a = newActor()
	a.working = true
	d, took = deliverTo(t, a, nil, steers(`"Tab"`))
	if d.Outcome != Queued || !slices.Equal(a.pressed, []string{"Tab"}) || took < turnPatience {
		t.Errorf("%+v after %v, pressed %q", d, took, a.pressed)
	}
}

func TestADraftThatCannotBeClearedIsRefused(t *testing.T) {
	a := newActor()
	a.draft = "stubborn"
	a.press = func(string) {}
	d, _ := deliverTo(t, a, func(r *SendRequest) { r.ReplaceDraft = true })
	wantDelivery(t, a, d, Refused, whyDraft, 0, 0, "could not be cleared")
}

func TestWhatIsCancelledBeforeItIsTypedIsNotTyped(t *testing.T) {
	a := newActor()
	a.blank = true
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		sent, err := Open(Options{Engine: a, Kinds: kindsOf(t, stub)}).Send(ctx, SendRequest{Target: Target{Session: "api"}, Text: "x"})
		wantError(t, err, core.Timeout, "")
		if len(sent.Deliveries) != 1 || sent.Deliveries[0].Outcome != Refused || len(a.pasted) > 0 {
			t.Errorf("%+v, pasted %q", sent, a.pasted)
		}
	})
}

func TestWhatIsTypedIsSubmittedThoughItIsCancelled(t *testing.T) {
	a := newActor()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		a.paste = func(text string) {
			a.draft = text
			cancel()
		}
		sent, err := Open(Options{Engine: a, Kinds: kindsOf(t, stub)}).Send(ctx, SendRequest{Target: Target{Session: "api"}, Text: "x"})
		wantError(t, err, core.Cancelled, "")
		if len(sent.Deliveries) != 1 || sent.Deliveries[0].Outcome != Delivered || !slices.Equal(a.pressed, []string{"Enter"}) {
			t.Errorf("%+v, pressed %q", sent, a.pressed)
		}
	})
}

func TestACancelledDeliveryDoesNotGoOnForLong(t *testing.T) {
	a := newActor()
	a.press = func(string) {}
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		begun := time.Now()
		_, err := Open(Options{Engine: a, Kinds: kindsOf(t, stub)}).Send(ctx, SendRequest{Target: Target{Session: "api"}, Text: "x"})
		wantError(t, err, core.Timeout, "")
		if took := time.Since(begun); took > time.Second+grace {
			t.Errorf("it went on for %v", took)
		}
	})
}

func TestAKindWithoutRulesMustChangeItsScreen(t *testing.T) {
	a := newActor()
	a.listing.Panes[0] = row("$1", "%1", "sh", engine.TagKind, "stub", engine.TagRole, roleAgent, engine.TagName, "st_1", engine.TagOrdinal, "1")
	a.listing.Panes[0].Process.Command = "stub"
	d, _ := deliverTo(t, a, nil)
	if d.Outcome != Delivered || !strings.Contains(d.Evidence, "no rule but the screen") {
		t.Errorf("%+v", d)
	}
	a.draft = ""
	a.paste, a.press = func(string) {}, func(string) {}
	d, _ = deliverTo(t, a, nil)
	if d.Outcome != Unconfirmed || !strings.Contains(d.Evidence, "changed neither") {
		t.Errorf("%+v", d)
	}
}

func TestProgressIsReportedOnceItTakesLong(t *testing.T) {
	a := newActor()
	a.press = func(string) {}
	var told []Progress
	deliverTo(t, a, func(r *SendRequest) { r.Progress = func(p Progress) { told = append(told, p) } })
	if len(told) == 0 || told[0].Phase != "send" || !strings.Contains(told[0].Message, "waiting for api.1") {
		t.Errorf("told %+v", told)
	}
	told = nil
	deliverTo(t, newActor(), func(r *SendRequest) { r.Progress = func(p Progress) { told = append(told, p) } })
	if len(told) > 0 {
		t.Errorf("told %+v of a short one", told)
	}
}

func TestATurnstileLetsOneInAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gate := turnstile{held: map[string]chan struct{}{}}
		leave, err := gate.enter(t.Context(), "a")
		if err != nil {
			t.Fatal(err)
		}
		if other, err := gate.enter(t.Context(), "b"); err != nil {
			t.Fatal(err)
		} else {
			other()
		}
		impatient, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := gate.enter(impatient, "a"); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("two are in: %v", err)
		}
		time.AfterFunc(time.Second, leave)
		if next, err := gate.enter(t.Context(), "a"); err != nil {
			t.Error(err)
		} else {
			next()
		}
	})
}

// lapsing is an actor to whom something happens after some looks at a draft.
type lapsing struct {
	*actor
	looks  int
	happen func()
}

func (l *lapsing) Capture(ctx context.Context, asks ...engine.Ask) ([]core.Screen, error) {
	screens, err := l.actor.Capture(ctx, asks...)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.draft != "" {
		l.looks--
		if l.looks == 0 {
			l.happen()
		}
	}
	return screens, err
}

func TestEnterIsNotPressedOnWhatTheLastLookBeforeItShows(t *testing.T) {
	for name, happen := range map[string]func(*actor){
		"a dialog":             func(a *actor) { a.dialog = true },
		"somebody scrolls":     func(a *actor) { a.inMode = true },
		"somebody else's word": func(a *actor) { a.draft += " rm -rf /" },
	} {
		t.Run(name, func(t *testing.T) {
			a := newActor()
			synctest.Test(t, func(t *testing.T) {
				f := Open(Options{Engine: &lapsing{a, 2, func() { happen(a) }}, Kinds: kindsOf(t, stub)})
				sent, err := f.Send(t.Context(), SendRequest{Target: api1, Text: "run the tests"})
				if err == nil || len(sent.Deliveries) != 1 || sent.Deliveries[0].Outcome != Unconfirmed || len(a.pressed) > 0 {
					t.Errorf("%+v, %v; pressed were %q", sent.Deliveries, err, a.pressed)
				}
			})
		})
	}
}

func TestATextThatAMenuCompletedIsNotDelivered(t *testing.T) {
	a := newActor()
	a.press = func(string) { a.draft = "what is the price in $imagegen" }
	d, _ := deliverTo(t, a, func(r *SendRequest) { r.Text = "what is the price in $" })
	wantDelivery(t, a, d, Unconfirmed, "", 1, 1, "what is the price in $imagegen")
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
	a := newActor()
	d, _ := deliverTo(t, a, func(r *SendRequest) { r.Text = "!important" }, touchy)
	wantDelivery(t, a, d, Delivered, "", 1, 1, "a blank stands before it, so that Scripted does not take it for a shell command")
	if a.pasted[0] != " !important" {
		t.Errorf("typed %q", a.pasted)
	}
	a = newActor()
	d, _ = deliverTo(t, a, func(r *SendRequest) { r.Text, r.Command = "!ls", true }, touchy)
	wantDelivery(t, a, d, Delivered, "", 1, 1, "")
	if a.pasted[0] != "!ls" {
		t.Errorf("typed %q", a.pasted)
	}
	a = newActor()
	d, _ = deliverTo(t, a, func(r *SendRequest) { r.Text = "# a heading" }, touchy)
	wantDelivery(t, a, d, Refused, "command", 0, 0, "Scripted would take it for a note; --command sends it as that")
}

func TestAShellIsNotGivenThePromptOfAnAgentThatEnded(t *testing.T) {
	abandoned := func() *actor {
		a := newActor()
		pane := row("$1", "%1", "bash", engine.TagState, encodeState(core.Status{State: core.Idle, Since: noon}))
		a.listing.Panes = []engine.Pane{pane}
		return a
	}
	a := abandoned()
	d, _ := deliverTo(t, a, func(r *SendRequest) { r.Target.Session = "%1" })
	wantDelivery(t, a, d, Refused, "agent_gone", 0, 0, "bash is in the foreground; --command types into it")

	a = abandoned()
	a.lineOf = "$ "
	d, _ = deliverTo(t, a, func(r *SendRequest) { r.Target.Session, r.Command = "%1", true })
	wantDelivery(t, a, d, Delivered, "", 1, 1, "")
	if len(a.tags) == 0 || a.tags[0].Name != engine.TagState || a.tags[0].Value != "" {
		t.Errorf("the shell is not the user's again: %v", a.tags)
	}
}

func TestEnterIsNotPressedInAShellThatAnAgentLeft(t *testing.T) {
	a := newActor()
	a.paste = func(text string) {
		a.draft = text
		a.listing.Panes[0].Process.Command = "bash"
	}
	d, _ := deliverTo(t, a, nil)
	wantDelivery(t, a, d, Unconfirmed, "", 1, 0, "Scripted is gone; bash is in the foreground")
}

func TestAPromptThatTheAgentGaveBackIsNobodysDraft(t *testing.T) {
	give := func(draft string) (*actor, Delivery) {
		a := newActor()
		a.draft = draft
		a.press = func(key string) { a.draft = "" }
		d := Delivery{}
		synctest.Test(t, func(t *testing.T) {
			f := Open(Options{Engine: a, Kinds: kindsOf(t, stub), Journal: &diary{
				asked: []string{"write the report", "read it first"}, unconfirmed: []string{"run them twice"},
			}})
			sent, _ := f.Send(t.Context(), SendRequest{Target: Target{Session: "api"}, Text: "run the tests"})
			d = sent.Deliveries[0]
		})
		return a, d
	}
	a, d := give("write the report")
	wantDelivery(t, a, d, Delivered, "", 1, 1, `the prompt "write the report", which the agent had given back when its turn was stopped, was cleared`)
	a, d = give("run them twice")
	wantDelivery(t, a, d, Delivered, "", 1, 1, `the prompt "run them twice", which nobody saw leave the composer, was cleared`)
	a, d = give("write the report, but shorter")
	wantDelivery(t, a, d, Refused, "draft", 0, 0, "--replace-draft clears it first")
}

func TestADialogThatAHookReportedIsWaitedFor(t *testing.T) {
	announced := func(a *actor) func(*SendRequest) {
		return func(*SendRequest) {
			hook := detect.Hook{Event: "PermissionRequest", State: core.Waiting, Reason: core.ReasonApproval, At: time.Now()}
			a.listing.Panes[0].Tags[engine.TagHook] = encodeHook(hook)
		}
	}
	a := newActor()
	d, _ := deliverTo(t, a, func(r *SendRequest) {
		announced(a)(r)
		a.later(time.Second, func() { a.dialog = true })
	})
	wantDelivery(t, a, d, Refused, "dialog", 0, 0, "")
	a = newActor()
	d, took := deliverTo(t, a, announced(a))
	wantDelivery(t, a, d, Delivered, "", 1, 1, "")
	if took < drawWait || took > drawWait+2*time.Second {
		t.Errorf("it took %v", took)
	}
	a = newActor()
	a.paste = func(text string) {
		a.draft = text
		announced(a)(nil)
	}
	d, _ = deliverTo(t, a, nil)
	wantDelivery(t, a, d, Unconfirmed, "", 1, 0, "its hook reports a dialog since the text was typed")
}
