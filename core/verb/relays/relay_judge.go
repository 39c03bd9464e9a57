package relays

import (
	"context"
	"fmt"
	"strings"

	"cupola/core"
	"cupola/core/run/relay"
	"cupola/core/verb"
)

// RelayJudge sees whether an answer has the form that was asked for. The zero value takes any.
type RelayJudge struct {
	verdict bool
	schema  *relay.Schema
}

func (in RelayIn) judge(env *verb.Local) (*RelayJudge, error) {
	judge := &RelayJudge{verdict: in.Verdict}
	if in.Schema == "" {
		return judge, nil
	}
	var err error
	judge.schema, err = relay.ReadSchema(verb.Absolute(env.Dir, in.Schema))
	return judge, err
}

// demand adds to a request what the answer must look like.
func (j *RelayJudge) demand(request *relay.Request) {
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
func (j *RelayJudge) read(out *Answer) error {
	switch {
	case j.verdict:
		verdict, err := relay.ReadVerdict(out.Text)
		if err == nil {
			out.take(verdict)
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

// judged reads the answer that came. One that does not fit a schema is asked for once more; what is
// still none then, or no verdict, is an error.
func (c *Call) judged(ctx context.Context, plan *relay.Plan, out *Answer) error {
	why := c.Judge.read(out)
	if why != nil {
		c.reject(ctx, out, why)
	}
	if why != nil && c.Judge.schema != nil {
		again, err := c.again(ctx, plan, out, why)
		if err != nil {
			return err
		}
		if why = c.Judge.read(again); why == nil {
			again.Repaired = true
			*out = *again
		} else {
			c.reject(ctx, again, why)
		}
	}
	if why == nil {
		return nil
	}
	return unfit(plan.Backend, why)
}

// unfit is the error of an answer without the form that was asked for.
func unfit(backend string, why error) *core.Error {
	return &core.Error{
		Code: core.DecodeFailed, Err: why,
		Message: fmt.Sprintf("the answer of %s has not the form that was asked for: %v", backend, why),
		Hint:    "The answer as it came is in the results of the details: ask again, or ask another backend.",
	}
}

// reject puts on record that an answer cannot be used.
func (c *Call) reject(ctx context.Context, out *Answer, why error) {
	record, err := c.Runner.Directory.Reject(context.WithoutCancel(ctx), out.ID, unfit(out.Backend, why))
	if err != nil {
		c.Env.Log.Warn("a relay that failed is on record as done", "relay", out.ID, "error", err)
		return
	}
	out.Record = *record
}

// again asks for an answer in the form that the last one lacks.
func (c *Call) again(ctx context.Context, plan *relay.Plan, out *Answer, why error) (*Answer, error) {
	if err := c.afford(ctx); err != nil {
		return nil, err
	}
	request := relay.Request{
		Prompt: fmt.Sprintf("%s\n\nAn earlier answer was:\n%s\n\nIt cannot be used: %s. Give the answer again, in the "+
			"form that was asked for.", plan.Prompt, out.Text, why),
		Backend: plan.Backend, Model: plan.Model, Sandbox: plan.Sandbox, Dir: plan.Dir, Timeout: plan.Timeout,
		Quiet: plan.Quiet, Panel: plan.Panel, Schema: plan.SchemaPath, Bare: true, Label: plan.Label,
	}
	repair, err := c.Runner.Plan(ctx, request)
	if err != nil {
		return nil, err
	}
	record, err := c.Runner.Ask(ctx, repair, c.Asked, nil)
	if err != nil {
		return nil, err
	}
	second := &Answer{Record: *record}
	second.add(out)
	return second, nil
}
