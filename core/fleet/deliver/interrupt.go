package deliver

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"cupola/core"
	"cupola/core/engine"
	"cupola/core/fleet/fault"
	"cupola/core/fleet/observe"
	"cupola/core/fleet/parallel"
	"cupola/core/fleet/resolve"
	"cupola/core/fleet/terminal"
)

// interruptWait is the default time to wait for the end of a turn.
const interruptWait = 10 * time.Second

// Interrupt presses the keys that stop a turn, in every pane where one runs,
// waits until it has ended, and then sends Text. Where no turn seems to run, or
// a dialog is open that the keys would answer, they are not pressed unless
// forced; the evidence of After says so. User panes and commands are
// interrupted unless a shell waits there.
//
// The answer is returned beside a Timeout error where a turn still runs, and beside a DeliveryFailed error where Text
// was not taken.
func (s *Sender) Interrupt(ctx context.Context, request InterruptRequest) ([]Interrupted, error) {
	answer, err := s.interrupt(ctx, &request)
	return answer, fault.Wrap("interrupt", err)
}

func (s *Sender) interrupt(ctx context.Context, request *InterruptRequest) ([]Interrupted, error) {
	text := ""
	if request.Text != "" {
		var err error
		if text, err = PrepareText(request.Text); err != nil {
			return nil, err
		}
	}
	seen, err := s.opts.Observer.Select(ctx, observe.View{}, s.opts.Resolver.Selector(request.Target.ForPrompts()))
	if err != nil {
		return nil, err
	}
	panes := seen.Panes
	var given Approval
	if text != "" {
		if given, err = s.MaySpend(ctx, request.OverrideBudget, sessionsOfAgents(panes...)); err != nil {
			return nil, err
		}
	}
	answer := make([]Interrupted, len(panes))
	errs := make([]error, len(panes))
	record := s.Begin(ctx, text != "" && !request.DryRun,
		core.NewPrompt(core.OriginInterrupt, text, core.Refs(panes)...))
	parallel.Each(panes, nil, "interrupt", func(i int, pane *core.Pane) {
		b := s.interrupter(pane, request)
		b.id, b.approval = record.ID, given
		answer[i], errs[i] = b.run(ctx, text)
		record.Ended(ctx, followUp(&answer[i], errs[i]))
	})
	if ctx.Err() != nil {
		return answer, ctx.Err()
	}
	return answer, interruptError(answer, errs)
}

// interruptError returns the first error other than a timeout, or else one that lists the turns that still run and the
// prompts not accepted.
func interruptError(answer []Interrupted, errs []error) error {
	var on []string
	var deliveries []core.Delivery
	for i := range answer {
		if errors.Is(errs[i], terminal.ErrLate) {
			on = append(on, answer[i].Address())
		} else if errs[i] != nil {
			return errs[i]
		}
		if answer[i].Delivery != nil {
			deliveries = append(deliveries, *answer[i].Delivery)
		}
	}
	if len(on) > 0 {
		err := core.Errorf(core.Timeout, "the turn of %s has not ended", strings.Join(on, ", "))
		err.Remedies = []core.Remedy{core.RemedyShowPane, core.RemedyListSessions}
		err.Subject.Panes = on[:1]
		return err
	}
	return undeliveredError(deliveries)
}

// followUp returns the outcome of the prompt after an interrupt, with the reason if nothing was delivered.
func followUp(answer *Interrupted, err error) *core.Delivery {
	switch {
	case answer.Delivery != nil:
		return answer.Delivery
	case err != nil:
		return core.NewRefusal(answer.PaneRef, "the interrupt did not end: "+reason(err))
	}
	return core.NewRefusal(answer.PaneRef)
}

// interrupter interrupts one pane.
type interrupter struct {
	*terminal.Terminal
	sender *Sender
	// limit is how long to wait for the lock, and for the end of the turn.
	limit time.Duration
	// id and approval belong to the prompt that follows.
	id       string
	approval Approval
	request  *InterruptRequest
	keys     []string
	gap      time.Duration
	answer   Interrupted
}

func (s *Sender) interrupter(pane *core.Pane, request *InterruptRequest) *interrupter {
	b := &interrupter{
		Terminal: terminal.New(s.opts.Engine, s.opts.Observer, pane), sender: s,
		limit: cmp.Or(max(request.Timeout, 0), interruptWait), request: request,
		answer: Interrupted{PaneRef: pane.Ref()},
	}
	kind := b.Kind
	if kind == nil {
		kind, _ = s.opts.Kinds.Find(string(core.KindCommand))
	}
	if kind != nil {
		b.keys, b.gap = kind.Keys.Interrupt, kind.Keys.Gap
	}
	return b
}

// run returns ErrLate if the turn still runs. A pane that takes no keys is no error; its statuses say why.
func (b *interrupter) run(ctx context.Context, text string) (Interrupted, error) {
	draft, err := b.stop(ctx)
	var no terminal.Refusal
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
		d := b.sender.deliver(ctx, b.Pane,
			order{
				id: b.id, text: text, approval: b.approval, replaceDraft: !draft && len(b.answer.Keys) > 0,
				lockTimeout: b.limit,
			})
		b.answer.Delivery = &d
	}
	return b.answer, nil
}

// refuse records why no key was pressed.
func (b *interrupter) refuse(no terminal.Refusal) {
	b.answer.Why = no.Evidence
	if b.answer.Before.State == "" {
		b.answer.Before = b.Pane.Status
	}
	b.answer.After = b.answer.Before
	if no.Why == terminal.WhyDead || no.Why == terminal.WhyLeft {
		b.answer.After.State = core.Exited
	}
	b.answer.After.Evidence = slices.Concat([]string{no.Evidence}, b.answer.Before.Evidence)
}

// stop presses the keys and waits for their effect. draft is true if the composer held one before.
func (b *interrupter) stop(ctx context.Context) (draft bool, err error) {
	if path := b.sender.spoken(ctx, b.Pane); path != "" {
		return false, b.cancel(ctx, path)
	}
	held, err := b.sender.opts.Dir.LockPane(ctx, b.Pane, b.limit)
	if err != nil {
		return false, err
	}
	defer held.Release()
	before, err := b.started(ctx)
	if err != nil {
		return false, err
	}
	b.answer.After = b.answer.Before
	if before.Reading != nil {
		composer, _ := before.Reading.Composer()
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
	if before.Reading != nil {
		b.sender.opts.Announcer.StoreState(ctx, b.Pane.ID, core.Status{})
	}
	if b.request.NoWait {
		b.answer.After = core.Status{}
		return draft, nil
	}
	return draft, b.watch(ctx, before)
}

// started returns a capture of the turn, and sets Before. An agent that was just given a prompt is waited for until it
// shows what it does with it, since keys do not stop a turn that has not started.
func (b *interrupter) started(ctx context.Context) (*terminal.Capture, error) {
	status := b.Pane.Status
	for {
		g, err := b.Inspect(ctx)
		if err != nil {
			return nil, err
		}
		b.answer.Before = b.Status(g)
		shows := b.answer.Before.State != core.Idle && b.answer.Before.State != core.Unknown
		if shows || status.Reason != core.ReasonAsked || b.request.Force {
			return g, nil
		}
		if b.answer.Before = status; b.request.DryRun {
			return g, nil
		}
		if err := core.Sleep(ctx, terminal.PollLast/2); err != nil {
			return nil, err
		}
		seen, err := b.sender.opts.Observer.Select(ctx, observe.View{}, resolve.ByID(b.Pane.ID))
		if err != nil {
			return nil, err
		}
		if len(seen.Panes) == 0 {
			return nil, engine.ErrNoPane
		}
		status = seen.Panes[0].Status
	}
}

// permitted refuses if the keys would stop nothing, or answer a dialog.
func (b *interrupter) permitted() error {
	switch status := b.answer.Before; {
	case len(b.keys) == 0:
		return refuse("", "no key is known that interrupts it")
	case b.request.Force:
		return nil
	case status.State == core.Waiting:
		return refuse(terminal.WhyDialog, "the keys would reject what it asks for, so they are not pressed")
	case !inTurn(&status):
		return refuse("", "no turn seems to run, so the keys are not pressed")
	}
	return nil
}

// inTurn reports whether there is a turn to stop: one that works, or waits for a limit to end.
func inTurn(status *core.Status) bool {
	return status.State == core.Working || status.State == core.Limited && status.Has(core.NoteRetrying)
}

// pressAll presses the keys one after another, with a pause before each that the program could join to the one before.
func (b *interrupter) pressAll(ctx context.Context) error {
	for i, key := range b.keys {
		if i > 0 && key != engine.EscapeU {
			if err := core.Sleep(ctx, b.gap); err != nil {
				return err
			}
		}
		if err := b.Press(ctx, key); err != nil {
			return err
		}
		b.answer.Keys = append(b.answer.Keys, key)
	}
	return nil
}

// watch waits until the turn has ended, and for the following state.
func (b *interrupter) watch(ctx context.Context, before *terminal.Capture) error {
	limit := b.limit
	end := b.sender.opts.Now().Add(limit)
	if state := b.answer.Before.State; before.Reading == nil || state != core.Waiting && !inTurn(&b.answer.Before) {
		limit = min(limit, plainWait)
	}
	err := b.Until(ctx, limit, func(g *terminal.Capture) (bool, error) {
		b.answer.After = b.Status(g)
		b.answer.Changed = b.answer.Changed || g.Differs(before)
		if g.Reading == nil {
			return b.answer.Changed, nil
		}
		return b.answer.Changed && !inTurn(&b.answer.After), nil
	})
	switch {
	case err != nil && !errors.Is(err, terminal.ErrLate):
		return err
	case before.Reading == nil:
		return nil
	case inTurn(&b.answer.After):
		return err
	}
	return b.reach(ctx, end)
}

// reachHolds is how long the state after a turn must last: a queued prompt starts the next turn only then,
// and some agents draw the end of a turn in steps.
const reachHolds = 300 * time.Millisecond

// reach waits for the state that a snapshot shows from all signals. It returns ErrLate if a turn runs at the
// end; an agent without any other signal is undecided.
func (b *interrupter) reach(ctx context.Context, end time.Time) error {
	var reached core.Status
	var since time.Time
	for {
		seen, err := b.sender.opts.Observer.Select(ctx, observe.View{}, resolve.ByID(b.Pane.ID))
		if err != nil {
			return err
		}
		if len(seen.Panes) == 0 {
			return engine.ErrNoPane
		}
		pane, now := seen.Panes[0], b.sender.opts.Now()
		b.answer.After = pane.Status
		if pane.Status.State != reached.State || pane.Status.Reason != reached.Reason {
			reached, since = pane.Status, now
		}
		running := reached.State == core.Working
		switch {
		case !running && reached.State != core.Unknown && now.Sub(since) >= reachHolds:
			b.sender.opts.Announcer.StoreState(ctx, b.Pane.ID, reached)
			return nil
		case !now.Before(end) && running:
			return terminal.ErrLate
		case !now.Before(end):
			return nil
		}
		if err := core.Sleep(ctx, terminal.PollLast/2); err != nil {
			return err
		}
	}
}
