package orchestrator

import (
	"context"
	"time"

	"cupola/core"
	"cupola/core/run"
	"cupola/core/run/crew"
)

// newThrottle returns what holds the members of the crew back at usage limits.
func (r *execution) newThrottle(ctx context.Context) *run.Throttle {
	return &run.Throttle{
		LimitPolicy: r.c.Limits.LimitPolicy, Now: r.o.Now, Hold: r.hold, Clock: r.clock,
		Changed: func(until time.Time) error {
			r.mu.Lock()
			defer r.mu.Unlock()
			if r.c.Until.Equal(until) {
				return nil
			}
			r.c.Until = until
			return r.apply(context.WithoutCancel(ctx), &crew.Step{Crew: r.c})
		},
	}
}

// answer asks a member, and again or on another backend after a usage limit.
func (r *execution) answer(ctx context.Context, question Turn) (*Answer, error) {
	for {
		answer, err := r.stage.Ask(ctx, r.c, question)
		if err == nil {
			return answer, nil
		}
		if err := r.limited(ctx, question.Member, err); err != nil {
			return nil, err
		}
		next, err := r.throttle.Next(ctx, question.Member.Backend, err)
		if err != nil {
			return nil, err
		}
		if next != question.Member.Backend {
			if err := r.replace(ctx, &question, next); err != nil {
				return nil, err
			}
		}
		question.Ask.Relay = ""
	}
}

// limited records that a member met a usage limit, if the crew does not stop there.
func (r *execution) limited(ctx context.Context, m *crew.Member, why error) error {
	if !core.AsError(why).HasCode(core.RateLimited) || r.throttle.Stops() {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.apply(ctx, &crew.Step{Crew: r.c, Events: []crew.Event{r.event(crew.Event{
		Type: crew.Guardrail, Reason: crew.UsageLimit, From: m.Name, Text: m.Backend + ": " + why.Error(),
	})}})
}

// replace lets another backend answer for a member from now on. Its prompt has the earlier questions to the member
// and the answers.
func (r *execution) replace(ctx context.Context, question *Turn, backend string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	m := r.c.Member(question.Member.Name)
	was := m.Backend
	m.Backend, m.Model, m.ModelUsed, m.Session = backend, "", "", ""
	copied := *m
	question.Member = &copied
	return r.apply(ctx, &crew.Step{Crew: r.c, Members: []*crew.Member{m}, Events: []crew.Event{r.event(crew.Event{
		Type: crew.Guardrail, Reason: crew.UsageLimit, From: m.Name,
		Text: backend + " answers in place of " + was + ", which is at a usage limit",
	})}})
}
