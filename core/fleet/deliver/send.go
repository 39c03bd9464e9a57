package deliver

import (
	"cmp"
	"context"
	"fmt"

	"cupola/core"
	"cupola/core/fleet/fault"
	"cupola/core/fleet/observe"
	"cupola/core/fleet/parallel"
	"cupola/core/fleet/resolve"
	"cupola/core/fleet/terminal"
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
func (s *Sender) Send(ctx context.Context, request Request) (sent Sent, err error) {
	defer func() { err = fault.Wrap("send", err) }()
	text, err := PrepareText(request.Text)
	if err != nil {
		return Sent{}, err
	}
	seen, err := s.opts.Observer.Outline(ctx, observe.View{})
	if err != nil {
		return Sent{}, err
	}
	panes, err := s.addressees(seen.Snapshot, &request)
	if err != nil {
		return Sent{}, err
	}
	var awaited []*core.Pane
	if request.Await {
		if awaited, err = s.addressees(seen.Snapshot, request.withoutShells()); err != nil {
			return Sent{}, resolve.NoAgentError(request.Target, err)
		}
	}
	given, err := s.MaySpend(ctx, request.OverrideBudget, sessionsOfAgents(panes...))
	if err != nil {
		return Sent{}, err
	}
	order := order{
		text: text, noEnter: request.NoEnter, replaceDraft: request.ReplaceDraft, atOnce: request.Now,
		force: request.Force, command: request.Command, dryRun: request.DryRun, lockTimeout: request.Timeout,
		approval: given,
	}
	sent = Sent{
		Prompt: *core.NewPrompt(cmp.Or(request.Origin, core.OriginSend), text, core.Refs(panes)...),
		Await:  core.Refs(awaited),
	}
	sent.ID, sent.Tracked = request.ID, request.Track
	record := s.Begin(ctx, !request.DryRun, &sent.Prompt)
	order.id = record.ID
	if why := record.unrecorded(); request.OnRecord && why != "" {
		sent.Deliveries = nil
		return sent, core.Errorf(core.StoreError, "%s", why)
	}
	parallel.Each(panes, request.Progress, "send", func(i int, pane *core.Pane) {
		sent.Deliveries[i] = s.deliver(ctx, pane, order)
		record.Ended(ctx, &sent.Deliveries[i])
		s.opts.Announcer.Delivered(ctx, pane, &sent.Deliveries[i])
	})
	sent.Unrecorded = record.unrecorded()
	if ctx.Err() != nil {
		return sent, ctx.Err()
	}
	return sent, undeliveredError(sent.Deliveries)
}

// undeliveredError reports the panes that did not take a prompt; nil if all did.
func undeliveredError(deliveries []core.Delivery) error {
	var failed []core.Delivery
	for _, d := range deliveries {
		if d.Outcome.Failed() {
			failed = append(failed, d)
		}
	}
	if len(failed) == 0 {
		return nil
	}
	at := failed[0].Address()
	message := fmt.Sprintf("%d of %d panes did not take the prompt", len(failed), len(deliveries))
	if len(deliveries) == 1 {
		message = fmt.Sprintf("pane %s did not take the prompt: %s", at, failed[0].Saw())
	}
	err := &core.Error{
		Code: core.DeliveryFailed, Message: message, Details: map[string][]core.Delivery{"deliveries": deliveries},
		Remedies: []core.Remedy{core.RemedyShowPane, core.RemedyListSessions},
		Subject:  core.Subject{Panes: []string{at}},
	}
	if failed[0].Why == terminal.WhyDialog {
		err.Remedies[0] = core.RemedyShowDialog
	}
	if len(deliveries) == 1 && failed[0].Remedy != "" {
		err.Remedies = append(err.Remedies, failed[0].Remedy)
	}
	return err
}
