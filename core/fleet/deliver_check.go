package fleet

import (
	"context"
	"errors"
	"fmt"
	"time"

	"cupola/core"
	"cupola/core/agent"
	"cupola/core/detect"
)

const (
	// startPatience is how long an agent may show no composer that is not known
	// to have been started a short while ago.
	startPatience = 3 * time.Second
	// turnPatience is how long the end of a turn is waited for by kinds that
	// would take a prompt as part of it.
	turnPatience = time.Minute
	admitEvery   = 200 * time.Millisecond
)

// drawWait is how long a dialog that a hook reported may take to be drawn.
const drawWait = 3 * time.Second

// pending says that the pane cannot take the prompt yet.
type pending struct {
	refusal
	limit time.Duration
}

// admit waits until the pane can take the prompt, or refuses. It holds no lock,
// so a draft may be a prompt that another Cupola is about to submit.
func (c *courier) admit(ctx context.Context) error {
	begun := time.Now()
	for {
		g, err := c.see(ctx)
		if err == nil {
			err = c.judge(g, true)
		}
		var wait pending
		if !errors.As(err, &wait) {
			return err
		}
		if time.Since(begun) >= wait.limit {
			if wait.why != whyBusy || len(c.kind.Keys.Queue) == 0 {
				return wait.refusal
			}
			c.submit = c.kind.Keys.Queue
			continue
		}
		if err := rest(ctx, admitEvery); err != nil {
			return err
		}
	}
}

// judge returns nil if the prompt can be typed, a refusal if it must not be,
// and a pending if that may change. It keeps whether a turn runs.
func (c *courier) judge(g *glance, mayHoldDraft bool) error {
	if g.reading == nil {
		return nil
	}
	if block, blocked := g.reading.Blocked(); blocked {
		return refusal{whyDialog, dialogOpen(block)}
	}
	if announced(g.hook, c.now()) {
		return pending{refusal{whyDialog, "its hook reports a dialog that is not drawn yet"}, drawWait}
	}
	composer, found := g.reading.Composer()
	if !found {
		limit := startPatience
		if age := c.now().Sub(c.pane.Agent.Started); age < c.kind.Launch.Timeout {
			limit = max(limit, c.kind.Launch.Timeout-age)
		}
		return pending{refusal{whyStarting, fmt.Sprintf("%s shows no composer; its last line is %q", c.kind.Name, g.lastLine())}, limit}
	}
	if composer.Draft != "" && !mayHoldDraft {
		return refusal{whyDraft, fmt.Sprintf("somebody typed %q there; --replace-draft clears it first", excerpt(composer.Draft))}
	}
	working, running := g.reading.Running()
	c.running = running
	if running && c.steers() && !c.atOnce {
		return pending{refusal{whyBusy, fmt.Sprintf("a turn runs that would take the prompt as its part (%s)", matched(working))}, turnPatience}
	}
	return nil
}

// announced reports whether a hook spoke of a dialog a moment ago. One that was rejected
// is over without a word, so an older edge proves nothing.
func announced(hook *detect.Hook, now time.Time) bool {
	return hook != nil && hook.State == core.Waiting && now.Sub(hook.At) < drawWait
}

// steers reports whether submitting now would go into the running turn.
func (c *courier) steers() bool {
	queues := len(c.kind.Keys.Queue) > 0 && &c.submit[0] == &c.kind.Keys.Queue[0]
	return c.kind.Typing.Busy == agent.Steers && !queues
}

func dialogOpen(block agent.Block) string {
	return fmt.Sprintf("a dialog is open (%s, by the rule %s)", block.Reason, matched(block.Match))
}

// matched names a rule and the line that proves it.
func matched(m agent.Match) string { return m.Rule.ID + ": " + excerpt(m.Line) }

// rehearse judges without waiting and types nothing.
func (c *courier) rehearse(ctx context.Context) (Outcome, error) {
	g, err := c.see(ctx)
	var left *leftover
	rests := &leftovers{c: c}
	if err == nil {
		left = rests.inComposer(ctx, g)
		err = c.judge(g, c.replaceDraft || left != nil)
	}
	var wait pending
	switch {
	case errors.As(err, &wait):
		c.note("it would be waited for: %s", wait.evidence)
	case err != nil:
		return "", err
	case g.reading == nil:
		if err := (lineWriter{c}).rehearse(ctx, g, rests); err != nil {
			return "", err
		}
		c.note("the text would be typed as it is; %s", plainStatus(c.pane).Evidence[0])
	case left != nil && left.why != "":
		c.note("the composer holds the prompt %q, %s; it would be cleared", excerpt(left.prompt.Text), left.why)
	case left != nil:
		c.note("the composer holds what a process that was killed left there; it would be cleared")
	default:
		c.note("the composer is there")
	}
	return Planned, nil
}
