package fleettest

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"cupola/core"
)

// Journal is a fake journal that records prompts and decisions only.
type Journal struct {
	Mu      sync.Mutex
	Prompts []core.Prompt
	Ended   map[string][]core.Delivery
	// OnSending is called before a prompt is recorded.
	OnSending func(core.Prompt)
	// SendingErr is the error of Sending, SentErr the error of Sent.
	SendingErr, SentErr error
	Decisions           []core.Decision
	// Took are the prompts that every pane accepted, MayHave those that it may have
	// accepted.
	Took, MayHave []string
	// Waiting are the queued prompts, each owner's in their order.
	Waiting []core.QueuedPrompt
}

// Queued returns the queued prompts.
func (d *Journal) Queued(context.Context) ([]core.QueuedPrompt, error) {
	d.Mu.Lock()
	defer d.Mu.Unlock()
	all := slices.Clone(d.Waiting)
	at := map[string]int{}
	for i := range all {
		at[all[i].Owner]++
		all[i].Position = at[all[i].Owner]
	}
	return all, nil
}

// ChangeQueue changes the queued prompts of an owner.
func (d *Journal) ChangeQueue(ctx context.Context, owner string,
	change func([]core.QueuedPrompt) ([]core.QueuedPrompt, error),
) error {
	all, _ := d.Queued(ctx)
	d.Mu.Lock()
	defer d.Mu.Unlock()
	others := func(p core.QueuedPrompt) bool { return p.Owner != owner }
	after, err := change(slices.DeleteFunc(slices.Clone(all), others))
	if err == nil {
		d.Waiting = append(slices.DeleteFunc(all, func(p core.QueuedPrompt) bool { return !others(p) }), after...)
	}
	return err
}

// Recorded returns a prompt with the outcomes that are recorded.
func (d *Journal) Recorded(_ context.Context, id string) (core.Prompt, bool, error) {
	d.Mu.Lock()
	defer d.Mu.Unlock()
	at := slices.IndexFunc(d.Prompts, func(p core.Prompt) bool { return p.ID == id })
	if at < 0 {
		return core.Prompt{}, false, nil
	}
	p := d.Prompts[at]
	p.Deliveries = slices.Clone(p.Deliveries)
	for i := range p.Deliveries {
		for _, ended := range d.Ended[id] {
			if ended.Pane == p.Deliveries[i].Pane {
				p.Deliveries[i] = ended
			}
		}
	}
	return p, true, nil
}

// Sending records a prompt.
func (d *Journal) Sending(_ context.Context, p core.Prompt) error {
	d.Mu.Lock()
	defer d.Mu.Unlock()
	if d.OnSending != nil {
		d.OnSending(p)
	}
	if d.SendingErr == nil {
		d.Prompts = append(d.Prompts, p)
	}
	return d.SendingErr
}

// Sent records the outcomes of a prompt.
func (d *Journal) Sent(ctx context.Context, id string, deliveries []core.Delivery) error {
	d.Mu.Lock()
	defer d.Mu.Unlock()
	if d.Ended == nil {
		d.Ended = map[string][]core.Delivery{}
	}
	if d.SentErr == nil && ctx.Err() == nil {
		d.Ended[id] = append(d.Ended[id], deliveries...)
	}
	return errors.Join(d.SentErr, ctx.Err())
}

// Unfinished returns the prompts whose outcome at a pane is not recorded.
func (d *Journal) Unfinished(_ context.Context, pane core.PaneRef) ([]core.Prompt, error) {
	d.Mu.Lock()
	defer d.Mu.Unlock()
	var open []core.Prompt
	for _, p := range slices.Backward(d.Prompts) {
		here := func(of core.Delivery) bool { return of.Pane == pane.Pane }
		if slices.ContainsFunc(p.Deliveries, here) && !slices.ContainsFunc(d.Ended[p.ID], here) {
			open = append(open, p)
		}
	}
	return open, nil
}

// Asked returns Took.
func (d *Journal) Asked(context.Context, core.PaneRef, time.Time) ([]core.TakenPrompt, error) {
	taken := make([]core.TakenPrompt, len(d.Took))
	for i, text := range d.Took {
		taken[i].Text = text
	}
	return taken, nil
}

// Unconfirmed returns MayHave.
func (d *Journal) Unconfirmed(context.Context, core.PaneRef, time.Time) ([]string, error) {
	return d.MayHave, nil
}

// Newest returns nothing.
func (d *Journal) Newest(context.Context, time.Time) (map[core.PaneID]core.TakenPrompt, error) {
	return nil, nil
}

// Answered records a decision.
func (d *Journal) Answered(_ context.Context, decision core.Decision) error {
	d.Mu.Lock()
	defer d.Mu.Unlock()
	d.Decisions = append(d.Decisions, decision)
	return d.SendingErr
}

// Alerts returns nothing.
func (d *Journal) Alerts(context.Context) ([]core.Alert, error) { return nil, nil }

// SaveAlerts records nothing.
func (d *Journal) SaveAlerts(context.Context, []core.Alert) error { return nil }

// Happened records nothing.
func (d *Journal) Happened(context.Context, []core.Event) error { return nil }

// written are the prompts with their outcomes, a line each.
func (d *Journal) written() []string {
	d.Mu.Lock()
	defer d.Mu.Unlock()
	var lines []string
	for _, p := range d.Prompts {
		words := []string{p.Origin, p.Text}
		for _, pane := range p.Deliveries {
			at := slices.IndexFunc(d.Ended[p.ID], func(d core.Delivery) bool { return d.Pane == pane.Pane })
			if at < 0 {
				words = append(words, "open")
				continue
			}
			words = append(words, string(d.Ended[p.ID][at].Outcome)+d.Ended[p.ID][at].Why)
		}
		lines = append(lines, strings.Join(words, " "))
	}
	return lines
}

// Holds fails the test if the journal does not contain exactly these prompts, each with its
// outcomes.
func (d *Journal) Holds(t *testing.T, want ...string) {
	t.Helper()
	if got := d.written(); !slices.Equal(got, want) {
		t.Errorf("written down is\n%q\nnot\n%q", got, want)
	}
}
