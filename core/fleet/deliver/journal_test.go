package deliver

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"cupola/core"
	"cupola/core/fleet/fleettest"
	"cupola/core/fleet/resolve"
)

// journalled sends a text to a scripted engine in virtual time.
func journalled(t *testing.T, a *fleettest.ScriptedEngine, d *fleettest.Journal, request Request) (sent Sent) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		f := open(t, Options{Engine: a, Journal: d})
		request.Target, request.Text = resolve.Target{Session: "api"}, "run the tests"
		var err error
		sent, err = f.Send(t.Context(), request)
		if (err != nil) != sent.Deliveries[0].Outcome.Failed() {
			t.Fatalf("%+v, %v", sent, err)
		}
	})
	return sent
}

func TestAPromptIsWrittenDownBeforeItIsTyped(t *testing.T) {
	a, d := fleettest.NewScriptedEngine(), &fleettest.Journal{}
	d.OnSending = func(p core.Prompt) {
		if len(a.Pasted) > 0 {
			t.Errorf("%q was typed first", a.Pasted)
		}
		if p.Text != "run the tests" || !p.Tracked || p.At.IsZero() || len(p.Deliveries) != 1 ||
			p.Deliveries[0].Agent != "scr_1" {
			t.Errorf("written down is %+v", p)
		}
	}
	sent := journalled(t, a, d, Request{Track: true, Origin: "dashboard"})
	d.Holds(t, "dashboard run the tests delivered")
	if sent.ID != d.Prompts[0].ID || sent.Unrecorded != "" || d.Ended[sent.ID][0].Saw() == "" ||
		d.Ended[sent.ID][0].At.IsZero() {
		t.Errorf("%+v, written down as %+v", sent, d.Prompts[0])
	}
}

func TestWhateverBecomesOfAPromptIsWrittenDown(t *testing.T) {
	a, d := fleettest.NewScriptedEngine(), &fleettest.Journal{}
	a.Dialog = true
	journalled(t, a, d, Request{})
	d.Holds(t, "send run the tests refuseddialog")
	a, d = fleettest.NewScriptedEngine(), &fleettest.Journal{}
	journalled(t, a, d, Request{NoEnter: true})
	d.Holds(t, "send run the tests typed")
	a, d = fleettest.NewScriptedEngine(), &fleettest.Journal{}
	a.OnPress = func(string) {}
	journalled(t, a, d, Request{})
	d.Holds(t, "send run the tests unconfirmed")
	a, d = fleettest.NewScriptedEngine(), &fleettest.Journal{}
	if sent := journalled(t, a, d, Request{DryRun: true}); sent.ID == "" {
		t.Error("a dry run has no id")
	}
	d.Holds(t)
}

func TestAJournalThatFailsStopsNoPrompt(t *testing.T) {
	full := errors.New("the disk is full")
	for name, d := range map[string]*fleettest.Journal{"before": {SendingErr: full}, "after": {SentErr: full}} {
		a := fleettest.NewScriptedEngine()
		sent := journalled(t, a, d, Request{})
		if sent.Deliveries[0].Outcome != core.Delivered || !strings.Contains(sent.Unrecorded, full.Error()) ||
			len(a.Pasted) != 1 || len(d.Ended) != 0 {
			t.Errorf("%s: %+v", name, sent)
		}
	}
}

func TestAnInterruptedSendIsWrittenDownAllTheSame(t *testing.T) {
	a, d := fleettest.NewScriptedEngine(), &fleettest.Journal{}
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		a.OnPress = func(string) { cancel() }
		f := open(t, Options{Engine: a, Journal: d})
		if _, err := f.Send(ctx,
			Request{
				Target: resolve.Target{Session: "api"},
				Text:   "run the tests",
			}); !core.AsError(err).HasCode(core.Cancelled) {
			t.Errorf("got %v", err)
		}
	})
	d.Holds(t, "send run the tests unconfirmed")
}

func TestAPromptKeepsTheIDThatItsSenderGaveIt(t *testing.T) {
	a, d := fleettest.NewScriptedEngine(), &fleettest.Journal{}
	id := core.NewPromptID(fleettest.Noon)
	if sent := journalled(t, a, d, Request{ID: id}); sent.ID != id || d.Prompts[0].ID != id || len(d.Ended[id]) != 1 {
		t.Errorf("%+v, written down as %+v", sent, d.Prompts[0])
	}
}
