package command

import (
	"context"
	"fmt"
	"strings"

	"cupola/core"
	"cupola/core/relay"
)

// relayJudge sees whether an answer has the form that was asked for. The zero value takes any.
type relayJudge struct {
	verdict bool
	schema  *relay.Schema
}

func (in relayIn) judge(env *Env) (*relayJudge, error) {
	judge := &relayJudge{verdict: in.Verdict}
	if in.Schema == "" {
		return judge, nil
	}
	var err error
	judge.schema, err = relay.ReadSchema(absolute(env.Dir, in.Schema))
	return judge, err
}

// demand adds to a request what the answer must look like.
func (j *relayJudge) demand(request *relay.Request) {
	switch {
	case j.verdict && request.Review && strings.TrimSpace(request.Prompt) == "":
		request.Prompt = relay.ReviewPrompt + "\n\n" + relay.VerdictDemand
	case j.verdict:
		request.Prompt += "\n\n" + relay.VerdictDemand
	case j.schema != nil:
		request.Prompt += "\n\n" + j.schema.Demand()
	}
}

// read puts an answer into its form, and returns why it has none.
func (j *relayJudge) read(out *relayAnswer) error {
	switch {
	case j.verdict:
		verdict, err := relay.ReadVerdict(out.Text)
		if err == nil {
			out.Verdict = verdict
		}
		return err
	case j.schema != nil:
		value, err := j.schema.Read(out.Text)
		if err == nil {
			out.Value = value
		}
		return err
	}
	return nil
}

// judged reads an answer that came. One that does not fit a schema is asked for once more; what is
// still none then, or no verdict, is an error with the answer as it is.
func (c *relayCall) judged(ctx context.Context, plan *relay.Plan, out *relayOut) error {
	why := c.judge.read(&out.relayAnswer)
	if why != nil && c.judge.schema != nil {
		if again, err := c.again(ctx, plan, out, why); err != nil {
			return err
		} else if why = c.judge.read(&again.relayAnswer); why == nil {
			again.Repaired = true
			*out = *again
		}
	}
	if why == nil {
		return nil
	}
	e := core.Errorf(core.DecodeFailed, "the answer of %s has not the form that was asked for: %w", plan.Backend, why)
	e.Details = out.relayAnswer
	return e
}

// again asks for an answer in the form that the last one lacks.
func (c *relayCall) again(ctx context.Context, plan *relay.Plan, out *relayOut, why error) (*relayOut, error) {
	if err := c.afford(ctx); err != nil {
		return nil, err
	}
	request := relay.Request{
		Prompt: fmt.Sprintf("%s\n\nAn earlier answer was:\n%s\n\nIt cannot be used: %s. Give the answer again, in the "+
			"form that was asked for.", plan.Prompt, out.Text, why),
		Backend: plan.Backend, Model: plan.Model, Sandbox: plan.Sandbox, Dir: plan.Dir, Timeout: plan.Timeout,
		Quiet: plan.Quiet, Panel: plan.Panel, Schema: plan.SchemaPath, Bare: true,
	}
	repair, err := c.runner.Plan(ctx, request)
	if err != nil {
		return nil, err
	}
	record, err := c.runner.Ask(ctx, repair, c.asked, nil)
	if err != nil {
		return nil, err
	}
	second := relayOutOf(record)
	second.add(&out.relayAnswer)
	return &second, nil
}
