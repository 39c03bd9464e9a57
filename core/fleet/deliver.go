package fleet

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"cupola/core"
	"cupola/core/agent"
	"cupola/core/engine"
)

// order is what is delivered, the same for all panes of a send.
type order struct {
	grant grant
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

// courier delivers one order to one pane.
type courier struct {
	*terminal
	order
	fleet *Fleet
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

// refusal ends a delivery before anything was typed.
type refusal struct{ why, evidence string }

func (r refusal) Error() string { return r.evidence }

// doubt ends a delivery of which nobody saw that it succeeded.
type doubt struct{ evidence string }

func (d doubt) Error() string { return d.evidence }

// The words of Delivery.Why.
const (
	whyDialog   = "dialog"
	whyDraft    = "draft"
	whyCopyMode = "copy_mode"
	whyDead     = "dead"
	whyLeft     = "agent_gone"
	whyGone     = "gone"
	whyStarting = "starting"
	whyBusy     = "busy"
	whyHeld     = "held"
	whyBudget   = "budget"
	whyCommand  = "command"
)

// deliverPrompt delivers the first prompt of an agent that was just started.
func (f *Fleet) deliverPrompt(ctx context.Context, pane *core.Pane, id, text string, given grant) Delivery {
	text, err := prepareText(text)
	if err != nil {
		return Delivery{PaneRef: Ref(pane), Status: pane.Status, Outcome: Refused, Evidence: err.Error()}
	}
	return f.deliver(ctx, pane, order{id: id, text: text, grant: given})
}

// deliver delivers an order to a pane.
func (f *Fleet) deliver(ctx context.Context, pane *core.Pane, order order) Delivery {
	begun := f.now()
	c := &courier{terminal: f.terminal(pane), fleet: f, order: order, typing: order.text, submit: []string{"Enter"}}
	c.anyProgram = order.command
	var outcome Outcome
	var err error
	if c.kind != nil {
		c.submit = c.kind.Keys.Submit
		escaped := c.kind.Escape(c.text, c.command)
		if c.typing, c.notes = escaped.Text, escaped.Notes; escaped.Refused != "" {
			err = refusal{whyCommand, escaped.Refused + "; --command sends it as that"}
		}
	}
	if err == nil && !order.grant {
		if _, over := f.maySpend(ctx, false, sessionsOfAgents(pane)); over != nil {
			err = refusal{whyBudget, reason(over)}
		}
	}
	if err == nil {
		outcome, err = c.run(ctx)
	}
	d := Delivery{PaneRef: Ref(pane), Status: c.pane.Status, Outcome: outcome, Enters: c.enters}
	if err != nil {
		d.Outcome, d.Why = c.verdict(err)
		c.notes = append([]string{reason(err)}, c.notes...)
	}
	d.Evidence = strings.Join(c.notes, "; ")
	d.ElapsedMS = f.now().Sub(begun).Milliseconds()
	switch {
	case pane.IsAgent():
		leaveTurn(ctx, &f.lookout, pane.ID, d.Outcome)
	case d.Outcome == Delivered && order.command:
		takeState(ctx, &f.lookout, pane.ID) // the shell is the user's again
	}
	return d
}

// run does it all: it waits until the pane can take the prompt, keeps others
// from typing there, looks once more, types and submits.
func (c *courier) run(ctx context.Context) (Outcome, error) {
	if c.dryRun {
		return c.rehearse(ctx)
	}
	for {
		if err := c.admit(ctx); err != nil {
			return "", err
		}
		outcome, err := c.act(ctx)
		var again pending
		if !errors.As(err, &again) {
			return outcome, err
		}
	}
}

// act is the part that nobody else may disturb. It returns a pending error if
// the pane must be waited for after all.
func (c *courier) act(ctx context.Context) (Outcome, error) {
	held, err := c.fleet.holdPane(ctx, c.pane, c.patience)
	if err != nil {
		return "", err
	}
	defer held.release()
	rests := &leftovers{c: c, orphaned: held.orphaned}
	if err := rests.await(ctx); err != nil {
		return "", err
	}
	g, err := c.see(ctx)
	if err != nil {
		return "", err
	}
	left := rests.inComposer(ctx, g)
	if err := c.judge(g, c.replaceDraft || left != nil); err != nil {
		return "", err
	}
	if held.note != "" {
		c.note("%s", held.note)
	}
	c.behind = !c.running && c.kind != nil && c.kind.Typing.Busy == agent.Queues && goesOn(ctx, &c.fleet.launcher, c.pane.ID)
	ctx, cancel := lingering(ctx)
	defer cancel()
	if g.reading == nil {
		return c.typePlainly(ctx, g, rests)
	}
	if composer, _ := g.reading.Composer(); composer.Draft != "" {
		if err := c.clearDraft(ctx); err != nil {
			return "", err
		}
		if left != nil {
			rests.close(ctx, left)
		}
	}
	return c.typeAndSubmit(ctx)
}

// typeAndSubmit pastes the text into an empty composer, sees it arrive and sees
// it leave.
func (c *courier) typeAndSubmit(ctx context.Context) (Outcome, error) {
	if err := c.paste(ctx); err != nil {
		return "", err
	}
	if err := c.arrive(ctx); err != nil {
		return "", err
	}
	if c.noEnter {
		c.note("the composer holds the text")
		return Typed, nil
	}
	if err := c.settleDraft(ctx); err != nil {
		return "", err
	}
	return c.leave(ctx)
}

func (c *courier) paste(ctx context.Context) error {
	if _, err := c.inhabited(ctx); err != nil {
		return err
	}
	err := c.engine.Paste(ctx, c.pane.ID, []byte(c.typing))
	// A pane that is gone or dead took nothing; any other failure may come after
	// the text did.
	c.typed = !errors.Is(err, engine.ErrNoPane) && !errors.Is(err, engine.ErrDead) && !errors.Is(err, engine.ErrNoServer)
	return err
}

// press presses the keys that submit.
func (c *courier) press(ctx context.Context) error {
	row, err := c.inhabited(ctx)
	if err != nil {
		return err
	}
	if c.kind != nil && announced(decodeHook(row.Tags[engine.TagHook]), c.now()) {
		return doubt{"its hook reports a dialog since the text was typed, so Enter was not pressed; the composer may hold the text"}
	}
	if err := c.engine.Press(ctx, c.pane.ID, c.submit...); err != nil {
		return err
	}
	c.enters++
	return nil
}

// verdict turns what ended a delivery into its outcome.
func (c *courier) verdict(err error) (Outcome, string) {
	var no refusal
	switch {
	case c.typed:
		return Unconfirmed, ""
	case errors.As(err, &no):
		return Refused, no.why
	case errors.Is(err, errHeld):
		return Refused, whyHeld
	case errors.Is(err, engine.ErrDead):
		return Refused, whyDead
	case errors.Is(err, engine.ErrNoPane), errors.Is(err, engine.ErrNoServer):
		return Refused, whyGone
	}
	return Refused, ""
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
	case errors.Is(err, errHeld):
		held := core.AsError(err)
		return held.Message + ". " + held.Hint
	}
	return err.Error()
}

func (c *courier) note(format string, args ...any) {
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
		if rest(longer, grace) == nil {
			cancel(context.Cause(ctx))
		}
	})
	return longer, func() {
		stop()
		cancel(nil)
	}
}
