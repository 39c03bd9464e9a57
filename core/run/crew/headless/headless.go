// Package headless is the stage on which the members of a crew work without a terminal: each turn
// is a relay. How a member was launched is repeated in every turn, for backends forget it.
package headless

import (
	"context"
	"slices"
	"time"

	"cupola/core"
	"cupola/core/run/crew"
	"cupola/core/run/crew/orchestrator"
	"cupola/core/run/relay"
)

// Stage asks members with relays.
type Stage struct {
	// Runner asks; its directory is the crew's.
	Runner *relay.Runner
	// Quiet is how long a backend may print nothing; 0 sets no limit.
	Quiet time.Duration
}

// Plan says how a member is asked what is in ask. It fails where the member cannot be asked at all.
func (s *Stage) Plan(ctx context.Context, c *crew.Crew, turn orchestrator.Turn) (*relay.Plan, error) {
	m := turn.Member
	request := relay.Request{
		Prompt: turn.Ask.Prompt, Bare: true, Backend: m.Backend, Model: m.Model, Dir: m.Dir, Env: m.Env,
		Sandbox: relay.Sandbox(c.Sandbox), Keep: true, Timeout: c.Limits.TurnTimeout, Quiet: s.Quiet,
	}
	if request.Timeout <= 0 {
		request.Timeout = c.Limits.Timeout
	}
	if m.Session != "" {
		request.Session, request.Before = m.Session, m.Used
	} else {
		request.History = history(turn.Past, relay.MaxPrompt-len(turn.Ask.Prompt))
	}
	return s.Runner.Plan(ctx, request)
}

// answerBytes is how much of an earlier answer is repeated, and around how much is written around each turn.
const (
	answerBytes = 50_000
	around      = 64
)

// history returns the conversation so far, as far as there is room: the first turn, which has the briefing, and the
// newest.
func history(past []crew.Ask, room int) []relay.Turn {
	turns := make([]relay.Turn, len(past))
	for i := range past {
		turns[i] = relay.Turn{Prompt: past[i].Prompt, Answer: crew.Cut(past[i].Answer, answerBytes)}
		if i == 0 {
			room -= size(&turns[0])
		}
	}
	first := len(turns)
	for ; first > 1; first-- {
		if room -= size(&turns[first-1]); room < around {
			break
		}
	}
	if first > 1 {
		turns = slices.Delete(turns, 1, first)
	}
	return turns
}

func size(t *relay.Turn) int { return len(t.Prompt) + len(t.Answer) + around }

// Ask asks a member. A relay of an earlier run that answered is not repeated. A member whose backend has forgotten
// the conversation gets a new one, with the earlier turns in its first prompt.
func (s *Stage) Ask(ctx context.Context, c *crew.Crew, turn orchestrator.Turn) (*orchestrator.Answer, error) {
	answer, err := s.ask(ctx, c, turn)
	if turn.Member.Session != "" && core.AsError(err).HasCode(core.NotFound) {
		m := *turn.Member
		m.Session, turn.Member = "", &m
		return s.ask(ctx, c, turn)
	}
	return answer, err
}

func (s *Stage) ask(ctx context.Context, c *crew.Crew, turn orchestrator.Turn) (*orchestrator.Answer, error) {
	if turn.Ask.Relay != "" {
		if record, err := s.Runner.Directory.Load(turn.Ask.Relay); err == nil && record.State == relay.Done {
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
	record, err := s.Runner.Directory.New(ctx, plan, asked, time.Now())
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
