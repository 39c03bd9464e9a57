package relays

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"cupola/core"
	"cupola/core/run/relay"
	"cupola/core/run/relay/stream"
	"cupola/core/verb/registry"
)

// panel asks several backends at once. All of them are planned before the first is asked.
func (c *Call) panel(ctx context.Context, request relay.Request, in RelayIn) (RelayOut, error) {
	if !in.DryRun {
		request.Panel = relay.NewPanel()
	}
	plans, err := c.plans(ctx, request, in.To)
	if err != nil {
		return RelayOut{}, err
	}
	if in.DryRun {
		return RelayOut{DryRun: true, Results: []Answer{}, Planned: plans}, nil
	}
	if err := c.afford(ctx); err != nil {
		return RelayOut{}, err
	}
	out := RelayOut{Results: make([]Answer, len(plans))}
	if in.Background {
		return c.panelInBackground(ctx, plans)
	}
	wait, end := c.waiting(ctx, in.To...)
	lines := &panelLines{call: c}
	failures := make([]error, len(plans))
	var asked sync.WaitGroup
	for i, plan := range plans {
		asked.Go(func() {
			record, err := c.Runner.Ask(ctx, plan, c.Asked, func(event relay.Event) {
				wait.heard(in.To[i], event)
				lines.pass(plan.Backend, event)
			})
			lines.flush(plan.Backend)
			one := Answer{Record: relay.Record{Backend: plan.Backend, State: relay.Failed}}
			if record != nil {
				one.Record = *record
			}
			if err == nil {
				err = c.judged(ctx, plan, &one)
			}
			if err != nil {
				one.Error, one.ErrorCode = err.Error(), core.AsError(err).Code
			}
			out.Results[i], failures[i] = one, err
		})
	}
	asked.Wait()
	end()
	out.shown = c.emit != nil && c.Env.Human && !c.Judge.verdict
	if c.Judge.verdict {
		out.Opinions = opinionsOf(out.Results)
	}
	return out, errors.Join(panelError(out, failures), lines.broken)
}

// plans plans the same request to several backends.
func (c *Call) plans(ctx context.Context, request relay.Request, names []string) ([]*relay.Plan, error) {
	plans := make([]*relay.Plan, len(names))
	for i, name := range names {
		request.Backend = name
		plan, err := c.Runner.Plan(ctx, request)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(plans[:i], func(p *relay.Plan) bool { return p.Backend == plan.Backend }) {
			return nil, registry.GivenTwice("--to", plan.Backend, name)
		}
		plans[i] = plan
	}
	return plans, nil
}

// plan plans a request to one backend, or to a panel with more than one round.
func (c *Call) plan(ctx context.Context, request relay.Request, in RelayIn) (*relay.Plan, error) {
	if !in.rounds() {
		return c.Runner.Plan(ctx, request)
	}
	if request.Review {
		// All rounds have the same prompt, so a backend's own review is none.
		request.Prompt = cmp.Or(strings.TrimSpace(request.Prompt), relay.ReviewPrompt)
	}
	members, err := c.plans(ctx, request, in.To)
	if err != nil {
		return nil, err
	}
	c.Runner.Afford = c.afford
	var chair *relay.Plan
	if request.Backend = in.Chair; in.Chair != "" {
		chair, err = c.Runner.Plan(ctx, request)
	}
	return relay.PlanRounds(members, in.Rank, chair), err
}

// panelLines passes on the events of several backends as they come. People get whole lines of their answers.
type panelLines struct {
	call *Call

	mu sync.Mutex
	// rest is the text of each backend whose line is not complete.
	rest   map[string]string
	broken error
}

func (l *panelLines) pass(backend string, event relay.Event) {
	if l.call.emit == nil || event.Type == stream.Done || event.Type == stream.Failed {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if event.Type == stream.Text && l.call.Env.Human {
		if l.rest == nil {
			l.rest = map[string]string{}
		}
		text := l.rest[backend] + event.Text
		whole := strings.LastIndexByte(text, '\n') + 1
		l.rest[backend], event.Text = text[whole:], text[:whole]
		if whole == 0 {
			return
		}
	}
	l.emit(relayLine{Event: event, Backend: backend})
}

// flush passes on what a backend has said of its last line.
func (l *panelLines) flush(backend string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if text := l.rest[backend]; text != "" {
		l.emit(relayLine{Event: relay.Event{Type: stream.Text, Text: text}, Backend: backend})
	}
}

func (l *panelLines) emit(line relayLine) {
	if l.broken == nil {
		l.broken = l.call.emit(line)
	}
}

func (c *Call) panelInBackground(ctx context.Context, plans []*relay.Plan) (RelayOut, error) {
	out := RelayOut{Results: make([]Answer, 0, len(plans)), Background: true}
	for _, plan := range plans {
		record, err := c.detach(ctx, plan)
		if err != nil {
			return out, err
		}
		out.Results = append(out.Results, Answer{Record: *record})
	}
	return out, nil
}

func opinionsOf(results []Answer) *relay.Opinions {
	names, verdicts := make([]string, len(results)), make([]*relay.Verdict, len(results))
	for i := range results {
		names[i], verdicts[i] = results[i].Backend, results[i].judged
	}
	return relay.Merge(names, verdicts)
}

// panelError is the error of a panel in which a backend failed, with all results.
func panelError(out RelayOut, failures []error) error {
	var failed []string
	var first *core.Error
	for i, err := range failures {
		if err != nil {
			failed = append(failed, out.Results[i].Backend)
			if first == nil {
				first = core.AsError(err)
			}
		}
	}
	if first == nil {
		return nil
	}
	return &core.Error{
		Code: first.Code, Message: fmt.Sprintf("%s failed: %s", strings.Join(failed, ", "), first.Error()),
		Hint: first.Hint, Details: out, Err: first,
	}
}
