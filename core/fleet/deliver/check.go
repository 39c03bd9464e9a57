package deliver

import (
	"context"
	"errors"
	"fmt"
	"time"

	"cupola/core"
	"cupola/core/agent"
	"cupola/core/fleet/terminal"
)

const (
	// startPatience is how long an agent of unknown age may show no composer.
	startPatience = 3 * time.Second
	// drawPatience is how long a dialog may show nothing to choose: rows of a screen that is being drawn may look like
	// one.
	drawPatience = time.Second
	// turnPatience is how long to wait for the end of a turn, for kinds that would take a prompt as part of
	// it.
	turnPatience = time.Minute
	admitEvery   = 200 * time.Millisecond
)

// notYetError means that the pane cannot take the prompt yet.
type notYetError struct {
	terminal.Refusal
	limit time.Duration
}

// refuse returns a refusal with its evidence.
func refuse(why, evidence string) terminal.Refusal {
	return terminal.Refusal{Why: why, Evidence: evidence}
}

// admit waits until the pane can take the prompt, or refuses. It holds no lock, so a draft may be a prompt
// that another Cupola is about to submit.
func (c *delivery) admit(ctx context.Context) error {
	started := time.Now()
	for {
		g, err := c.term.Inspect(ctx)
		if err == nil {
			err = c.judge(g, true)
		}
		wait, is := errors.AsType[notYetError](err)
		if !is {
			return err
		}
		if time.Since(started) >= wait.limit {
			if wait.Why != terminal.WhyBusy || len(c.term.Kind.Keys.Queue) == 0 {
				return wait.Refusal
			}
			c.submit = c.term.Kind.Keys.Queue
			continue
		}
		if err := core.Sleep(ctx, admitEvery); err != nil {
			return err
		}
	}
}

// judge returns nil if the prompt can be typed, a refusal if it must not be, and a notYetError if that may
// change. It records whether a turn runs.
func (c *delivery) judge(g *terminal.Capture, mayHoldDraft bool) error {
	if g.Agent.Role == core.RoleOverview {
		return refuse(terminal.WhyOverview, fmt.Sprintf("%s shows an overview of its agents there, where a prompt "+
			"starts another one; open one of them first", c.sender.nameOf(g.Agent.Kind)))
	}
	if g.Reading == nil {
		return nil
	}
	if dialog, open := g.Reading.Dialog(); open {
		no := refuse(terminal.WhyDialog, terminal.DialogOpen(dialog.Block))
		if !dialog.Drawn() {
			return notYetError{no, drawPatience}
		}
		return no
	}
	if terminal.Announced(g.Hook, c.sender.opts.Now()) {
		return notYetError{
			refuse(terminal.WhyDialog, "its hook reports a dialog that is not drawn yet"),
			terminal.DrawWait,
		}
	}
	composer, found := g.Reading.Composer()
	left := c.term.Kind.Launch.Timeout - c.sender.opts.Now().Sub(c.term.Pane.Agent.Started)
	if found && left > 0 && g.Reading.Starting() {
		no := refuse(terminal.WhyStarting, c.term.Kind.Name+" has drawn its composer, and loads yet")
		return notYetError{no, c.term.Kind.Launch.Timeout} // after left it is typed all the same
	}
	if !found {
		limit := max(startPatience, left)
		evidence := fmt.Sprintf("%s shows no composer; its last line is %q", c.term.Kind.Name, g.LastLine())
		return notYetError{refuse(terminal.WhyStarting, evidence), limit}
	}
	if composer.Draft != "" && !mayHoldDraft {
		evidence := fmt.Sprintf("the user typed %q there", core.Excerpt(composer.Draft))
		return terminal.Refusal{Why: terminal.WhyDraft, Evidence: evidence, Remedy: core.RemedyReplaceDraft}
	}
	working, running := g.Reading.Running()
	c.running, c.busy = running, g.Reading.Busy()
	if running && c.steers() && !c.atOnce {
		evidence := fmt.Sprintf("a turn runs that would take the prompt as its part (%s)", terminal.Matched(working))
		return notYetError{refuse(terminal.WhyBusy, evidence), turnPatience}
	}
	return nil
}

// nameOf returns the name of a kind's program.
func (s *Sender) nameOf(kind core.Kind) string {
	if known, ok := s.opts.Kinds.Find(string(kind)); ok {
		return known.Name
	}
	return string(kind)
}

// steers reports whether submitting now would go into the running turn.
func (c *delivery) steers() bool {
	queues := len(c.term.Kind.Keys.Queue) > 0 && &c.submit[0] == &c.term.Kind.Keys.Queue[0]
	return c.busy == agent.Steers && !queues
}

// runDry decides without waiting and types nothing.
func (c *delivery) runDry(ctx context.Context) (core.Outcome, error) {
	g, err := c.term.Inspect(ctx)
	var left *leftover
	rests := &leftovers{c: c}
	if err == nil {
		left = rests.inComposer(ctx, g)
		err = c.judge(g, c.replaceDraft || left != nil)
	}
	var wait notYetError
	switch {
	case errors.As(err, &wait):
		c.note("it would be waited for: %s", wait.Evidence)
	case err != nil:
		return "", err
	case g.Reading == nil:
		if err := c.checkLine(ctx, g, rests); err != nil {
			return "", err
		}
		c.note("the text would be typed as it is; %s", terminal.PlainStatus(c.term.Pane).Evidence[0])
	case left != nil && left.why != "":
		c.note("the composer holds the prompt %q, %s; it would be cleared", core.Excerpt(left.prompt.Text), left.why)
	case left != nil:
		c.note("the composer holds what a process that was killed left there; it would be cleared")
	default:
		c.note("the composer is there")
	}
	return core.Planned, nil
}
