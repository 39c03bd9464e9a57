package deliver

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"cupola/core"
	"cupola/core/agent"
	"cupola/core/engine"
	"cupola/core/fleet/panetag"
	"cupola/core/fleet/rundir"
	"cupola/core/fleet/terminal"
)

// order is the prompt of a send with its options, the same for all panes.
type order struct {
	approval Approval
	// id names the prompt in the journal.
	id                                           string
	text                                         string
	noEnter, replaceDraft, atOnce, force, dryRun bool
	// command is true if the text is a command of the agent's own.
	command bool
	// lockTimeout is how long to wait for another Cupola that types there; 0 is the default.
	lockTimeout time.Duration
}

// delivery delivers one order to one pane.
type delivery struct {
	term *terminal.Terminal
	order
	sender *Sender
	// typing is the input, escaped so that the agent takes it as words.
	typing string
	// submit are the keys that submit a prompt.
	submit []string
	// shown is the composer's part of the text before submission, squeezed; running is true if a turn ran
	// then.
	shown   string
	running bool
	// busy is the agent's treatment of a prompt while a turn runs.
	busy agent.Busy
	// behind is true if the turn of the previous prompt still runs, according to its record.
	behind bool
	typed  bool
	// unseen is true if the screen did not show what was typed.
	unseen bool
	enters int
	// asked is when Enter was first pressed behind a prompt.
	asked time.Time
	notes []string
}

// unconfirmedError ends a delivery without evidence of success.
type unconfirmedError struct{ evidence string }

func (d unconfirmedError) Error() string { return d.evidence }

// DeliverPrompt delivers the first prompt of an agent that was just started.
func (s *Sender) DeliverPrompt(ctx context.Context, pane *core.Pane, id, text string, given Approval) core.Delivery {
	text, err := PrepareText(text)
	if err != nil {
		refusal := core.NewRefusal(pane.Ref(), err.Error())
		refusal.Status = pane.Status
		return *refusal
	}
	return s.deliver(ctx, pane, order{id: id, text: text, approval: given})
}

// deliver delivers an order to a pane.
func (s *Sender) deliver(ctx context.Context, pane *core.Pane, order order) core.Delivery {
	started := s.opts.Now()
	c := &delivery{
		term: terminal.New(s.opts.Engine, s.opts.Observer, pane), sender: s, order: order, typing: order.text,
		submit: []string{"Enter"},
	}
	c.term.AnyProgram = order.command
	d := core.Delivery{PaneRef: pane.Ref()}
	var err error
	if c.term.Kind != nil {
		c.submit = c.term.Kind.Keys.Submit
		escaped := c.term.Kind.Escape(c.text, c.command)
		if c.typing, c.notes = escaped.Text, escaped.Notes; escaped.Command {
			d.Remedy = core.RemedySendCommand
		}
		if escaped.Refused != "" {
			err = terminal.Refusal{
				Why: terminal.WhyCommand, Evidence: escaped.Refused, Remedy: core.RemedySendCommand,
			}
		}
	}
	if err == nil && !order.approval {
		if _, over := s.MaySpend(ctx, false, sessionsOfAgents(pane)); over != nil {
			err = refuse(terminal.WhyBudget, reason(over))
		}
	}
	if err == nil {
		d.Outcome, err = c.run(ctx)
	}
	d.Status, d.Enters = c.term.Pane.Status, c.enters
	if err != nil {
		c.verdict(&d, err)
		c.notes = append([]string{reason(err)}, c.notes...)
	}
	if c.unseen {
		d.Why, d.Remedy = terminal.WhyUnseen, core.RemedyForce
	}
	if len(c.notes) > 0 {
		d.Evidence = []string{strings.Join(c.notes, "; ")}
	}
	d.Elapsed = core.Milliseconds(s.opts.Now().Sub(started))
	switch {
	case !pane.IsUser():
		s.opts.Announcer.StoreTurn(ctx, pane, d.Outcome, c.asked)
	case d.Outcome == core.Delivered && order.command:
		s.opts.Announcer.RemoveState(ctx, pane.ID) // the shell is the user's again
	}
	return d
}

// run waits until the pane can take the prompt, and types it.
func (c *delivery) run(ctx context.Context) (core.Outcome, error) {
	if path, err := c.served(ctx); path != "" || err != nil {
		if err != nil {
			return "", err
		}
		return c.say(ctx, path)
	}
	if c.dryRun {
		return c.runDry(ctx)
	}
	for {
		if err := c.admit(ctx); err != nil {
			return "", err
		}
		outcome, err := c.act(ctx)
		_, is := errors.AsType[notYetError](err)
		if !is {
			return outcome, err
		}
	}
}

// act types the prompt under the pane's lock: it clears what it may, pastes the text, waits until it appears,
// and submits it. It returns a notYetError if it must wait for the pane after all.
func (c *delivery) act(ctx context.Context) (core.Outcome, error) {
	held, err := c.sender.opts.Dir.LockPane(ctx, c.term.Pane, c.lockTimeout)
	if err != nil {
		return "", err
	}
	defer held.Release()
	rests := &leftovers{c: c, orphaned: held.Orphaned}
	if err := rests.await(ctx); err != nil {
		return "", err
	}
	g, err := c.term.Inspect(ctx)
	if err != nil {
		return "", err
	}
	left := rests.inComposer(ctx, g)
	if err := c.judge(g, c.replaceDraft || left != nil); err != nil {
		return "", err
	}
	if held.Note != "" {
		c.note("%s", held.Note)
	}
	c.behind = !c.running && c.busy == agent.Queues &&
		c.sender.opts.Conversations.GoesOn(ctx, c.term.Pane.ID)
	ctx, cancel := lingering(ctx)
	defer cancel()
	if g.Reading == nil {
		return c.typePlainly(ctx, g, rests)
	}
	if composer, _ := g.Reading.Composer(); composer.Draft != "" {
		if err := c.clearDraft(ctx); err != nil {
			return "", err
		}
		if left != nil {
			rests.close(ctx, left)
		}
	}
	if err := c.paste(ctx); err != nil {
		return "", err
	}
	err = c.arrive(ctx, rests.stuck)
	if errors.Is(err, errBehind) {
		err = c.pasteAgain(ctx, rests.stuck)
	}
	if err != nil {
		return "", err
	}
	if c.noEnter {
		c.note("the composer holds the text")
		return core.Typed, nil
	}
	if err := c.settleDraft(ctx); err != nil {
		return "", err
	}
	return c.leave(ctx)
}

// paste pastes the text.
func (c *delivery) paste(ctx context.Context) error {
	if _, err := c.term.Row(ctx); err != nil {
		return err
	}
	err := c.term.Paste(ctx, c.typing)
	// A closed or dead pane took nothing; any other failure may come after the text did.
	c.typed = !errors.Is(err, engine.ErrNoPane) && !errors.Is(err, engine.ErrDead) &&
		!errors.Is(err, engine.ErrNoServer)
	return err
}

// press presses the keys that submit.
func (c *delivery) press(ctx context.Context) error {
	row, err := c.term.Row(ctx)
	if err != nil {
		return err
	}
	if c.term.Kind != nil && terminal.Announced(panetag.DecodeHook(row.Tags[engine.TagHook]), c.sender.opts.Now()) {
		return unconfirmedError{"its hook reports a dialog since the text was typed, so Enter was not pressed; the " +
			"composer may hold the text"}
	}
	if c.asked.IsZero() && !c.command {
		c.asked = c.sender.opts.Now()
	}
	if err := c.term.Press(ctx, c.submit...); err != nil {
		return err
	}
	c.enters++
	return nil
}

// verdict sets the outcome of a delivery that ended with an error.
func (c *delivery) verdict(d *core.Delivery, err error) {
	d.Outcome = core.Refused
	var no terminal.Refusal
	switch {
	case c.typed:
		d.Outcome = core.Unconfirmed
	case errors.As(err, &no):
		d.Why, d.Remedy = no.Why, cmp.Or(no.Remedy, d.Remedy)
	case errors.Is(err, rundir.ErrHeld):
		d.Why = terminal.WhyHeld
	case errors.Is(err, engine.ErrDead):
		d.Why = terminal.WhyDead
	case errors.Is(err, engine.ErrNoPane), errors.Is(err, engine.ErrNoServer):
		d.Why = terminal.WhyGone
	}
}

// reason describes what ended a delivery.
func reason(err error) string {
	switch {
	case errors.Is(err, engine.ErrNoPane), errors.Is(err, engine.ErrNoServer):
		return "the pane is gone"
	case errors.Is(err, engine.ErrDead):
		return "the program has ended"
	case errors.Is(err, context.Canceled):
		return "it was cancelled"
	case errors.Is(err, rundir.ErrHeld):
		held := core.AsError(err)
		return held.Message + ". " + held.Hint
	}
	return err.Error()
}

func (c *delivery) note(format string, args ...any) {
	c.notes = append(c.notes, fmt.Sprintf(format, args...))
}

// grace is how long a cancelled delivery may continue in a pane where it has started to type.
const grace = 3 * time.Second

// lingering returns a context that outlives ctx by the grace time, so that no input is left incomplete.
func lingering(ctx context.Context) (context.Context, context.CancelFunc) {
	longer, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		if core.Sleep(longer, grace) == nil {
			cancel(context.Cause(ctx))
		}
	})
	return longer, func() {
		stop()
		cancel(nil)
	}
}
