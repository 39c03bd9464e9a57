package fleet

import (
	"context"
	"sync"

	"cupola/core"
)

// greetMax is how many first prompts are delivered at once.
const greetMax = 8

// follow does what a request asks for after its panes were made: wait, and
// deliver the first prompt to every agent that is ready.
func (f *Fleet) follow(ctx context.Context, answer *Launches, request *LaunchRequest) error {
	if !request.WaitReady && request.Prompt == "" {
		return nil
	}
	late := f.await(ctx, answer, request.Timeout, request.Progress)
	if ctx.Err() != nil || request.Prompt == "" {
		return late
	}
	if err := f.greet(ctx, answer, request.Prompt, request.grant); err != nil {
		return err
	}
	if late != nil {
		return late
	}
	for i := range answer.Panes {
		if delivery := answer.Panes[i].Delivery; delivery != nil && delivery.Outcome.Failed() {
			return undelivered(answer)
		}
	}
	return nil
}

// greet delivers the first prompt to every agent of a launch.
func (f *Fleet) greet(ctx context.Context, answer *Launches, text string, given grant) error {
	snapshot, err := f.outline(ctx)
	if err != nil {
		return err
	}
	prompt := &Prompt{Origin: OriginFirst, Text: text}
	for i := range answer.Panes {
		if takesPrompts(answer.Panes[i].Kind) {
			prompt.Panes = append(prompt.Panes, answer.Panes[i].PaneRef)
		}
	}
	record := begin(ctx, f, true, prompt)
	var all sync.WaitGroup
	slots := make(chan struct{}, greetMax)
	for i := range answer.Panes {
		launched := &answer.Panes[i]
		if !takesPrompts(launched.Kind) {
			continue
		}
		pane := snapshot.Pane(launched.Pane)
		if !launched.Ready || pane == nil {
			launched.Delivery = notReady(launched)
			record.ended(ctx, *launched.Delivery)
			continue
		}
		all.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			delivery := f.deliverPrompt(ctx, pane, record.id, text, given)
			launched.Delivery = &delivery
			record.ended(ctx, delivery)
		})
	}
	all.Wait()
	return ctx.Err()
}

// notReady is the delivery to an agent that cannot take its first prompt.
func notReady(launched *Launched) *Delivery {
	why := "starting"
	switch launched.Status.State {
	case core.Waiting:
		why = "dialog"
	case core.Exited:
		why = "dead"
	}
	delivery := &Delivery{PaneRef: launched.PaneRef, Status: launched.Status, Outcome: Refused, Why: why}
	if len(launched.Status.Evidence) > 0 {
		delivery.Evidence = launched.Status.Evidence[0]
	}
	return delivery
}

func undelivered(answer *Launches) error {
	deliveries := []Delivery{}
	for i := range answer.Panes {
		if answer.Panes[i].Delivery != nil {
			deliveries = append(deliveries, *answer.Panes[i].Delivery)
		}
	}
	return &core.Error{
		Code: core.DeliveryFailed, Message: "the first prompt was not delivered to every agent",
		Details: map[string][]Delivery{"deliveries": deliveries},
	}
}
