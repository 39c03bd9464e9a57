package setup

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"cupola/core"
	"cupola/core/config"
	"cupola/core/run/relay"
	"cupola/core/verb"
	"cupola/core/verb/advice"
	"cupola/core/verb/registry"
	"cupola/core/verb/relays"
	"cupola/core/verb/settings"
	"cupola/core/verb/tools"
)

// A test relay: what is asked, and how long the answer may take.
const (
	helloPrompt = "Say hello in one short sentence."
	helloWithin = 30 * time.Second
)

// relayStart is the environment of the steps of relays.
type relayStart struct {
	env *verb.Env
	// rows are all backends, ready those that can be asked: signed in ones first.
	rows, ready []relays.BackendRow
	// asks is true where a person chooses.
	asks bool
}

// relaySteps are the steps that make relays work.
func relaySteps(ctx context.Context, env *verb.Env, in setupIn) []setupStep {
	step := setupStep{Step: "relay", Does: "Choose the default backend of relays", State: stepOpen, Ours: true}
	settings := env.Settings()
	s := relayStart{env: env, asks: env.Pick != nil && !in.Given()}
	var err error
	if s.rows, err = relays.BackendRows(ctx, &env.Local, settings, tools.AskVersions); err != nil {
		step.Ours, step.Detail = false, core.AsError(err).Error()
		return []setupStep{step}
	}
	for i := range s.rows {
		if s.rows[i].Available {
			s.ready = append(s.ready, s.rows[i])
		}
	}
	slices.SortStableFunc(s.ready, func(a, b relays.BackendRow) int {
		return cmp.Compare(min(1, len(a.Doubt)), min(1, len(b.Doubt)))
	})
	s.choice(&step, settings)
	test := setupStep{
		Step: "relay-test", Does: "Ask the default backend of relays to say hello", State: stepOptional, Ours: true,
		named: true, last: true, Detail: "costs a few tokens",
	}
	if len(s.ready) == 0 {
		test.Ours, test.Detail = false, "no backend can be asked"
	} else {
		test.Command, test.do = "cupola setup --steps=relay-test --yes", s.sayHello
	}
	return []setupStep{step, test}
}

// choice fills in the step that chooses the default backend.
func (s *relayStart) choice(step *setupStep, settings *config.Config) {
	name, from := settings.Relay.Backend, settings.Origin(relayBackendKey)
	step.Path = s.env.Files().Of(config.User)
	switch {
	case len(s.ready) == 0:
		step.State, step.Ours = stepOptional, false
		step.Detail, step.Command = s.hints()
		return
	case from.Layer == config.Default:
		step.Detail = "none is chosen"
	case s.has(name):
		step.State, step.Detail = stepDone, fmt.Sprintf("%s, as %s says", name, from)
		return
	default:
		// What the user chose is replaced only if they say so.
		step.named, step.State = true, stepOptional
		step.Detail = fmt.Sprintf("%s cannot be asked now, as %s chose", name, from)
	}
	if len(s.ready) == 1 {
		step.Does = "Make " + s.ready[0].Backend + " the default backend of relays"
	}
	step.picks = s.asks && len(s.ready) > 1
	step.Command, step.do = fixDefault, s.choose
}

// has reports whether a backend can be asked.
func (s *relayStart) has(name string) bool {
	return slices.ContainsFunc(s.ready, func(r relays.BackendRow) bool { return r.Backend == name })
}

// hints says how to get a backend, and the nearest command: that for one which is there already.
func (s *relayStart) hints() (detail, command string) {
	var ways []string
	present := false
	for i := range s.rows {
		row := &s.rows[i]
		if row.Fix == "" {
			continue
		}
		ways = append(ways, row.Backend+": "+row.Fix)
		if command == "" || row.Present && !present {
			command = row.Fix
		}
		present = present || row.Present
	}
	return "no backend can be asked; " + strings.Join(ways, "; "), command
}

// choose writes the default backend into the user's settings: the one that a person picks, or the
// first.
func (s *relayStart) choose(ctx context.Context, step *setupStep) error {
	name := s.ready[0].Backend
	if step.picks {
		choices := make([]registry.Choice, len(s.ready))
		for i := range s.ready {
			row := &s.ready[i]
			about := row.Detail
			if row.Doubt != "" {
				about += "; " + row.Doubt
			}
			choices[i] = registry.Choice{Name: row.Backend, About: about, Usual: true}
		}
		picked, err := s.env.Pick(ctx, "Which backend answers a relay that names none?", choices)
		if err != nil || picked == "" {
			return err
		}
		name = picked
	}
	if err := settings.Apply(config.Set(s.env.Files(), config.User, relayBackendKey, []string{name})); err != nil {
		return err
	}
	step.finish(name)
	settings := s.env.Settings()
	if settings.Relay.Backend != name {
		s.env.Warn(fmt.Sprintf("the default backend stays %s, as %s says", settings.Relay.Backend,
			settings.Origin(relayBackendKey)))
	}
	return nil
}

// sayHello asks the default backend. A failure is a warning, because the rest of Cupola works
// without relays.
func (s *relayStart) sayHello(ctx context.Context, step *setupStep) error {
	name, answer, err := s.hello(ctx)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		e := advice.Complete(err)
		step.State, step.Detail = stepFailed, e.Error()
		step.Command = lookAtRelay
		s.env.Warn(fmt.Sprintf("the test relay to %s failed: %s. %s", name, strings.TrimSuffix(e.Error(), "."),
			cmp.Or(e.Hint, "'"+lookAtRelay+"' shows what can be asked.")))
	default:
		step.finish(fmt.Sprintf("%s says: %s", name, strings.Join(strings.Fields(answer), " ")))
	}
	return nil
}

// hello asks the default backend to say hello, with the most careful sandbox.
func (s *relayStart) hello(ctx context.Context) (name, answer string, err error) {
	settings := s.env.Settings()
	name = settings.Relay.Backend
	runner, err := relays.RunnerOf(&s.env.Local, settings)
	if err != nil {
		return name, "", err
	}
	request := relay.Request{
		Prompt: helloPrompt, Bare: true, Backend: name, Sandbox: relay.ReadOnly, Dir: s.env.Dir, Timeout: helloWithin,
	}
	for i := range s.ready {
		if row := &s.ready[i]; row.Backend == name && row.Model == "" && len(row.Models) > 0 {
			request.Model = row.Models[0]
		}
	}
	plan, err := runner.Plan(ctx, request)
	if err != nil {
		return name, "", err
	}
	call := &relays.Call{Env: s.env, Runner: runner, Asked: helloPrompt, Judge: &relays.RelayJudge{}}
	out, err := call.One(ctx, plan)
	if err != nil {
		return name, "", err
	}
	return name, out.Results[0].Text, nil
}
