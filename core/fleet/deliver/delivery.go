package deliver

import (
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

// order is what is delivered, the same for all panes of a send.
type order struct {
	approval Approval
	// id names the prompt in the journal.
	id                                    string
	text                                  string
	noEnter, replaceDraft, atOnce, dryRun bool
	// command is true where the text is meant as a command of the agent's own.
	command bool
	// patience is how long another Cupola that types there is waited for; 0 is as
	// long as usual.
	patience time.Duration
}

// delivery delivers one order to one pane.
type delivery struct {
	*terminal.Terminal
	order
	sender *Sender
	// typing is what is typed so that the agent takes the text for words.
	typing string
	// submit are the keys that end a prompt.
	submit []string
	// shown is what the composer held of the text before the prompt was
	// submitted, squeezed; running is true if a turn ran then.
	shown   string
	running bool
	// behind is true if the turn of the prompt before it goes on, as its record says.
	behind bool
	typed  bool
	enters int
	notes  []string
}

// unconfirmedError ends a delivery that nothing proved to succeed.
type unconfirmedError struct{ evidence string }

func (d unconfirmedError) Error() string { return d.evidence }

// DeliverPrompt delivers the first prompt of an agent that was just started.
func (s *Sender) DeliverPrompt(ctx context.Context, pane *core.Pane, id, text string, given Approval) core.Delivery {
	text, err := PrepareText(text)
	if err != nil {
		return core.Delivery{PaneRef: pane.Ref(), Status: pane.Status, Outcome: core.Refused, Evidence: err.Error()}
	}
	return s.deliver(ctx, pane, order{id: id, text: text, approval: given})
}

// deliver delivers an order to a pane.
func (s *Sender) deliver(ctx context.Context, pane *core.Pane, order order) core.Delivery {
	begun := s.now()
	c := &delivery{
		Terminal: terminal.New(s.engine, s.observer, pane), sender: s, order: order, typing: order.text,
		submit: []string{"Enter"},
	}
	c.AnyProgram = order.command
	var outcome core.Outcome
	var err error
	if c.Kind != nil {
		c.submit = c.Kind.Keys.Submit
		escaped := c.Kind.Escape(c.text, c.command)
		if c.typing, c.notes = escaped.Text, escaped.Notes; escaped.Refused != "" {
			err = refuse(terminal.WhyCommand, escaped.Refused+"; --command sends it as that")
		}
	}
	if err == nil && !order.approval {
		if _, over := s.MaySpend(ctx, false, sessionsOfAgents(pane)); over != nil {
			err = refuse(terminal.WhyBudget, reason(over))
		}
	}
	if err == nil {
		outcome, err = c.run(ctx)
	}
	d := core.Delivery{PaneRef: pane.Ref(), Status: c.Pane.Status, Outcome: outcome, Enters: c.enters}
	if err != nil {
		d.Outcome, d.Why = c.verdict(err)
		c.notes = append([]string{reason(err)}, c.notes...)
	}
	d.Evidence = strings.Join(c.notes, "; ")
	d.ElapsedMS = s.now().Sub(begun).Milliseconds()
	switch {
	case pane.IsAgent():
		s.announcer.LeaveTurn(ctx, pane.ID, d.Outcome)
	case d.Outcome == core.Delivered && order.command:
		s.announcer.TakeState(ctx, pane.ID) // the shell is the user's again
	}
	return d
}

// run waits until the pane can take the prompt, and types it.
func (c *delivery) run(ctx context.Context) (core.Outcome, error) {
	if c.dryRun {
		return c.runDry(ctx)
	}
	for {
		if err := c.admit(ctx); err != nil {
			return "", err
		}
		outcome, err := c.act(ctx)
		var again notYetError
		if !errors.As(err, &again) {
			return outcome, err
		}
	}
}

// act types the prompt under the pane's lock: it clears what may be cleared, pastes the text, sees
// it arrive, and submits it. It returns a notYetError if the pane must be waited for after all.
func (c *delivery) act(ctx context.Context) (core.Outcome, error) {
	held, err := c.sender.dir.LockPane(ctx, c.Pane, c.patience)
	if err != nil {
		return "", err
	}
	defer held.Release()
	rests := &leftovers{c: c, orphaned: held.Orphaned}
	if err := rests.await(ctx); err != nil {
		return "", err
	}
	g, err := c.Inspect(ctx)
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
	c.behind = !c.running && c.Kind != nil && c.Kind.Typing.Busy == agent.Queues &&
		c.sender.conversations.GoesOn(ctx, c.Pane.ID)
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
	if err := c.arrive(ctx); err != nil {
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
	if _, err := c.Row(ctx); err != nil {
		return err
	}
	err := c.Paste(ctx, c.typing)
	// A pane that is gone or dead took nothing; any other failure may come after
	// the text did.
	c.typed = !errors.Is(err, engine.ErrNoPane) && !errors.Is(err, engine.ErrDead) &&
		!errors.Is(err, engine.ErrNoServer)
	return err
}

// press presses the keys that submit.
func (c *delivery) press(ctx context.Context) error {
	row, err := c.Row(ctx)
	if err != nil {
		return err
	}
	if c.Kind != nil && terminal.Announced(panetag.DecodeHook(row.Tags[engine.TagHook]), c.sender.now()) {
		return unconfirmedError{"its hook reports a dialog since the text was typed, so Enter was not pressed; the " +
			"composer may hold the text"}
	}
	if err := c.Press(ctx, c.submit...); err != nil {
		return err
	}
	c.enters++
	return nil
}

// verdict turns what ended a delivery into its outcome.
func (c *delivery) verdict(err error) (core.Outcome, string) {
	var no terminal.Refusal
	switch {
	case c.typed:
		return core.Unconfirmed, ""
	case errors.As(err, &no):
		return core.Refused, no.Why
	case errors.Is(err, rundir.ErrHeld):
		return core.Refused, terminal.WhyHeld
	case errors.Is(err, engine.ErrDead):
		return core.Refused, terminal.WhyDead
	case errors.Is(err, engine.ErrNoPane), errors.Is(err, engine.ErrNoServer):
		return core.Refused, terminal.WhyGone
	}
	return core.Refused, ""
}

// reason says in words what ended a delivery.
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

// grace is how long a cancelled delivery may go on in a pane where it has begun
// to type.
const grace = 3 * time.Second

// lingering returns a context that outlives ctx by the grace time, so that
// nothing is left half typed.
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
