package conversation

import (
	"context"
	"time"

	"cupola/core"
	"cupola/core/agent"
	"cupola/core/agent/transcript"
	"cupola/core/fleet/resolve"
)

// BeginsWithin is how long an accepted prompt that the transcript lacks, or whose turn has not
// ended there, keeps an agent that was not seen working from counting as idle. Machines,
// servers and agents that load their tools can be slow.
const BeginsWithin = time.Minute

// Keeps reports whether the agent keeps a transcript in which the prompt would be recorded, and which alone shows that
// its turn is over: by protocol the agent itself says so.
func (c *Conversation) Keeps(prompt string) bool {
	return c.Kind != nil && !agent.Speaks(c.Kind) && transcript.Keeps(c.Kind.ID) &&
		!c.Kind.TakesForCommand(prompt) && !c.remote
}

// Finished reports whether the agent's turn of an accepted prompt is over. sure is true if
// the agent's own words by protocol, its transcript or its screen prove that.
func (c *Conversation) Finished(prompt core.TakenPrompt) (over, sure bool) {
	if c.spoken != nil {
		return c.spoken.over(), true
	}
	if !c.Keeps(prompt.Text) {
		return false, false
	}
	sure = c.sure()
	if turns, marked := c.turns(); marked && len(turns) > 0 && !sure {
		last := turns[len(turns)-1]
		return last.Message != "" && transcript.Tells(last.Prompt, prompt.Text), true
	}
	over = c.Err == nil && c.Account.Took(prompt.Text, prompt.Sent) && c.Account.Turn.Ended()
	return over, sure
}

// Took reports whether the agent's own record has a prompt that was sent to it, however that ended for its sender. sure
// is false if such a record is not kept, or not known to be the agent's.
func (c *Conversation) Took(prompt core.TakenPrompt) (took, sure bool) {
	if !c.Keeps(prompt.Text) || !c.sure() {
		return false, false
	}
	return c.Account.Took(prompt.Text, prompt.Sent), true
}

// GoesOn reports whether an agent that seems idle has not dealt with the last prompt that it
// took, as its own record says, which holds that prompt.
func (r *Reader) GoesOn(ctx context.Context, pane core.PaneID) bool {
	last, is := r.NewestPrompts(ctx, r.opts.Now().Add(-BeginsWithin))[pane]
	if !is {
		return false
	}
	found, err := r.Read(ctx, resolve.ByID(pane))
	if err != nil || len(found) == 0 {
		return false
	}
	c := &found[0]
	return c.Keeps(last.Text) && c.sure() && c.Account.Took(last.Text, last.Sent) &&
		!c.Account.Turn.Ended()
}

// NewestPrompts returns the newest prompt that each pane accepted since a time. An unreadable
// journal has none.
func (r *Reader) NewestPrompts(ctx context.Context, since time.Time) map[core.PaneID]core.TakenPrompt {
	if r.opts.Journal == nil {
		return nil
	}
	taken, err := r.opts.Journal.Newest(ctx, since)
	if err != nil {
		r.opts.Log.Warn("which prompts were sent lately is not known", "error", err)
	}
	return taken
}
