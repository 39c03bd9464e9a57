package conversation

import (
	"context"

	"cupola/core"
	"cupola/core/agent/transcript"
	"cupola/core/fleet/fault"
	"cupola/core/fleet/resolve"
)

// Answer is an agent's answer to one prompt.
type Answer struct {
	// Pane is the agent's pane, in its state.
	Pane *core.Pane
	// Taken is true if the agent's transcript or screen has the prompt; nothing else is known without it.
	Taken bool
	// Over is true if the turn of the prompt has ended. Failed says why it did not end well: it was
	// interrupted, or an error ended it; empty if it did.
	Over   bool
	Failed string
	// Text is the last message of the turn; empty if there is none.
	Text string
	// Model is the model that answered; empty if unknown.
	Model string
}

// AnswerTo returns the answer of a pane's agent to a prompt that was sent to it, also if it was given others since.
// Without a transcript that is certain to be the agent's own, the answer is read from the screen below the prompt; then
// a later prompt in the journal hides it. It returns PaneNotFound if the pane is gone.
func (r *Reader) AnswerTo(ctx context.Context, pane core.PaneID, prompt core.TakenPrompt) (_ *Answer, err error) {
	defer func() { err = fault.Wrap("answer", err) }()
	found, err := r.Read(ctx, resolve.ByID(pane))
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, core.Errorf(core.PaneNotFound, "the pane is gone")
	}
	c := &found[0]
	if c.sure() {
		return c.recorded(prompt), nil
	}
	if later, is := r.NewestPrompts(ctx, prompt.Sent)[pane]; is && later.Sent.After(prompt.Sent) {
		return &Answer{Pane: c.Pane}, nil
	}
	if err := r.readHistory(ctx, found); err != nil {
		return nil, err
	}
	return c.drawn(prompt), nil
}

// recorded is the answer on the agent's own record.
func (c *Conversation) recorded(prompt core.TakenPrompt) *Answer {
	turn, over, taken := c.Account.TurnOf(prompt.Text, prompt.Sent)
	answer := &Answer{Pane: c.Pane, Taken: taken, Over: over, Text: turn.Message, Model: c.Account.Model}
	switch {
	case turn.Interrupted:
		answer.Failed = "the turn was interrupted"
	case turn.Failed != "":
		answer.Failed = "the turn failed: " + core.Excerpt(turn.Failed)
	}
	return answer
}

// drawn is the answer that the screen shows.
func (c *Conversation) drawn(prompt core.TakenPrompt) *Answer {
	answer := &Answer{Pane: c.Pane}
	if c.screen == nil {
		return answer
	}
	turns, marked := c.turns()
	if marked {
		answer.Taken = len(turns) > 0 && transcript.Tells(turns[len(turns)-1].Prompt, prompt.Text)
	} else {
		turns, answer.Taken = c.since(prompt.Text)
	}
	if !answer.Taken {
		return answer
	}
	answer.Text = turns[len(turns)-1].Message
	switch status := &c.Pane.Status; {
	case status.State == core.Idle && status.Has(core.NoteInterrupted),
		status.State == core.Errored, status.State == core.Limited:
		answer.Over, answer.Failed = true, unfinishedReason(status)
	case status.State == core.Idle:
		answer.Over = true
	}
	return answer
}
