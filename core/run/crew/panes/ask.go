package panes

import (
	"context"
	"errors"
	"slices"
	"time"

	"cupola/core"
	"cupola/core/fleet/conversation"
	"cupola/core/fleet/deliver"
	"cupola/core/fleet/resolve"
	"cupola/core/fleet/terminal"
	"cupola/core/run/crew"
	"cupola/core/run/crew/orchestrator"
)

const (
	// againEvery is how often a pane is looked at that can take no prompt yet, and answerEvery how often an
	// answer is looked for that is not on the record of an idle agent yet.
	againEvery  = time.Second
	answerEvery = 500 * time.Millisecond
	// recordsWithin is how long that may take, since the agent was seen to do something for workedFor.
	recordsWithin = 15 * time.Second
	workedFor     = 2 * time.Second
)

// errLate is the cause of a turn that took too long.
var errLate = errors.New("its time is over")

// Ask delivers a prompt to a member's pane and returns the answer to it. It waits until the pane can take the
// prompt, and as long as a person is needed there. A prompt of an earlier run that the agent took is not
// delivered again. An error says what the agent waits for when its time is over.
func (s *Stage) Ask(ctx context.Context, c *crew.Crew, turn orchestrator.Turn) (*orchestrator.Answer, error) {
	at, known := s.panes[turn.Member.Name]
	if !known {
		return nil, core.Errorf(core.PaneNotFound, "it has no pane in the session %s", c.Session)
	}
	if limit := c.Limits.TurnTimeout; limit > 0 {
		limited, stop := context.WithTimeoutCause(ctx, limit, errLate)
		defer stop()
		ctx = limited
	}
	a := &asking{stage: s, pane: at, turn: turn, limit: c.Limits.TurnTimeout}
	answer, err := a.ask(ctx)
	if err != nil {
		return nil, a.failure(ctx, err)
	}
	return &orchestrator.Answer{Text: answer.Text, Model: answer.Model, Session: at.Address()}, nil
}

// asking is one turn of a member.
type asking struct {
	stage *Stage
	pane  place
	turn  orchestrator.Turn
	limit time.Duration
	// status is the last one that was seen of the agent, and refused what kept the prompt from being delivered.
	status  core.Status
	refused string
}

func (a *asking) ask(ctx context.Context) (*conversation.Answer, error) {
	prompt, given, err := a.earlier(ctx)
	if err == nil && !given && a.turn.Ask.Relay != "" {
		// One that was typed when its process ended may show only when the agent is idle.
		if err = a.rest(ctx, core.Idle, core.Errored, core.Limited); err == nil {
			prompt, given, err = a.earlier(ctx)
		}
	}
	if err == nil && !given {
		prompt, err = a.deliver(ctx)
	}
	if err != nil {
		return nil, err
	}
	return a.await(ctx, prompt)
}

// earlier returns the prompt that an earlier run delivered, if the agent took it and its turn did not fail.
func (a *asking) earlier(ctx context.Context) (prompt core.TakenPrompt, given bool, err error) {
	if a.turn.Ask.Relay == "" {
		return prompt, false, nil
	}
	p, err := a.stage.opts.Prompt(ctx, a.turn.Ask.Relay)
	if core.AsError(err).HasCode(core.NotFound) {
		return prompt, false, nil
	}
	if err != nil || !a.pane.resumed && a.pane.began.After(p.At) {
		return prompt, false, err
	}
	prompt = core.TakenPrompt{Text: a.turn.Ask.Prompt, Sent: p.At, At: p.At}
	answer, err := a.stage.opts.Fleet.Conversations.AnswerTo(ctx, a.pane.Pane, prompt)
	if err != nil {
		return prompt, false, err
	}
	if answer.Taken {
		return prompt, !answer.Over || answer.Failed == "", nil
	}
	return prompt, slices.ContainsFunc(p.Deliveries, func(d core.Delivery) bool { return d.Outcome.Taken() }), nil
}

// deliver delivers the prompt once the pane can take it.
func (a *asking) deliver(ctx context.Context) (core.TakenPrompt, error) {
	request := deliver.Request{
		Target: resolve.Target{Session: string(a.pane.Pane)}, Text: a.turn.Ask.Prompt, Origin: origin,
	}
	if len(a.turn.Past) > 0 && !a.pane.resumed && a.pane.began.After(a.turn.Past[len(a.turn.Past)-1].Ended) {
		request.Text = history(a.turn.Past) + request.Text
	}
	for {
		if err := a.rest(ctx, core.Idle, core.Errored, core.Limited); err != nil {
			return core.TakenPrompt{}, err
		}
		request.ID, request.DryRun = "", true
		sent, err := a.stage.opts.Fleet.Sender.Send(ctx, request)
		if err == nil {
			request.ID, request.DryRun = core.NewPromptID(a.stage.opts.Now()), false
			if err := a.turn.Began(request.ID); err != nil {
				return core.TakenPrompt{}, err
			}
			sent, err = a.stage.opts.Fleet.Sender.Send(ctx, request)
		}
		if err == nil {
			return core.TakenPrompt{Text: a.turn.Ask.Prompt, Sent: sent.At, At: sent.Deliveries[0].At}, nil
		}
		if ctx.Err() != nil || len(sent.Deliveries) == 0 || final(&sent.Deliveries[0]) {
			return core.TakenPrompt{}, err
		}
		a.status, a.refused = sent.Deliveries[0].Status, sent.Deliveries[0].Saw()
		if err := core.Sleep(ctx, againEvery); err != nil {
			return core.TakenPrompt{}, err
		}
	}
}

// final reports whether a pane that refused a prompt will not take it later either.
func final(d *core.Delivery) bool {
	return d.Outcome != core.Refused || slices.Contains([]string{
		terminal.WhyDead, terminal.WhyLeft, terminal.WhyGone, terminal.WhyBudget, terminal.WhyCommand,
	}, d.Why)
}

// await waits until the agent has answered the prompt and is idle, and returns the answer.
func (a *asking) await(ctx context.Context, prompt core.TakenPrompt) (*conversation.Answer, error) {
	a.refused = ""
	var idle time.Time
	for {
		began := a.stage.opts.Now()
		if err := a.rest(ctx, core.Idle); err != nil {
			return nil, err
		}
		if now := a.stage.opts.Now(); idle.IsZero() || now.Sub(began) > workedFor {
			idle = now
		}
		answer, err := a.stage.opts.Fleet.Conversations.AnswerTo(ctx, a.pane.Pane, prompt)
		switch {
		case err != nil:
			return nil, err
		case answer.Over && answer.Failed == "":
			return answer, nil
		case answer.Over:
			return nil, a.again(core.Errorf(core.BackendFailed, "%s", answer.Failed))
		case a.stage.opts.Now().Sub(idle) < recordsWithin:
		case answer.Taken:
			return nil, a.again(core.Errorf(core.DecodeFailed, "it is idle, but its turn has not ended on its record"))
		default:
			return nil, a.again(core.Errorf(core.DecodeFailed,
				"it is idle, but neither its record nor its screen shows its answer to this prompt"))
		}
		if err := core.Sleep(ctx, answerEvery); err != nil {
			return nil, err
		}
	}
}

// again forgets the prompt, whose answer cannot be had, so that a resumed run asks again.
func (a *asking) again(failure error) error {
	return errors.Join(failure, a.turn.Began(""))
}
