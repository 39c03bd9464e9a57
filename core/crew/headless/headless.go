// Package headless is the stage on which the members of a crew work without a terminal: each turn
// is a relay. How a member was launched is repeated in every turn, for backends forget it.
package headless

import (
	"context"
	"time"

	"cupola/core"
	"cupola/core/crew"
	"cupola/core/crew/orchestrator"
	"cupola/core/relay"
)

// Stage asks members with relays.
type Stage struct {
	// Runner asks; its book is that of the crew.
	Runner *relay.Runner
	// Quiet is how long a backend may print nothing; 0 sets no limit.
	Quiet time.Duration
}

// Plan says how a member is asked what is in ask. It fails where the member cannot be asked at all.
func (s *Stage) Plan(ctx context.Context, c *crew.Crew, turn orchestrator.Turn) (*relay.Plan, error) {
	m := turn.Member
	request := relay.Request{
		Prompt: turn.Ask.Prompt, Bare: true, Backend: m.Backend, Model: m.Model, Dir: m.Dir,
		Sandbox: relay.Sandbox(c.Sandbox), Keep: true, Timeout: c.Limits.TurnTimeout, Quiet: s.Quiet,
	}
	if request.Timeout <= 0 {
		request.Timeout = c.Limits.Timeout
	}
	if m.Session != "" {
		request.Session, request.Before = m.Session, m.Used
	} else {
		for i := range turn.Past {
			request.History = append(request.History, relay.Turn{
				Prompt: turn.Past[i].Prompt,
				Answer: turn.Past[i].Answer,
			})
		}
	}
	return s.Runner.Plan(ctx, request)
}

// Ask asks a member. A relay of an earlier run that answered is not repeated.
func (s *Stage) Ask(ctx context.Context, c *crew.Crew, turn orchestrator.Turn) (*orchestrator.Answer, error) {
	if turn.Ask.Relay != "" {
		if record, err := s.Runner.Book.Load(turn.Ask.Relay); err == nil && record.State == relay.Done {
			return s.answer(turn.Member, record), nil
		}
	}
	plan, err := s.Plan(ctx, c, turn)
	if err != nil {
		return nil, err
	}
	if s.Runner.Afford != nil {
		if err := s.Runner.Afford(ctx); err != nil {
			return nil, err
		}
	}
	asked := core.Cut(turn.Ask.Prompt)
	record, err := s.Runner.Book.New(ctx, plan, asked, time.Now())
	if err != nil {
		return nil, err
	}
	if err := turn.Began(record.ID); err != nil {
		return nil, err
	}
	record, err = s.Runner.Carry(ctx, record.ID, plan, asked, nil)
	if err != nil {
		return nil, err
	}
	return s.answer(turn.Member, record), nil
}

func (s *Stage) answer(m *crew.Member, record *relay.Record) *orchestrator.Answer {
	answer := &orchestrator.Answer{
		Text: record.Text, Model: record.Model, Used: record.Used, CostUSD: record.CostUSD,
		CostKnown: record.CostKnown(),
	}
	if backend, err := s.Runner.Relay.Backends.Find(m.Backend); err == nil && backend.Continues() {
		answer.Session = record.Session
	}
	return answer
}

// Close does nothing: every relay ends with its turn.
func (s *Stage) Close() error { return nil }
