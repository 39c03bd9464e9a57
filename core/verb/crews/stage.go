package crews

import (
	"cmp"
	"context"
	"slices"

	"cupola/core"
	"cupola/core/git/worktree"
	"cupola/core/record/store"
	"cupola/core/run/crew"
	"cupola/core/run/crew/headless"
	"cupola/core/run/crew/orchestrator"
	"cupola/core/run/crew/panes"
	"cupola/core/run/relay"
	"cupola/core/verb"
	"cupola/core/verb/registry"
	"cupola/core/verb/relays"
)

// dryID takes the place of the id of a crew that is not made.
const dryID = "ID"

// Stage opens the stage of a crew; relays is the directory of those that ask its agents.
func Stage(ctx context.Context, env *verb.Env, relays string, c *crew.Crew) (orchestrator.Stage, error) {
	if c.Stage == crew.Panes {
		return panesStage(ctx, env, c)
	}
	here, err := headlessStage(env, relays)
	if err != nil || !slices.ContainsFunc(c.Members, onOtherHost) {
		return here, err
	}
	return &remoteStage{Stage: here, env: env}, nil
}

// Asked says how each agent of a crew would be asked. It fails if one cannot be, and starts nothing.
func Asked(ctx context.Context, env *verb.Env, relays string, c *crew.Crew) ([]PlannedAgent, error) {
	if c.Stage == crew.Panes {
		return planPanes(ctx, env, c)
	}
	return planHeadless(ctx, env, relays, c)
}

// panesStage asks in the panes of a session, which it opens.
func panesStage(ctx context.Context, env *verb.Env, c *crew.Crew) (orchestrator.Stage, error) {
	f, err := env.Fleet()
	if err != nil {
		return nil, err
	}
	records, err := env.WriteStore(ctx)
	if err != nil {
		return nil, err
	}
	return panes.Open(ctx, c, panes.Options{
		Fleet: f, Prompt: store.PromptsIn(records).One, Now: env.Now, Progress: env.Progress,
	})
}

// headlessStage asks with relays that are on record in a directory. What they use is counted with that of all relays.
func headlessStage(env *verb.Env, dir string) (*headless.Stage, error) {
	settings := env.Settings()
	runner, err := relays.RunnerOf(&env.Local, settings)
	if err != nil {
		return nil, err
	}
	runner.Directory = relay.Directory{Dir: dir, Usage: runner.Directory.UsageFile(), Changed: env.Runs.Changed}
	runner.Afford = func(ctx context.Context) error {
		if env.Afford == nil {
			return nil
		}
		return env.Afford(ctx)
	}
	return &headless.Stage{Runner: runner, Quiet: settings.Relay.Quiet}, nil
}

// onStage puts in place what the stage decides: the session, and that panes hold agents to no sandbox mode.
func (in CrewRunIn) onStage(env *verb.Local, c *crew.Crew, sandbox string) error {
	if in.DryRun {
		c.ID = dryID
	}
	switch {
	case c.Stage != crew.Panes && in.SessionName != "":
		return registry.Conflict("--session-name", "--stage=headless", "Only panes are in a session.")
	case c.Stage != crew.Panes:
		return nil
	case in.Sandbox != "" && !panes.Holds(in.Sandbox):
		return registry.Conflict("--sandbox", "--stage=panes", panes.Guarantee)
	case in.SessionName != "":
		if err := core.CheckSessionName(in.SessionName); err != nil {
			return err
		}
		c.Session = in.SessionName
	}
	c.Session, c.Sandbox = c.Group(), cmp.Or(in.Sandbox, sandbox)
	if c.Sandbox != "" && !panes.Holds(c.Sandbox) {
		c.Sandbox = ""
		env.Warn("in panes the sandbox mode " + sandbox + " of the recipe does not hold: each agent asks in its " +
			"pane, as its own permission settings say")
	}
	return nil
}

// plan says how each agent would be asked, and what makes the worktrees of all; nil without any. It fails if
// one cannot be asked, and starts and makes nothing.
func plan(ctx context.Context, env *verb.Env, c *crew.Crew) (planned []PlannedAgent, _ *worktree.Making, err error) {
	planned, err = Asked(ctx, env, Directory(&env.Local).Relays(c.ID), c)
	if err != nil || !c.Worktrees {
		return planned, nil, err
	}
	making, err := worktree.Prepare(ctx, c.Dir, verb.Trees(&env.Local))
	if err != nil {
		return nil, nil, err
	}
	for i, label := range c.Labels() {
		if onOtherHost(c.Members[i]) {
			continue
		}
		added, err := making.Add(ctx, c.Group(), label)
		if err != nil {
			return nil, nil, err
		}
		c.Members[i].Dir, planned[i].Branch = added.Dir, added.Branch
		planned[i].Dir = c.Members[i].Dir
	}
	err = making.Check(ctx)
	return planned, making, err
}

func planHeadless(ctx context.Context, env *verb.Env, relays string, c *crew.Crew) ([]PlannedAgent, error) {
	stage, err := headlessStage(env, relays)
	if err != nil {
		return nil, err
	}
	planned := make([]PlannedAgent, len(c.Members))
	for i := range c.Members {
		m := &c.Members[i]
		prompt := crew.FirstPrompt(c, m)
		if onOtherHost(*m) {
			if planned[i], err = planRemote(ctx, env, c, m); err != nil {
				return nil, err
			}
			continue
		}
		p, err := stage.Plan(ctx, c, orchestrator.Turn{Member: m, Ask: crew.Ask{Prompt: prompt}})
		if err != nil {
			return nil, err
		}
		m.Backend = p.Backend
		planned[i] = PlannedAgent{
			Name: m.Name, Backend: p.Backend, Model: p.Model, Dir: m.Dir, Guarantee: p.Guarantee, Prompt: prompt,
		}
	}
	return planned, nil
}

func planPanes(ctx context.Context, env *verb.Env, c *crew.Crew) ([]PlannedAgent, error) {
	f, err := env.Fleet()
	if err != nil {
		return nil, err
	}
	opened, err := panes.Plan(ctx, f, c)
	if err != nil {
		return nil, err
	}
	planned := make([]PlannedAgent, len(c.Members))
	for i := range c.Members {
		m := &c.Members[i]
		m.Backend = string(opened[i].Kind)
		planned[i] = PlannedAgent{
			Name: m.Name, Backend: m.Backend, Model: m.Model, Dir: m.Dir, Pane: opened[i].Address(),
			Guarantee: panes.Guarantee, Prompt: crew.FirstPrompt(c, m),
		}
	}
	return planned, nil
}
