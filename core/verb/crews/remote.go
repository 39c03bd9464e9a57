package crews

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"cupola/core"
	"cupola/core/host"
	"cupola/core/run/crew"
	"cupola/core/run/crew/headless"
	"cupola/core/run/crew/orchestrator"
	"cupola/core/run/relay"
	"cupola/core/verb"
	"cupola/core/verb/registry"
	"cupola/core/verb/remote"
)

// onOtherHost reports whether a member works on another host: its backend is HOST/BACKEND.
func onOtherHost(m crew.Member) bool { return strings.Contains(m.Backend, "/") }

// hostOf returns the host of a member on another host, and its backend there.
func hostOf(ctx context.Context, env *verb.Env, m *crew.Member) (*host.Host, string, error) {
	name, backend, _ := strings.Cut(m.Backend, "/")
	if name == "" || backend == "" {
		return nil, "", &core.Error{
			Code: core.InvalidInput, Message: fmt.Sprintf("%q names no agent of another host", m.Backend),
			Hint: "Write role:HOST/backend, such as reviewer:gpu1/claude.",
		}
	}
	known, err := env.Network.Known(ctx)
	if err != nil {
		return nil, "", err
	}
	chosen, err := known.Select(name)
	switch {
	case err != nil:
		return nil, "", err
	case len(chosen) != 1 || chosen[0] == nil:
		return nil, "", core.Errorf(core.InvalidInput, "%q names no agent of one other host", m.Backend)
	}
	return chosen[0], backend, nil
}

// remoteStage asks members of other hosts by relays there, and the others on this machine.
type remoteStage struct {
	*headless.Stage
	env *verb.Env
}

// Ask asks a member. A turn of a run that was cut off is asked for with the key that it had, so that its answer is not
// made twice.
func (s *remoteStage) Ask(ctx context.Context, c *crew.Crew, turn orchestrator.Turn) (*orchestrator.Answer, error) {
	if !onOtherHost(*turn.Member) {
		return s.Stage.Ask(ctx, c, turn)
	}
	h, backend, err := hostOf(ctx, s.env, turn.Member)
	if err != nil {
		return nil, err
	}
	if earlier := turn.Ask.Relay; earlier != "" {
		answer, err := s.relay(ctx, c, &turn, h, backend, earlier)
		if lost := (*host.Fault)(nil); err == nil || ctx.Err() != nil || errors.As(err, &lost) {
			return answer, err // what became of it is not known
		}
	}
	key := remote.NewKey()
	if err := turn.Began(key); err != nil {
		return nil, err
	}
	return s.relay(ctx, c, &turn, h, backend, key)
}

// relay asks once for each key. The conversation on the host has the name of the crew and of the member.
func (s *remoteStage) relay(ctx context.Context, c *crew.Crew, turn *orchestrator.Turn, h *host.Host, backend,
	key string,
) (*orchestrator.Answer, error) {
	m := turn.Member
	input := map[string]any{
		"prompt": turn.Ask.Prompt, "to": []any{backend}, "label": c.Group() + "-" + c.Label(m.Name),
		"no-include-diff": true,
	}
	for name, value := range map[string]string{"model": m.Model, "sandbox": c.Sandbox, "repo": m.Dir} {
		if value != "" {
			input[name] = value
		}
	}
	if limit := c.Limits.TurnTimeout; limit > 0 {
		input["timeout"] = limit.String()
	}
	var answer struct{ Results []relay.Record }
	if err := callOn(ctx, s.env, h, "relay", input, key, &answer); err != nil {
		return nil, err
	}
	if len(answer.Results) != 1 {
		return nil, core.Errorf(core.DecodeFailed, "host %s gave no answer", h.Name)
	}
	record := &answer.Results[0]
	return &orchestrator.Answer{
		Text: record.Text, Model: record.Model, Used: record.Used, CostUSD: record.CostUSD,
		CostKnown: record.CostKnown(),
	}, nil
}

// callOn calls a verb on a host, once for each key; an empty key makes one.
func callOn(ctx context.Context, env *verb.Env, h *host.Host, name string, input map[string]any, key string,
	into any,
) error {
	called := env.Catalog.Find(name)
	in, err := registry.Fill(called, input)
	if err != nil {
		return err
	}
	client := &remote.Client{Catalog: env.Catalog, Open: env.Network.Open, Form: host.Document, Key: key, Now: env.Now}
	return client.Read(ctx, called, h, in, into)
}

// planRemote asks the host of a member how it would ask.
func planRemote(ctx context.Context, env *verb.Env, c *crew.Crew, m *crew.Member) (PlannedAgent, error) {
	h, backend, err := hostOf(ctx, env, m)
	if err != nil {
		return PlannedAgent{}, err
	}
	planned := PlannedAgent{
		Name: m.Name, Backend: m.Backend, Model: m.Model, Dir: m.Dir, Prompt: crew.FirstPrompt(c, m),
	}
	input := map[string]any{
		"prompt": planned.Prompt, "to": []any{backend}, "dry-run": true, "no-include-diff": true, "sandbox": c.Sandbox,
	}
	var answer struct{ Planned []relay.Plan }
	if err := callOn(ctx, env, h, "relay", input, "", &answer); err != nil {
		return PlannedAgent{}, err
	}
	for i := range answer.Planned {
		planned.Guarantee = answer.Planned[i].Guarantee
		if planned.Dir == "" {
			planned.Dir = answer.Planned[i].Dir
		}
	}
	return planned, nil
}

// bringBranches brings the branch that was asked for to the hosts of members on other hosts, which then work in it.
func (in *CrewRunIn) bringBranches(ctx context.Context, env *verb.Env, c *crew.Crew) error {
	if in.Branch == "" {
		return nil
	}
	if err := in.Depart(ctx, env, "crew-run", func() any { return *in }, false); err != nil {
		return err
	}
	brought := map[string]string{}
	for i := range c.Members {
		m := &c.Members[i]
		if !onOtherHost(*m) {
			continue
		}
		h, _, err := hostOf(ctx, env, m)
		if err != nil {
			return err
		}
		if brought[h.Name] == "" {
			var answer struct{ Dir string }
			input := map[string]any{"branch": in.Branch, "repository": in.Repository}
			if err := callOn(ctx, env, h, "checkout", input, "", &answer); err != nil {
				return err
			}
			brought[h.Name] = answer.Dir
		}
		m.Dir = brought[h.Name]
	}
	if len(brought) == 0 {
		return core.Errorf(core.InvalidInput, "--branch is for agents of other hosts, and there are none")
	}
	return nil
}
