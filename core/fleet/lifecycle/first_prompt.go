package lifecycle

import (
	"context"
	"strings"
	"sync"

	"cupola/core"
	"cupola/core/engine"
	"cupola/core/fleet/deliver"
	"cupola/core/fleet/observe"
	"cupola/core/fleet/panetag"
	"cupola/core/system/shell"
)

// firstPromptsMax is how many first prompts are delivered at once.
const firstPromptsMax = 8

// follow performs the steps after the panes were created: it waits, and delivers the first prompt to every
// ready agent.
func (l *Launcher) follow(ctx context.Context, answer *Launches, request *LaunchRequest) error {
	if !request.awaits() {
		return nil
	}
	late := l.await(ctx, answer, request.Timeout, request.Progress)
	if late != nil && ctx.Err() == nil && l.startWithoutIDs(ctx, answer) {
		late = l.await(ctx, answer, request.Timeout, request.Progress)
	}
	if ctx.Err() != nil || request.Prompt == "" {
		return late
	}
	if err := l.deliverFirstPrompts(ctx, answer, request.Prompt, request.approval); err != nil {
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

// awaits reports whether a request waits for its agents to be ready.
func (r *LaunchRequest) awaits() bool { return r.WaitReady || r.Prompt != "" }

// startWithoutIDs restarts those agents that have ended because their program is too old for session ids. It
// reports whether there are any.
func (l *Launcher) startWithoutIDs(ctx context.Context, answer *Launches) (again bool) {
	for i := range answer.Panes {
		launched := &answer.Panes[i]
		kind, known := l.opts.Kinds.Find(string(launched.Kind))
		if !known || launched.Resumed != "" || launched.Status.State != core.Exited || len(kind.Launch.Session) == 0 {
			continue
		}
		screens, err := l.opts.Engine.Capture(ctx, engine.Ask{Pane: launched.Pane})
		flag := strings.TrimLeft(kind.Launch.Session[0], "-")
		if err != nil || len(screens) == 0 || !strings.Contains(screens[0].Text(), flag) {
			continue
		}
		argv, err := shell.Words(launched.Command)
		if err != nil || len(argv) == 0 {
			continue
		}
		u := unit{role: panetag.RoleAgent, name: launched.Agent, kind: launched.Kind, variables: launched.variables}
		launch := engine.Launch{Dir: launched.Dir, Argv: argv, Tags: map[string]string{engine.TagSession: ""}}
		launch.Environ, launch.Env = l.environs.of(answer.Session, &u)
		loc, err := l.opts.Engine.Respawn(ctx, launched.Pane, launch)
		if err != nil {
			l.opts.Log.Warn("an agent could not be started without an id for its session", "pane", launched.Pane,
				"error", err)
			continue
		}
		l.environs.keep(ctx, loc, &u.variables)
		launched.Status, again = core.Status{State: core.Starting, Evidence: []string{justStarted}}, true
	}
	return again
}

// deliverFirstPrompts delivers the first prompt to every agent of a launch.
func (l *Launcher) deliverFirstPrompts(
	ctx context.Context, answer *Launches, text string, given deliver.Approval,
) error {
	seen, err := l.opts.Observer.Outline(ctx, observe.View{})
	if err != nil {
		return err
	}
	snapshot := seen.Snapshot
	var panes []core.PaneRef
	for i := range answer.Panes {
		if answer.Panes[i].Kind.IsAgent() {
			panes = append(panes, answer.Panes[i].PaneRef)
		}
	}
	record := l.opts.Sender.Begin(ctx, true, core.NewPrompt(core.OriginFirst, text, panes...))
	var all sync.WaitGroup
	slots := make(chan struct{}, firstPromptsMax)
	for i := range answer.Panes {
		launched := &answer.Panes[i]
		if !launched.Kind.IsAgent() {
			continue
		}
		pane := snapshot.Pane(launched.Pane)
		if !launched.Ready || pane == nil {
			launched.Delivery = notReady(launched)
			record.Ended(ctx, launched.Delivery)
			continue
		}
		all.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			delivery := l.opts.Sender.DeliverPrompt(ctx, pane, record.ID, text, given)
			launched.Delivery = &delivery
			record.Ended(ctx, &delivery)
		})
	}
	all.Wait()
	return ctx.Err()
}

// notReady returns the delivery to an agent that cannot take its first prompt.
func notReady(launched *Launched) *core.Delivery {
	evidence := launched.Status.Evidence
	delivery := core.NewRefusal(launched.PaneRef, evidence[:min(1, len(evidence))]...)
	delivery.Status, delivery.Why = launched.Status, "starting"
	switch launched.Status.State {
	case core.Waiting:
		delivery.Why = "dialog"
	case core.Exited:
		delivery.Why = "dead"
	}
	return delivery
}

func undelivered(answer *Launches) error {
	deliveries := []core.Delivery{}
	for i := range answer.Panes {
		if answer.Panes[i].Delivery != nil {
			deliveries = append(deliveries, *answer.Panes[i].Delivery)
		}
	}
	return &core.Error{
		Code: core.DeliveryFailed, Message: "the first prompt was not delivered to every agent",
		Details: map[string][]core.Delivery{"deliveries": deliveries},
	}
}

// mayPrompt checks the budget for the first prompt of agents to start.
func (l *Launcher) mayPrompt(ctx context.Context, r *LaunchRequest, session string) (err error) {
	if r.Prompt != "" {
		r.approval, err = l.opts.Sender.MaySpend(ctx, r.OverrideBudget, []string{session})
	}
	return err
}
