package fleet

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"cupola/core"
)

// diary is a journal of prompts alone.
type diary struct {
	Journal
	mu      sync.Mutex
	prompts []Prompt
	ended   map[string][]Delivery
	// sending is called before a prompt is written down.
	sending func(Prompt)
	// broken is how Sending fails, torn how Sent does.
	broken, torn error
	decisions    []Decision
	// asked is what every pane took.
	asked []string
	// unconfirmed is what every pane may have taken.
	unconfirmed []string
}

func (d *diary) Sending(_ context.Context, p Prompt) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.sending != nil {
		d.sending(p)
	}
	if d.broken == nil {
		d.prompts = append(d.prompts, p)
	}
	return d.broken
}

func (d *diary) Sent(ctx context.Context, id string, deliveries []Delivery) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.ended == nil {
		d.ended = map[string][]Delivery{}
	}
	if d.torn == nil && ctx.Err() == nil {
		d.ended[id] = append(d.ended[id], deliveries...)
	}
	return errors.Join(d.torn, ctx.Err())
}

func (d *diary) Unfinished(_ context.Context, pane PaneRef) ([]Prompt, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	var open []Prompt
	for _, p := range slices.Backward(d.prompts) {
		here := func(of PaneRef) bool { return of.Pane == pane.Pane }
		if slices.ContainsFunc(p.Panes, here) && !slices.ContainsFunc(d.ended[p.ID], func(e Delivery) bool { return here(e.PaneRef) }) {
			open = append(open, p)
		}
	}
	return open, nil
}

func (d *diary) Asked(context.Context, PaneRef, time.Time) ([]string, error) { return d.asked, nil }
func (d *diary) Unconfirmed(context.Context, PaneRef, time.Time) ([]string, error) {
	return d.unconfirmed, nil
}

func (d *diary) Newest(context.Context, time.Time) (map[core.PaneID]Taken, error) {
	return nil, nil
}

func (d *diary) Answered(_ context.Context, decision Decision) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.decisions = append(d.decisions, decision)
	return d.broken
}

func (d *diary) Alerts(context.Context) ([]core.Alert, error)   { return nil, nil }
func (d *diary) SaveAlerts(context.Context, []core.Alert) error { return nil }
func (d *diary) Happened(context.Context, []core.Event) error   { return nil }

// written are the prompts with their outcomes, a line each.
func (d *diary) written() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	var lines []string
	for _, p := range d.prompts {
		words := []string{p.Origin, p.Text}
		for _, pane := range p.Panes {
			at := slices.IndexFunc(d.ended[p.ID], func(d Delivery) bool { return d.Pane == pane.Pane })
			if at < 0 {
				words = append(words, "open")
				continue
			}
			words = append(words, string(d.ended[p.ID][at].Outcome)+d.ended[p.ID][at].Why)
		}
		lines = append(lines, strings.Join(words, " "))
	}
	return lines
}

func (d *diary) holds(t *testing.T, want ...string) {
	t.Helper()
	if got := d.written(); !slices.Equal(got, want) {
		t.Errorf("written down is\n%q\nnot\n%q", got, want)
	}
}

// journalled sends a text to an actor in virtual time.
func journalled(t *testing.T, a *actor, d *diary, request SendRequest) (sent Sent) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		f := Open(Options{Engine: a, Kinds: kindsOf(t, stub), Journal: d})
		request.Target, request.Text = Target{Session: "api"}, "run the tests"
		var err error
		sent, err = f.Send(t.Context(), request)
		if (err != nil) != sent.Deliveries[0].Outcome.Failed() {
			t.Fatalf("%+v, %v", sent, err)
		}
	})
	return sent
}

func TestAPromptIsWrittenDownBeforeItIsTyped(t *testing.T) {
	a, d := newActor(), &diary{}
	d.sending = func(p Prompt) {
		if len(a.pasted) > 0 {
			t.Errorf("%q was typed first", a.pasted)
		}
		if p.Text != "run the tests" || !p.Tracked || p.At.IsZero() || len(p.Panes) != 1 || p.Panes[0].Agent != "scr_1" {
			t.Errorf("written down is %+v", p)
		}
	}
	sent := journalled(t, a, d, SendRequest{Track: true, Origin: "dashboard"})
	d.holds(t, "dashboard run the tests delivered")
	if sent.ID != d.prompts[0].ID || sent.Unrecorded != "" || d.ended[sent.ID][0].Evidence == "" {
		t.Errorf("%+v, written down as %+v", sent, d.prompts[0])
	}
}

func TestWhateverBecomesOfAPromptIsWrittenDown(t *testing.T) {
	a, d := newActor(), &diary{}
	a.dialog = true
	journalled(t, a, d, SendRequest{})
	d.holds(t, "send run the tests refuseddialog")
	a, d = newActor(), &diary{}
	journalled(t, a, d, SendRequest{NoEnter: true})
	d.holds(t, "send run the tests typed")
	a, d = newActor(), &diary{}
	a.press = func(string) {}
	journalled(t, a, d, SendRequest{})
	d.holds(t, "send run the tests unconfirmed")
	a, d = newActor(), &diary{}
	if sent := journalled(t, a, d, SendRequest{DryRun: true}); sent.ID == "" {
		t.Error("a dry run has no id")
	}
	d.holds(t)
}

func TestAJournalThatFailsStopsNoPrompt(t *testing.T) {
	full := errors.New("the disk is full")
	for name, d := range map[string]*diary{"before": {broken: full}, "after": {torn: full}} {
		a := newActor()
		sent := journalled(t, a, d, SendRequest{})
		if sent.Deliveries[0].Outcome != Delivered || !strings.Contains(sent.Unrecorded, full.Error()) || len(a.pasted) != 1 || len(d.ended) != 0 {
			t.Errorf("%s: %+v", name, sent)
		}
	}
}

func TestAnInterruptedSendIsWrittenDownAllTheSame(t *testing.T) {
	a, d := newActor(), &diary{}
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		a.press = func(string) { cancel() }
		f := Open(Options{Engine: a, Kinds: kindsOf(t, stub), Journal: d})
		if _, err := f.Send(ctx, SendRequest{Target: Target{Session: "api"}, Text: "run the tests"}); !core.AsError(err).HasCode(core.Cancelled) {
			t.Errorf("got %v", err)
		}
	})
	d.holds(t, "send run the tests unconfirmed")
}

func TestEveryWayToPromptIsWrittenDown(t *testing.T) {
	d := &diary{}
	s := play(t, 1, "--speed", "0")
	s.journal = d
	s.spawn(t, "web", LaunchRequest{Wishes: []Wish{{Kind: "scripted", Count: 2}}, WaitReady: true, Prompt: "slow 600"})
	_, err := s.Interrupt(t.Context(), InterruptRequest{Target: Target{Session: "web"}, Text: "approve tool true"})
	if err != nil {
		t.Fatal(err)
	}
	for n := 1; n <= 2; n++ {
		s.shows(t, fmt.Sprintf("web.%d", n), "enter to confirm")
	}
	if _, err := s.Answer(t.Context(), AnswerRequest{Target: Target{Session: "web.1"}, Act: Say, Text: "say no"}); err != nil {
		t.Fatal(err)
	}
	d.holds(t, "first-prompt slow 600 delivered delivered", "interrupt approve tool true delivered delivered", "answer say no delivered")
}

func TestAPromptKeepsTheIDThatItsSenderGaveIt(t *testing.T) {
	a, d := newActor(), &diary{}
	id := NewPromptID(noon)
	if sent := journalled(t, a, d, SendRequest{ID: id}); sent.ID != id || d.prompts[0].ID != id || len(d.ended[id]) != 1 {
		t.Errorf("%+v, written down as %+v", sent, d.prompts[0])
	}
}
