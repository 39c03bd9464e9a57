package fleet

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"cupola/core"
	"cupola/core/engine"
	"cupola/core/shell"
)

// interruptWait is how long the end of a turn is waited for by default.
const interruptWait = 10 * time.Second

// Interrupt presses the keys that stop a turn, in every pane where one runs,
// waits until it has ended, and then sends Text. Where no turn seems to run, or
// a dialog is open that the keys would answer, they are not pressed unless
// forced; the evidence of After says so. User panes and commands are
// interrupted unless a shell waits there.
//
// The answer is returned beside a Timeout error where a turn goes on, and
// beside a DeliveryFailed error where Text was not taken.
func (f *Fleet) Interrupt(ctx context.Context, request InterruptRequest) ([]Interrupted, error) {
	answer, err := f.interrupt(ctx, &request)
	return answer, translate("interrupt", err)
}

func (f *Fleet) interrupt(ctx context.Context, request *InterruptRequest) ([]Interrupted, error) {
	text := ""
	if request.Text != "" {
		var err error
		if text, err = prepareText(request.Text); err != nil {
			return nil, err
		}
	}
	seen, err := f.glimpse(ctx, View{}.detail(), newMemory(false), f.of(request.Target.prompted()))
	if err != nil {
		return nil, err
	}
	panes := seen.panes
	var given grant
	if text != "" {
		if given, err = f.maySpend(ctx, request.OverrideBudget, sessionsOfAgents(panes...)); err != nil {
			return nil, err
		}
	}
	answer := make([]Interrupted, len(panes))
	errs := make([]error, len(panes))
	record := begin(ctx, f, text != "" && !request.DryRun, &Prompt{Origin: OriginInterrupt, Text: text, Panes: refs(panes)})
	eachPane(panes, nil, "interrupt", func(i int, pane *core.Pane) {
		b := f.breaker(pane, request)
		b.id, b.granted = record.id, given
		answer[i], errs[i] = b.run(ctx, text)
		record.ended(ctx, followUp(&answer[i], errs[i]))
	})
	if ctx.Err() != nil {
		return answer, ctx.Err()
	}
	return answer, interruptError(answer, errs)
}

// interruptError is the first real error, or else says which turns go on and
// which prompts were not taken.
func interruptError(answer []Interrupted, errs []error) error {
	var on []string
	var deliveries []Delivery
	for i := range answer {
		if errors.Is(errs[i], errLate) {
			on = append(on, core.Address(answer[i].Session, answer[i].Ordinal))
		} else if errs[i] != nil {
			return errs[i]
		}
		if answer[i].Delivery != nil {
			deliveries = append(deliveries, *answer[i].Delivery)
		}
	}
	if len(on) > 0 {
		err := core.Errorf(core.Timeout, "the turn of %s goes on", strings.Join(on, ", "))
		err.Actions = []string{shell.Line("cupola", "tail", on[0]), "cupola status"}
		return err
	}
	return undeliveredOf(deliveries)
}

// followUp is what became of the prompt behind an interrupt: where nothing was
// delivered, why.
func followUp(answer *Interrupted, err error) Delivery {
	switch {
	case answer.Delivery != nil:
		return *answer.Delivery
	case err != nil:
		return Delivery{PaneRef: answer.PaneRef, Outcome: Refused, Evidence: "the interrupt did not end: " + reason(err)}
	}
	return Delivery{PaneRef: answer.PaneRef, Outcome: Refused}
}

// breaker interrupts one pane.
type breaker struct {
	*terminal
	fleet    *Fleet
	patience time.Duration
	// id and granted are those of the prompt that follows.
	id      string
	granted grant
	request *InterruptRequest
	keys    []string
	gap     time.Duration
	answer  Interrupted
}

func (f *Fleet) breaker(pane *core.Pane, request *InterruptRequest) *breaker {
	b := &breaker{
		terminal: f.terminal(pane), fleet: f, patience: cmp.Or(max(request.Timeout, 0), interruptWait),
		request: request, answer: Interrupted{PaneRef: Ref(pane)},
	}
	kind := b.kind
	if kind == nil {
		kind, _ = f.kinds.Find(string(core.KindCommand))
	}
	if kind != nil {
		b.keys, b.gap = kind.Keys.Interrupt, kind.Keys.Gap
	}
	return b
}

// run returns errLate where the turn goes on. A pane that takes no keys is no
// error; its statuses say why.
func (b *breaker) run(ctx context.Context, text string) (Interrupted, error) {
	draft, err := b.stop(ctx)
	var no refusal
	switch {
	case errors.As(err, &no):
		b.refuse(no)
	case errors.Is(err, engine.ErrNoPane), errors.Is(err, engine.ErrDead), errors.Is(err, engine.ErrNoServer):
		b.answer.After = core.Status{State: core.Exited, Evidence: []string{reason(err)}}
	case err != nil:
		return b.answer, err
	}
	if text != "" && !b.request.DryRun {
		// An interrupted prompt may be back in a composer that was empty.
		d := b.fleet.deliver(ctx, b.pane, order{id: b.id, text: text, grant: b.granted, replaceDraft: !draft && len(b.answer.Keys) > 0, patience: b.patience})
		b.answer.Delivery = &d
	}
	return b.answer, nil
}

// refuse keeps why no key was pressed.
func (b *breaker) refuse(no refusal) {
	b.answer.Why = no.evidence
	if b.answer.Before.State == "" {
		b.answer.Before = b.pane.Status
	}
	b.answer.After = b.answer.Before
	if no.why == whyDead || no.why == whyLeft {
		b.answer.After.State = core.Exited
	}
	b.answer.After.Evidence = slices.Concat([]string{no.evidence}, b.answer.Before.Evidence)
}

// stop presses the keys and waits for what they do. draft is true if the
// composer held one before.
func (b *breaker) stop(ctx context.Context) (draft bool, err error) {
	held, err := b.fleet.holdPane(ctx, b.pane, b.patience)
	if err != nil {
		return false, err
	}
	defer held.release()
	before, err := b.see(ctx)
	if err != nil {
		return false, err
	}
	b.answer.Before = b.status(before)
	b.answer.After = b.answer.Before
	if before.reading != nil {
		composer, _ := before.reading.Composer()
		draft = composer.Draft != ""
	}
	if err := b.permitted(); err != nil {
		return draft, err
	}
	if b.request.DryRun {
		b.answer.Keys = b.keys
		return draft, nil
	}
	if err := b.pressAll(ctx); err != nil {
		return draft, err
	}
	if before.reading != nil {
		leaveState(ctx, &b.fleet.lookout, b.pane.ID, core.Status{})
	}
	if b.request.NoWait {
		b.answer.After = core.Status{}
		return draft, nil
	}
	return draft, b.watch(ctx, before)
}

// permitted refuses where the keys would stop nothing, or answer a dialog.
func (b *breaker) permitted() error {
	switch status := b.answer.Before; {
	case len(b.keys) == 0:
		return refusal{"", "no key is known that interrupts it"}
	case b.request.Force:
		return nil
	case status.State == core.Waiting:
		return refusal{whyDialog, "the keys would reject what it asks for, so they are not pressed"}
	case !inTurn(&status):
		return refusal{"", "no turn seems to run, so the keys are not pressed"}
	}
	return nil
}

// inTurn reports whether there is a turn to stop: one that works, or waits for a limit to end
// to go on by itself.
func inTurn(status *core.Status) bool {
	return status.State == core.Working || status.State == core.Limited && status.Has(core.NoteRetrying)
}

// pressAll presses the keys one after another.
func (b *breaker) pressAll(ctx context.Context) error {
	for i, key := range b.keys {
		if i > 0 {
			if err := rest(ctx, b.gap); err != nil {
				return err
			}
		}
		if err := b.engine.Press(ctx, b.pane.ID, key); err != nil {
			return err
		}
		b.answer.Keys = append(b.answer.Keys, key)
	}
	return nil
}

// watch waits until the turn has ended, and for the state in which that leaves
// the agent.
func (b *breaker) watch(ctx context.Context, before *glance) error {
	limit := b.request.Timeout
	if limit <= 0 {
		limit = interruptWait
	}
	end := b.now().Add(limit)
	if state := b.answer.Before.State; before.reading == nil || state != core.Waiting && !inTurn(&b.answer.Before) {
		limit = min(limit, plainWait)
	}
	err := b.until(ctx, limit, func(g *glance) (bool, error) {
		b.answer.After = b.status(g)
		b.answer.Changed = b.answer.Changed || g.differs(before)
		if g.reading == nil {
			return b.answer.Changed, nil
		}
		return b.answer.Changed && !inTurn(&b.answer.After), nil
	})
	switch {
	case err != nil && !errors.Is(err, errLate):
		return err
	case before.reading == nil:
		return nil
	case inTurn(&b.answer.After):
		return err
	}
	return b.reach(ctx, end)
}

// reachHolds is how long an agent must be seen in a state after its turn has
// ended until that is the one it reached: a queued prompt begins the next turn
// only then, and some draw the end of a turn in steps.
const reachHolds = 300 * time.Millisecond

// reach waits for the state that all signals together tell, as a picture shows
// it. It returns errLate where a turn runs again when the time is up; an agent of
// which nothing else is known by then is left undecided.
func (b *breaker) reach(ctx context.Context, end time.Time) error {
	var reached core.Status
	var since time.Time
	for {
		seen, err := b.glimpse(ctx, View{}.detail(), newMemory(false), themselves(b.pane.ID))
		if err != nil {
			return err
		}
		if len(seen.panes) == 0 {
			return engine.ErrNoPane
		}
		pane, now := seen.panes[0], b.now()
		b.answer.After = pane.Status
		if pane.Status.State != reached.State || pane.Status.Reason != reached.Reason {
			reached, since = pane.Status, now
		}
		running := reached.State == core.Working
		switch {
		case !running && reached.State != core.Unknown && now.Sub(since) >= reachHolds:
			leaveState(ctx, &b.fleet.lookout, b.pane.ID, reached)
			return nil
		case !now.Before(end) && running:
			return errLate
		case !now.Before(end):
			return nil
		}
		if err := rest(ctx, lookLast/2); err != nil {
			return err
		}
	}
}

// status says from one look what the agent does.
func (t *terminal) status(g *glance) core.Status {
	if g.reading == nil {
		return plainStatus(t.pane)
	}
	if block, blocked := g.reading.Blocked(); blocked {
		return core.Status{State: core.Waiting, Reason: block.Reason, Evidence: []string{dialogOpen(block)}}
	}
	if working, running := g.reading.Working(); running {
		return core.Status{State: core.Working, Reason: working.Rule.Reason, Evidence: []string{matched(working)}}
	}
	if limited, waits := g.reading.Running(); waits {
		return core.Status{
			State: core.Limited, Reason: limited.Rule.Reason, Notes: []core.Note{core.NoteRetrying},
			Evidence: []string{matched(limited)},
		}
	}
	if _, found := g.reading.Composer(); found {
		return core.Status{State: core.Idle, Evidence: []string{"the composer is there and no turn is seen to run"}}
	}
	return undecided(fmt.Sprintf("no composer is seen; the last line is %q", g.lastLine()))
}

// plainStatus is the status of a pane whose screen no rule reads: a shell waits
// for a command, anything else runs.
func plainStatus(pane *core.Pane) core.Status {
	command := pane.Process.Command
	if pane.Agent.Kind == "" && isShell(command) {
		return core.Status{State: core.Idle, Evidence: []string{fmt.Sprintf("the shell %s is in the foreground", command)}}
	}
	return core.Status{State: core.Working, Evidence: []string{fmt.Sprintf("%s is in the foreground", command)}}
}
