// Package setup declares the verbs that set Cupola up and check what it uses.
package setup

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"cupola/core"
	"cupola/core/agent/plugin"
	"cupola/core/config"
	"cupola/core/engine"
	"cupola/core/text/report"
	"cupola/core/verb"
	"cupola/core/verb/registry"
	"cupola/core/verb/settings"
	"cupola/core/verb/tools"
)

type setupIn struct {
	Steps   []string `help:"Only these steps, by name (default: every open step)"`
	Service bool     `help:"The step service: run 'cupola serve' while you are signed in"`
	registry.Consent
}

type setupOut struct {
	// Ready is true if agents can be started: there is tmux, and an agent.
	Ready bool `json:"ready"`
	// Steps has a row for each step, in the order in which they are done.
	Steps []setupStep `json:"steps"`
	// Open counts the steps that are still to be done, Done those done by this call.
	Open int `json:"open"`
	Done int `json:"done"`
}

// setupStep is a part of setting Cupola up.
type setupStep struct {
	_ struct{} `minimal:"step,state" standard:"step,state,ours,does,detail,command"`
	_ struct{} `table:"STEP,STATE,WHAT IT DOES,HOW"`
	// Step names it: tmux, agent-KIND, hooks-KIND, config, relay, relay-test or service.
	Step string `json:"step" table:"STEP,strong"`
	// Does is its effect in words.
	Does string `json:"does" table:"WHAT IT DOES,flex"`
	// State is done or open; optional where nothing is lost without it, failed where a test failed.
	State string `json:"state" table:"STATE,word"`
	// Ours is true for what --yes does; the user does everything else.
	Ours    bool   `json:"ours"`
	Path    string `json:"path,omitempty"`
	Detail  string `json:"detail,omitempty"`
	Command string `json:"command,omitempty" names:"command" table:"HOW,code"`
	// Changed is true if this call did it.
	Changed bool `json:"changed"`

	// do does it, and says in the step what became of it; nil where Cupola cannot.
	do func(ctx context.Context, step *setupStep) error
	// foreign is true where a file that is not Cupola's is changed.
	foreign bool
	// named is true for what consent to all does not include: it must be named, or a person agrees.
	named bool
	// picks is true where do itself asks a person, and last for what is asked about when all else
	// is done.
	picks, last bool
}

// change makes a step's action of a function that changes a file.
func change(apply func() error) func(context.Context, *setupStep) error {
	return func(_ context.Context, step *setupStep) error {
		if err := apply(); err != nil {
			return err
		}
		step.finish(step.Detail)
		return nil
	}
}

// finish says that this call did the step.
func (s *setupStep) finish(detail string) {
	s.State, s.Changed, s.Command, s.Detail = stepDone, true, "", detail
}

// The states of steps.
const (
	stepDone     = "done"
	stepOpen     = "open"
	stepOptional = "optional"
	stepFailed   = "failed"
)

// stepService names the step that is done only if it is asked for.
const stepService = "service"

var setup = registry.Define(registry.Spec[*verb.Env, setupIn, setupOut]{
	Name: "setup", Group: verb.GroupSetup, Short: "Set up agents, hooks and settings",
	Long: "On a terminal it asks before each step. Programs are never asked: they get the steps with their commands, " +
		"and --yes carries out the open ones. Running it again changes nothing. The default backend of relays is " +
		"chosen among those that can be asked; --yes takes the first, in the order of 'cupola backends', of those " +
		"that are signed in or else of all. --steps=relay-test asks it to say hello. --service writes a " +
		"systemd unit or a launchd file that runs 'cupola serve'.",
	Scope: registry.Global, Effect: registry.Destroys, List: "steps",
	Examples: []string{"", "--steps=config --yes", "--steps=relay --yes"},
	Errors:   []core.Code{core.ConfigInvalid, core.DecodeFailed, core.IOError, core.PermissionDenied, core.Conflict},
	Run:      runSetup,
}).SeeAlso("doctor", "backends")

func runSetup(ctx context.Context, env *verb.Env, in setupIn) (setupOut, error) {
	if in.Service {
		in.Steps = append(in.Steps, stepService)
	}
	steps, err := in.steps(ctx, env)
	if err != nil {
		return setupOut{}, err
	}
	names := core.Map(steps, func(step setupStep) string { return step.Step })
	if err := registry.CheckEnum("steps", in.Steps, names); err != nil {
		return setupOut{}, err
	}
	out := setupOut{Steps: steps}
	for _, last := range []bool{false, true} {
		todo, err := in.agreed(ctx, env, steps, last)
		if err != nil {
			return out, err
		}
		for i := range out.Steps {
			step := &out.Steps[i]
			if !slices.Contains(todo, step.Step) {
				continue
			}
			if err := step.do(ctx, step); err != nil {
				return out, err
			}
			if step.Changed {
				out.Done++
			}
		}
	}
	for i := range out.Steps {
		if out.Steps[i].State == stepOpen {
			out.Open++
		}
	}
	out.Ready = ready(out.Steps)
	return out, nil
}

// agreed returns the names of the steps to do now: with consent all that were asked for, else the ones that a person
// chooses. Last are asked about when the others are done.
func (in setupIn) agreed(ctx context.Context, env *verb.Env, steps []setupStep, last bool) ([]string, error) {
	var names, picked []string
	var choices []registry.Choice
	for _, step := range steps {
		named := slices.Contains(in.Steps, step.Step)
		if step.do == nil || step.last != last || len(in.Steps) > 0 && !named || in.Given() && step.named && !named {
			continue
		}
		names = append(names, step.Step)
		if step.picks {
			picked = append(picked, step.Step)
			continue
		}
		choices = append(choices,
			registry.Choice{Name: step.Step, Question: step.Does + "?", About: step.Path, Usual: !step.foreign})
	}
	switch {
	case in.Given():
		return names, nil
	case env.Choose == nil:
		return nil, nil
	case len(choices) == 0:
		return picked, nil
	}
	chosen, err := env.Choose(ctx, choices)
	return append(chosen, picked...), err
}

// ready reports whether there is all that an agent needs.
func ready(steps []setupStep) bool {
	agents := false
	for _, step := range steps {
		if step.Step == "tmux" && step.State == stepOpen {
			return false
		}
		agents = agents || strings.HasPrefix(step.Step, "agent-") && step.State == stepDone
	}
	return agents
}

// steps returns each step with its state.
func (in setupIn) steps(ctx context.Context, env *verb.Env) ([]setupStep, error) {
	steps := []setupStep{tmuxStep(ctx, env)}
	kinds := env.Kinds()
	found := map[core.Kind]bool{}
	var missing []setupStep
	for _, program := range kinds.Installables() {
		kind := program.Kind
		if kind.Screen != "" {
			continue // an adapter, for who wants it
		}
		row := tools.AgentTool(&env.Local, &program)
		step := setupStep{
			Step: "agent-" + row.Tool, Does: "Install " + row.Name, State: stepDone, Path: row.Path,
			Detail: "found",
		}
		if found[kind.ID] = row.Installed; row.Installed {
			steps = append(steps, step)
			continue
		}
		step.State, step.Detail, step.Command = stepOptional, "not found", row.Install
		missing = append(missing, step)
	}
	if len(steps) == 1 && len(missing) > 0 {
		// One of them is needed; which, is not for us to say.
		for i := range missing {
			missing[i].State = stepOpen
		}
	}
	steps = append(steps, missing...)
	plugins, err := env.Plugins()
	if err != nil {
		return nil, err
	}
	for _, p := range plugins {
		if found[p.Kind] && p.Supports(plugin.Hooks) {
			steps = append(steps, hooksStep(p))
		}
	}
	steps = append(append(steps, configStep(env)), relaySteps(ctx, env, in)...)
	return append(steps, serviceStep(env, slices.Contains(in.Steps, stepService))), nil
}

func tmuxStep(ctx context.Context, env *verb.Env) setupStep {
	step := setupStep{Step: "tmux", Does: "Install tmux 3.2 or later", State: stepDone}
	f, err := env.Fleet()
	if err == nil {
		info, asked := f.Overview.EngineInfo(ctx)
		step.Detail, err = info.Version, asked
		if err == nil && info.Program != engine.Tmux {
			step.State, step.Command = stepOptional, tools.InstallTmux()
			step.Detail = "not in use; Cupola's own terminal server is"
		}
	}
	if err != nil {
		step.State, step.Detail, step.Command = stepOpen, core.AsError(err).Error(), tools.InstallTmux()
	}
	return step
}

func hooksStep(p *plugin.Plugin) setupStep {
	step := setupStep{
		Step: "hooks-" + string(p.Kind), Does: "Install hooks into " + p.Name + ", so that it reports its own state",
		State: stepDone, Ours: true, Path: p.File,
	}
	status, err := p.Status()
	step.Detail = string(status.State)
	switch {
	case err != nil:
		step.State, step.Ours, step.Detail = stepOpen, false, core.AsError(err).Error()
	case status.State != plugin.Installed:
		step.State, step.Command = stepOpen, "cupola plugin-install "+string(p.Kind)+" --yes"
		step.foreign, step.do = true, change(func() error { return settings.Apply(p.Install()) })
	}
	return step
}

func configStep(env *verb.Env) setupStep {
	path := env.Paths.File()
	step := setupStep{
		Step: "config", Does: "Write a new settings file, with every default as a comment",
		State: stepDone, Ours: true, Path: path, Detail: "there",
	}
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		step.State, step.Detail, step.Command = stepOpen, "not there; the defaults hold", "cupola config-init"
		step.do = change(func() error { return settings.Apply(config.Init(env.Files(), false)) })
	}
	return step
}

// offers are the steps that can be done now.
func (out setupOut) offers() []setupStep {
	var offers []setupStep
	for _, step := range out.Steps {
		if step.do != nil && step.State == stepOpen {
			offers = append(offers, step)
		}
	}
	return offers
}

func (out setupOut) Next() []registry.Action {
	next := core.Map(out.offers(), func(step setupStep) registry.Action {
		return registry.Action{
			Action: step.Step, Description: step.Does, Command: "cupola setup --steps=" + step.Step + " --yes",
		}
	})
	if out.Ready {
		next = append(next, verb.NextAction("spawn", "Start a first session", "spawn", "demo", "--dry-run"))
	}
	return next
}

func (out setupOut) Report() *report.Report {
	r := report.TableOf(out.Steps, time.Time{}, "").Report()
	if len(out.offers()) > 0 {
		r.Next = append(r.Next, verb.Tip("do what is open and Cupola's to do", "setup", "--yes"))
	}
	if out.Ready {
		r.Next = append(r.Next, report.Tip{Command: "cupola", Does: "open the dashboard"})
	} else {
		r.Next = append(r.Next, report.Tip{Command: "cupola demo", Does: "try everything without an agent"})
	}
	return r
}

// Cell shows what was found where nothing is to be done.
func (s *setupStep) Cell(title string) (report.Cell, bool) {
	if title == "HOW" && s.Command == "" {
		return report.Toned(report.Dim, s.Detail), true
	}
	return report.Cell{}, false
}
