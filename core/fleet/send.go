package fleet

import (
	"context"
	"fmt"
	"strings"
	"time"

	"cupola/core"
	"cupola/core/shell"
)

const (
	// sendMax is how many panes are typed into at once.
	sendMax = 8
	// sendQuiet is how long an operation may take before it reports progress,
	// and how often it does so then.
	sendQuiet = 2 * time.Second
)

// Send delivers a prompt to panes, several at a time, and says for each what
// became of it; the deliveries are in the order of the panes. Where a pane
// refused or could not be seen to take the prompt, Sent is returned beside a
// DeliveryFailed error. Nothing is typed if the text or the target is wrong.
//
// Line ends become newlines, and one at the very end is left out. Text that is
// blank, larger than 1 MiB, no UTF-8, or holds a control character other than
// newline and tab is InvalidInput. Where an agent would take the text for a command, or
// change it, Send types blanks around it that keep it words, as its kind says, or says
// in the evidence what becomes of it; what nothing keeps is refused.
//
// Once a pane is typed into, a cancelled ctx leaves a few seconds to finish
// there; the other panes refuse.
//
// The prompt is in the journal before it is typed. One that cannot be recorded
// is delivered all the same, and Sent.Unrecorded says why.
func (f *Fleet) Send(ctx context.Context, request SendRequest) (Sent, error) {
	sent, err := f.send(ctx, &request)
	return sent, translate("send", err)
}

func (f *Fleet) send(ctx context.Context, request *SendRequest) (Sent, error) {
	text, err := prepareText(request.Text)
	if err != nil {
		return Sent{}, err
	}
	snapshot, err := f.outline(ctx)
	if err != nil {
		return Sent{}, err
	}
	panes, err := f.addressees(snapshot, request)
	if err != nil {
		return Sent{}, err
	}
	var awaited []*core.Pane
	if request.Await {
		if awaited, err = f.addressees(snapshot, request.withoutShells()); err != nil {
			return Sent{}, nobodyToAwait(request.Target, err)
		}
	}
	given, err := f.maySpend(ctx, request.OverrideBudget, sessionsOfAgents(panes...))
	if err != nil {
		return Sent{}, err
	}
	order := order{
		text: text, noEnter: request.NoEnter, replaceDraft: request.ReplaceDraft, atOnce: request.Now, command: request.Command,
		dryRun: request.DryRun, patience: request.Timeout, grant: given,
	}
	origin := request.Origin
	if origin == "" {
		origin = OriginSend
	}
	record := begin(ctx, f, !request.DryRun, &Prompt{ID: request.ID, Origin: origin, Text: text, Tracked: request.Track, Panes: refs(panes)})
	order.id = record.id
	sent := Sent{ID: record.id, Bytes: len(text), Deliveries: make([]Delivery, len(panes)), Await: refs(awaited)}
	eachPane(panes, request.Progress, "send", func(i int, pane *core.Pane) {
		sent.Deliveries[i] = f.deliver(ctx, pane, order)
		record.ended(ctx, sent.Deliveries[i])
		f.unconfirmed(ctx, pane, &sent.Deliveries[i])
	})
	sent.Unrecorded = record.unrecorded()
	if ctx.Err() != nil {
		return sent, ctx.Err()
	}
	return sent, undeliveredOf(sent.Deliveries)
}

// eachPane acts on panes, at most sendMax at once, and reports progress from
// the calling goroutine where that takes long.
func eachPane(panes []*core.Pane, progress func(Progress), phase string, act func(int, *core.Pane)) {
	slots := make(chan struct{}, sendMax)
	done := make(chan int)
	for i, pane := range panes {
		go func() {
			slots <- struct{}{}
			act(i, pane)
			<-slots
			done <- i
		}()
	}
	tick := time.NewTicker(sendQuiet)
	defer tick.Stop()
	over := make([]bool, len(panes))
	for count := 0; count < len(panes); {
		select {
		case i := <-done:
			over[i] = true
			count++
		case <-tick.C:
			report(progress, phase, count*100/len(panes), "%d of %d panes are done; waiting for %s", count, len(panes), unfinished(panes, over))
		}
	}
}

// unfinished names the panes that are not over yet.
func unfinished(panes []*core.Pane, over []bool) string {
	var names []string
	for i, pane := range panes {
		if !over[i] {
			names = append(names, pane.Address())
		}
	}
	return strings.Join(names, ", ")
}

// undeliveredOf is the error of a send that not every pane took; nil if all did.
func undeliveredOf(deliveries []Delivery) error {
	var failed []Delivery
	for _, d := range deliveries {
		if d.Outcome.Failed() {
			failed = append(failed, d)
		}
	}
	if len(failed) == 0 {
		return nil
	}
	message := fmt.Sprintf("%d of %d panes did not take the prompt", len(failed), len(deliveries))
	if len(deliveries) == 1 {
		message = fmt.Sprintf("pane %s did not take the prompt: %s", core.Address(failed[0].Session, failed[0].Ordinal), failed[0].Evidence)
	}
	at := core.Address(failed[0].Session, failed[0].Ordinal)
	look := shell.Line("cupola", "tail", at)
	if failed[0].Why == whyDialog {
		look = shell.Line("cupola", "answer", at, "--dry-run")
	}
	return &core.Error{
		Code: core.DeliveryFailed, Message: message, Details: map[string][]Delivery{"deliveries": deliveries}, Actions: []string{look, "cupola status"},
	}
}
