package conversation

import (
	"context"
	"time"

	"cupola/core"
	"cupola/core/fleet/resolve"
	"cupola/core/transcript"
)

// BeginsWithin is how long a prompt that is not on the agent's record, or whose turn there has
// not ended, keeps an agent that was not seen to work from counting as idle: slow machines,
// servers and agents that load their tools take their time.
const BeginsWithin = time.Minute

// Keeps reports whether an agent keeps a record that a prompt would be on.
func (c *Conversation) Keeps(prompt string) bool {
	return c.Kind != nil && transcript.Keeps(c.Kind.ID) && !c.Kind.TakesForCommand(prompt)
}

// Finished reports whether an agent seems to have dealt with a prompt that it took, and
// whether its own record or its screen says so.
func (c *Conversation) Finished(prompt core.TakenPrompt) (over, sure bool) {
	if !c.Keeps(prompt.Text) {
		return false, false
	}
	over = c.Err == nil && c.Account.Took(prompt.Text, prompt.Sent) && c.Account.Turn.Ended()
	if turns, marked := c.turns(); marked && len(turns) > 0 && !c.Account.Certain {
		last := turns[len(turns)-1]
		return last.Message != "" && transcript.Tells(last.Prompt, prompt.Text), true
	}
	return over, c.Account.Certain
}

// HasOpenPrompt reports whether an agent that seems idle has not dealt with the last prompt that it
// took, as its own record says, which holds that prompt.
func (r *Reader) HasOpenPrompt(ctx context.Context, pane core.PaneID) bool {
	last, is := r.NewestPrompts(ctx, r.now().Add(-BeginsWithin))[pane]
	if !is {
		return false
	}
	found, err := r.Read(ctx, resolve.ByID(pane))
	if err != nil || len(found) == 0 {
		return false
	}
	c := &found[0]
	return c.Keeps(last.Text) && c.Err == nil && c.Account.Certain && c.Account.Took(last.Text, last.Sent) &&
		!c.Account.Turn.Ended()
}

// NewestPrompts returns the newest prompt that each pane took since a time. A journal that cannot
// be read tells nothing.
func (r *Reader) NewestPrompts(ctx context.Context, since time.Time) map[core.PaneID]core.TakenPrompt {
	if r.journal == nil {
		return nil
	}
	taken, err := r.journal.Newest(ctx, since)
	if err != nil {
		r.log.Warn("which prompts were sent lately is not known", "error", err)
	}
	return taken
}
