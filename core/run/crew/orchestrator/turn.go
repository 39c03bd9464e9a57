package orchestrator

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"cupola/core"
	"cupola/core/run/crew"
)

// begin ends the last turn on record and begins the next. It returns why the crew ends instead.
func (r *execution) begin(ctx context.Context) (crew.Reason, error) {
	c := r.c
	waiting, err := r.waiting(ctx)
	if err != nil {
		return crew.Error, err
	}
	step := &crew.Step{Crew: c}
	if c.Turn > r.complete {
		r.complete = c.Turn
		step.Events = append(step.Events, r.event(crew.Event{Type: crew.TurnComplete, Pending: len(waiting)}))
	}
	reason, last := crew.Reason(""), false
	if c.Turn >= 0 {
		var detail string
		if reason, last, detail = r.judge(waiting); detail != "" {
			step.Events = append(step.Events, r.event(crew.Event{
				Type: crew.Guardrail, Reason: reasonOf(reason),
				Text: detail,
			}))
		}
	}
	if reason != "" {
		r.closing = step.Events
		return reason, nil
	}
	c.Turn++
	if c.Turn == 0 {
		for i := range c.Members {
			r.ask(step, &c.Members[i], crew.FirstPrompt(c, &c.Members[i]))
		}
		return "", r.apply(ctx, step)
	}
	waiting, yielding := r.past.Yield(c.Turn, c.Limits.AgentTurns, waiting)
	for _, name := range yielding {
		step.Events = append(step.Events, r.event(crew.Event{
			Type: crew.Guardrail, Reason: crew.AgentTurns, From: name,
			Text: fmt.Sprintf("%s had %d turns in a row; others are first", name, c.Limits.AgentTurns),
		}))
	}
	for i := range c.Members {
		m := &c.Members[i]
		messages := slices.DeleteFunc(slices.Clone(waiting), func(d crew.Delivery) bool { return d.To != m.Name })
		if len(messages) == 0 {
			continue
		}
		most := c.Limits.Deliverable(messages)
		for _, d := range messages {
			if len(d.Text) > most {
				step.Events = append(step.Events, r.event(crew.Event{
					Type: crew.Guardrail, Reason: crew.MessageSize, From: d.From, To: d.To,
					Text: fmt.Sprintf("a message of %d bytes was cut to %d", len(d.Text), most),
				}))
			}
		}
		r.ask(step, m, crew.NextPrompt(c, c.Turn, last, messages))
		for _, d := range messages {
			d.Turn = c.Turn
			step.Taken = append(step.Taken, d)
		}
	}
	r.writers = nil
	for i := range step.Taken {
		r.given(&step.Taken[i])
	}
	r.past.Deliver(step.Taken)
	return "", r.apply(ctx, step)
}

// waiting returns the messages that wait. Messages to members that failed go back to their senders before, with that
// reason.
func (r *execution) waiting(ctx context.Context) ([]crew.Delivery, error) {
	for {
		waiting, err := r.o.Crews.Deliveries(ctx, r.c.ID, true)
		if err != nil {
			return nil, err
		}
		step := &crew.Step{Crew: r.c}
		for _, d := range waiting {
			dead := r.c.Member(d.To)
			if dead.Status != crew.Dead {
				continue
			}
			d.Turn = crew.Returned
			step.Taken = append(step.Taken, d)
			if d.From == crew.System {
				continue
			}
			step.Events = append(step.Events, r.event(crew.Event{
				Type: crew.Guardrail, Reason: crew.DeadMember, From: d.From, To: d.To,
				Text: "the message was not delivered: " + dead.Error,
			}))
			r.tellFailed(step, d.From, dead, "was not delivered")
		}
		if len(step.Taken) == 0 {
			return waiting, nil
		}
		if err := r.apply(ctx, step); err != nil {
			return nil, err
		}
	}
}

// tellFailed reports to a member that wrote to another that its message failed. The events report it to the user and
// the crew itself.
func (r *execution) tellFailed(step *crew.Step, writer string, failed *crew.Member, became string) {
	if m := r.c.Member(writer); m != nil && m.Status != crew.Dead {
		step.Events = append(step.Events, r.notice(writer, fmt.Sprintf(
			"%s failed (%s) and cannot answer any more. Your message to it %s. Continue without it.", failed.Name,
			failed.Error, became)))
	}
}

// ask adds the turn of a member to a step.
func (r *execution) ask(step *crew.Step, m *crew.Member, prompt string) {
	ask := &crew.Ask{Turn: r.c.Turn, Member: m.Name, Prompt: prompt, State: crew.Open}
	r.asks = append(r.asks, ask)
	step.Asks = append(step.Asks, ask)
}

// reasonOf is the guardrail of an event where the crew does not end yet.
func reasonOf(reason crew.Reason) crew.Reason {
	if reason == "" {
		return crew.PingPong
	}
	return reason
}

// judge returns why the crew ends after its last turn; empty if it continues. Last is true if the next turn is the
// last one of the talking members, and detail is the finding of a guardrail.
func (r *execution) judge(waiting []crew.Delivery) (reason crew.Reason, last bool, detail string) {
	c, limits := r.c, &r.c.Limits
	cost, _ := c.CostUSD()
	talk, a, b := r.past.PingPong(c.Turn)
	if !crew.OnlyPair(waiting, a, b) {
		talk = 0
	}
	stalled := r.past.Stalled(c.Turn)
	switch {
	case c.AllDead():
		return crew.AllDead, false, ""
	case len(waiting) == 0:
		return crew.Converged, false, ""
	case r.past.OnlyNotices(c.Turn) && !slices.ContainsFunc(waiting, func(d crew.Delivery) bool {
		return d.From != crew.System
	}):
		return crew.NoProgress, false, "only agents that failed are written to"
	case limits.CostUSD > 0 && cost >= limits.CostUSD:
		return crew.Cost, false, fmt.Sprintf("it cost $%.4f of $%.4f", cost, limits.CostUSD)
	case limits.NoProgress > 0 && stalled >= limits.NoProgress:
		return crew.NoProgress, false, fmt.Sprintf("no agent said anything new for %d turns", stalled)
	case limits.PingPong > 0 && talk >= limits.PingPong:
		return crew.PingPong, false, fmt.Sprintf("%s and %s talked to each other alone for %d turns", a, b, talk)
	case c.Turn >= limits.MaxTurns:
		return crew.MaxTurns, false, fmt.Sprintf("%d turns are over; messages that wait: %d", limits.MaxTurns,
			len(waiting))
	case limits.PingPong > 1 && talk == limits.PingPong-1:
		return "", true, fmt.Sprintf("%s and %s talked to each other alone for %d turns; the next is their last", a, b,
			talk)
	}
	return "", false, ""
}

// askAll asks the members of a turn at once, and records each answer as it comes. It returns why the crew must end;
// empty if it continues.
func (r *execution) askAll(ctx context.Context, open []*crew.Ask) (crew.Reason, error) {
	step := &crew.Step{Crew: r.c}
	for _, ask := range open {
		if ask.State != crew.Open {
			continue
		}
		m := r.c.Member(ask.Member)
		m.Status, ask.Started = crew.Active, r.o.Now().UTC()
		step.Members, step.Asks = append(step.Members, m), append(step.Asks, ask)
		step.Events = append(step.Events, r.event(crew.Event{
			Type: crew.StatusChanged, From: m.Name,
			Status: crew.Active,
		}))
	}
	if err := r.apply(ctx, step); err != nil {
		return crew.Error, err
	}
	t := &turn{run: r, open: open}
	// What is asked is put together before the first answer can change it.
	questions := core.Map(step.Asks, func(ask *crew.Ask) Turn { return r.question(ctx, ask) })
	var asked sync.WaitGroup
	for i, ask := range step.Asks {
		asked.Go(func() {
			answer, err := r.answer(ctx, questions[i])
			t.settle(ctx, ask, answer, err)
		})
	}
	if len(step.Asks) == 0 {
		t.settle(ctx, nil, nil, nil)
	}
	asked.Wait()
	return t.reason, t.failure
}

// question returns the prompt of a member.
func (r *execution) question(ctx context.Context, ask *crew.Ask) Turn {
	m := *r.c.Member(ask.Member)
	return Turn{Member: &m, Ask: *ask, Past: r.answered(ask.Member), Began: func(relay string) error {
		r.mu.Lock()
		defer r.mu.Unlock()
		ask.Relay = relay
		return r.apply(ctx, &crew.Step{Crew: r.c, Asks: []*crew.Ask{ask}})
	}}
}

// answered are the turns that a member answered.
func (r *execution) answered(name string) []crew.Ask {
	var past []crew.Ask
	for _, ask := range r.asks {
		if ask.Member == name && ask.State == crew.Routed {
			past = append(past, *ask)
		}
	}
	return past
}

// turn is one turn while its members answer.
type turn struct {
	run  *execution
	open []*crew.Ask
	// reason is why the crew must end, failure what could not be recorded.
	reason  crew.Reason
	failure error
}

// settle records the answer of a member, and the messages of all whose predecessors are settled:
// they come in the order of the members, not of the answers.
func (t *turn) settle(ctx context.Context, ask *crew.Ask, answer *Answer, err error) {
	t.run.mu.Lock()
	defer t.run.mu.Unlock()
	step := &crew.Step{Crew: t.run.c}
	if ask != nil {
		if ctx.Err() != nil && err != nil {
			return
		}
		t.take(step, ask, answer, err)
	}
	for _, next := range t.open {
		if next.State == crew.Open {
			break
		}
		if next.State == crew.Answered {
			t.route(step, next)
		}
	}
	if err := t.run.apply(ctx, step); err != nil && t.failure == nil {
		t.failure = err
		t.run.cancel(err)
	}
}

// take notes what a member answered, or that it failed.
func (t *turn) take(step *crew.Step, ask *crew.Ask, answer *Answer, err error) {
	m := t.run.c.Member(ask.Member)
	step.Members = append(step.Members, m)
	e := core.AsError(err)
	switch {
	case e.HasCode(core.BudgetExceeded):
		// No agent was asked; the turn is open when there is money again.
		m.Status, t.reason = crew.Idle, crew.Cost
		step.Events = append(step.Events, t.run.event(crew.Event{
			Type: crew.Guardrail, Reason: crew.Cost, From: m.Name, Text: e.Error(),
		}))
		return
	case e != nil:
		m.Status, m.Error, m.ErrorCode = crew.Dead, e.Error(), e.Code
		ask.State, ask.Ended = crew.Broken, t.run.o.Now().UTC()
		step.Asks = append(step.Asks, ask)
		step.Events = append(step.Events,
			t.run.event(crew.Event{Type: crew.Failure, From: m.Name, Text: e.Error(), Code: e.Code}),
			t.run.event(crew.Event{Type: crew.StatusChanged, From: m.Name, Status: crew.Dead}))
		for _, writer := range t.run.writers[m.Name] {
			t.run.tellFailed(step, writer, m, "was not answered")
		}
		return
	}
	m.Status = crew.Idle
	charge(m, answer)
	ask.State, ask.Answer, ask.Ended = crew.Answered, answer.Text, t.run.o.Now().UTC()
	step.Asks = append(step.Asks, ask)
	step.Events = append(step.Events, t.run.event(crew.Event{
		Type: crew.StatusChanged, From: m.Name,
		Status: crew.Idle,
	}))
}

// route puts the messages and notes of an answer on record.
func (t *turn) route(step *crew.Step, ask *crew.Ask) {
	c, m := t.run.c, t.run.c.Member(ask.Member)
	read := crew.Parse(ask.Answer, c.Names())
	for _, said := range read.Messages {
		event := t.run.event(crew.Event{Type: crew.Message, From: m.Name, To: said.To, Text: said.Text})
		if said.To != crew.User {
			event.Recipients = recipients(c, m.Name, said.To)
		}
		m.Messages++
		step.Events = append(step.Events, event)
	}
	if read.Notes != "" {
		step.Events = append(step.Events, t.run.event(crew.Event{Type: crew.Note, From: m.Name, Text: read.Notes}))
	}
	for _, name := range read.Unknown {
		step.Events = append(step.Events, t.run.event(crew.Event{
			Type: crew.Guardrail, Reason: crew.UnknownName, From: m.Name, Text: fmt.Sprintf("no agent is named "+
				"%q", name),
		}), t.run.notice(m.Name, fmt.Sprintf("No member of this crew is named %q; your message to it was not "+
			"delivered.", name)))
	}
	ask.State = crew.Routed
	t.run.past.Answer(ask)
	if !slices.Contains(step.Asks, ask) {
		step.Asks = append(step.Asks, ask)
	}
	if !slices.Contains(step.Members, m) {
		step.Members = append(step.Members, m)
	}
}

// notice is a message of the crew itself.
func (r *execution) notice(to, text string) crew.Event {
	return r.event(crew.Event{
		Type: crew.Message, From: crew.System, To: to, Text: text, Recipients: []string{to},
	})
}
