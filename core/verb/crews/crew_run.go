package crews

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"cupola/core"
	"cupola/core/git/worktree"
	"cupola/core/run/crew"
	"cupola/core/run/crew/orchestrator"
	"cupola/core/run/crew/recipe"
	"cupola/core/run/relay"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

// CrewRunIn is the input of the verb crew-run.
type CrewRunIn struct {
	Recipe       registry.NamedScript `arg:"1" lister:"crew-recipes" help:"The crew: the name of a recipe or its file; --agents names one without it"`
	Agents       []string             `alias:"agent" help:"The agents, as role:backend or role:backend:model, separated by commas; HOST/backend is one of another host"`
	Backends     []string             `lister:"backends" help:"Backends for the agents of a recipe that names none, in turn; the settings' one without it"`
	Prompt       string               `help:"The task; - reads it from standard input; a recipe's own without it"`
	Repo         registry.ReadPath    `help:"The directory that it is about; the current one without it"`
	Stage        string               `enum:"headless,panes" help:"Where the agents work: without a terminal, or each in a pane of a session, where you see it work and answer what it asks; a recipe's own, or headless, without it"`
	SessionName  string               `names:"new-session" help:"Name of the session with the panes (default: crew-ID)"`
	Worktrees    bool                 `help:"Give each agent its own git worktree and branch"`
	Shared       bool                 `help:"Let all agents work in one directory, also where the recipe gives them worktrees"`
	Sandbox      string               `raises:"danger-full-access=commands" help:"What the agents may do: read-only, workspace-write or danger-full-access; 'backends' says what each guarantees; in panes their own settings say it. A sandbox holds them too: NAME, or MODE+NAME"`
	MaxTurns     int                  `min:"1" help:"How many turns follow the first"`
	Timeout      time.Duration        `help:"How long the crew may take"`
	TurnTimeout  time.Duration        `help:"How long one answer may take"`
	MaxCost      string               `help:"How much the crew may cost, in USD (2.50)"`
	DashboardURL string               `flag:"dashboard-url" help:"Taken for the sake of others' command lines: the page of 'cupola serve' shows every crew"`
	verb.AtLimit
	verb.Branched
	Background bool `help:"Run in the background, and answer immediately with the id"`
	Stream     bool `help:"Answer with each event as it comes"`
	registry.Preview
}

var crewRun = registry.Define(registry.Spec[*verb.Env, CrewRunIn, CrewOut]{
	Name: "crew-run", Group: verb.GroupCrew, Doing: "starting",
	Short:   "Let several agents work on one task and talk to each other",
	Aliases: []string{"agentic run"},
	Long: "Every agent gets the task; then each is asked again when another wrote to it, until no one is " +
		"written to or a guardrail ends the crew. Lines that begin with @NAME: are messages, @all: goes to all, " +
		"@user: to you. " +
		"Every message is on record before it is delivered: 'crew resume' continues where a crew was cut off. With " +
		"--stage=panes you see each agent at work, and may approve, type and attach: a crew waits while an agent " +
		"waits for you. Its panes stay open, and keep working, when the crew ends or is stopped.",
	Scope: registry.Global, Effect: registry.Writes, List: "told_user",
	Examples: []string{
		"--agents=reviewer:claude,critic:codex --prompt='Review auth' --dry-run",
		"review --backends=claude,codex --dry-run",
	},
	Errors: runCodes,
	Run:    registry.Whole(runCrew),
	Stream: registry.Stream[*verb.Env, CrewRunIn, CrewOut]{Line: crewLine{}, Run: runCrew},
})

// runCodes are the errors of a crew that is to work.
var runCodes = append([]core.Code{
	core.ConfigInvalid, core.CredentialMissing, core.AuthFailed, core.RateLimited, core.BudgetExceeded,
	core.NetworkError, core.DecodeFailed, core.ToolNotFound, core.BackendFailed, core.ProjectNotFound,
	core.Conflict, core.Timeout, core.AlreadyExists, core.AgentNotFound, core.PaneNotFound, core.NotReady,
	core.DeliveryFailed, core.NotImplemented,
}, codes...)

// Check sees that it is said who works, in one way.
func (in CrewRunIn) Check() error {
	switch {
	case in.Recipe == "" && len(in.Agents) == 0:
		return registry.Missing("crew-run needs --agents or a recipe",
			"Usage: cupola crew run --agents ROLE:BACKEND,... --prompt TASK, or cupola crew run RECIPE", "--agents")
	case in.Recipe != "" && len(in.Agents) > 0:
		return registry.Conflict("--agents", string(in.Recipe), "A recipe names its agents.")
	case in.Recipe == "" && len(in.Backends) > 0:
		return registry.Conflict("--backends", "--agents", "Each agent names its backend: role:backend.")
	case in.CheckBranch() != nil:
		return in.CheckBranch()
	case in.Worktrees && in.Shared:
		return registry.Conflict("--worktrees", "--shared")
	case in.SessionName != "" && in.Stage == string(crew.Headless):
		return registry.Conflict("--session-name", "--stage=headless", "Only panes are in a session.")
	case in.Background && in.Stream:
		return registry.Conflict("--background", "--stream", "'crew replay --follow' shows a crew while it works.")
	}
	return nil
}

// Streaming reports whether the answer is to come piece by piece.
func (in CrewRunIn) Streaming() bool { return in.Stream && !in.DryRun && !in.Background }

// Live reports whether a person sees the crew while it works.
func (in CrewRunIn) Live() bool { return !in.DryRun && !in.Background }

func runCrew(ctx context.Context, env *verb.Env, in CrewRunIn, emit func(any) error) (CrewOut, error) {
	c, err := in.crew(&env.Local)
	if err != nil {
		return CrewOut{}, err
	}
	out := CrewOut{Crew: c, Outcome: []UserMessage{}, DryRun: in.DryRun}
	var trees *worktree.Making
	if in.DashboardURL != "" {
		env.Warn("--dashboard-url has no effect: the page of 'cupola serve' shows every crew")
	}
	if out.Planned, trees, err = plan(ctx, env, c); err != nil || in.DryRun {
		c.ID = ""
		return out, err
	}
	out.Planned = nil
	if err := in.bringBranches(ctx, env, c); err != nil {
		return CrewOut{}, err
	}
	if env.Afford != nil {
		if err := env.Afford(ctx); err != nil {
			return CrewOut{}, err
		}
	}
	o, err := orchestratorOf(ctx, env)
	if err != nil {
		return CrewOut{}, err
	}
	// A crew on record can be resumed, so its worktrees stay if anything fails later.
	if err := errors.Join(trees.Make(ctx), ctx.Err()); err != nil {
		return CrewOut{}, errors.Join(err, trees.Undo(context.WithoutCancel(ctx)))
	}
	if c.Stage == crew.Headless {
		if err := setUp(ctx, &env.Local, c); err != nil {
			return CrewOut{}, errors.Join(err, trees.Undo(context.WithoutCancel(ctx)))
		}
	}
	verb.WarnOfTrees(&env.Local, trees.Report())
	verb.WarnOfNetwork(&env.Local)
	if err := o.New(ctx, c); err != nil {
		return CrewOut{}, errors.Join(err, trees.Undo(context.WithoutCancel(ctx)))
	}
	if in.Background {
		return detach(ctx, &env.Local, o, c)
	}
	return carry(ctx, env, o, c, orchestrator.More{}, emit)
}

// setUp sets the worktrees of a crew up whose agents have no panes to show that.
func setUp(ctx context.Context, env *verb.Local, c *crew.Crew) error {
	options := verb.Trees(env)
	for i := range c.Members {
		if !c.Worktrees || onOtherHost(c.Members[i]) {
			continue
		}
		if err := options.SetUp(ctx, c.Members[i].Dir, func([]byte) {}); err != nil {
			return err
		}
	}
	return nil
}

// crew returns the crew of the recipe, the flags and the settings.
func (in CrewRunIn) crew(env *verb.Local) (*crew.Crew, error) {
	settings := env.Settings()
	err := settings.Need("crew")
	if err != nil {
		return nil, err
	}
	r := &recipe.Recipe{}
	if in.Recipe != "" {
		word := string(in.Recipe)
		if strings.ContainsRune(word, filepath.Separator) || strings.HasSuffix(word, ".toml") {
			word = verb.Absolute(env.Dir, word)
		}
		if r, err = recipe.Load(env.Paths.CrewRecipes(), word); err != nil {
			return nil, err
		}
	}
	c := &crew.Crew{
		ID: crew.NewID(), Recipe: r.Name, Prompt: cmp.Or(in.Prompt, r.Prompt), Dir: verb.Absolute(env.Dir, in.Repo),
		Stage:     cmp.Or(crew.Stage(in.Stage), r.Stage, crew.Headless),
		Worktrees: in.Worktrees || r.Worktrees && !in.Shared, Limits: r.Over(settings.Crew),
		Sandbox: string(relay.Sandbox(cmp.Or(in.Sandbox, r.Sandbox)).Or(relay.Sandbox(settings.Relay.Sandbox))),
	}
	if err := in.onStage(env, c, r.Sandbox); err != nil {
		return nil, err
	}
	if c.Prompt == "-" {
		if c.Prompt, err = env.Stdin(); err != nil {
			return nil, err
		}
	}
	if c.Prompt = strings.TrimSpace(c.Prompt); c.Prompt == "" {
		return nil, registry.Missing("a crew needs a task", "Give it with --prompt; --prompt=- reads standard input.",
			"--prompt")
	}
	if err := in.limit(c); err != nil {
		return nil, err
	}
	// A crew without turns or time would do nothing.
	usual := crew.DefaultLimits()
	c.Limits.MaxTurns = cmp.Or(c.Limits.MaxTurns, usual.MaxTurns)
	c.Limits.Timeout = cmp.Or(c.Limits.Timeout, usual.Timeout)
	wanted, err := in.wanted(r, settings.Relay.Backend)
	if err != nil {
		return nil, err
	}
	if c.Members, err = crew.NewMembers(wanted, crew.SeededPick(c.Prompt)); err != nil {
		return nil, err
	}
	if c.Stage == crew.Panes && slices.ContainsFunc(c.Members, onOtherHost) {
		return nil, core.Errorf(core.InvalidInput, "agents of other hosts work without panes: --stage=headless")
	}
	for i := range c.Members {
		if !onOtherHost(c.Members[i]) {
			c.Members[i].Dir = c.Dir
		}
	}
	return c, nil
}

// limit puts the limits of the flags in place.
func (in CrewRunIn) limit(c *crew.Crew) (err error) {
	limits := &c.Limits
	if limits.LimitPolicy, err = in.Policy(limits.LimitPolicy, c.Stage == crew.Panes); err != nil {
		return err
	}
	limits.MaxTurns, limits.Timeout = cmp.Or(in.MaxTurns, limits.MaxTurns), cmp.Or(in.Timeout, limits.Timeout)
	limits.TurnTimeout = cmp.Or(in.TurnTimeout, limits.TurnTimeout)
	if in.MaxCost != "" {
		limits.CostUSD, err = verb.Dollars("--max-cost", in.MaxCost)
	}
	return err
}

// wanted are the agents that are asked for.
func (in CrewRunIn) wanted(r *recipe.Recipe, usual string) ([]crew.MemberSpec, error) {
	wanted := make([]crew.MemberSpec, 0, len(in.Agents)+len(r.Agents))
	for _, word := range in.Agents {
		one, err := crew.ParseMemberSpec(word)
		if err != nil {
			return nil, err
		}
		wanted = append(wanted, one)
	}
	open := 0
	for _, a := range r.Agents {
		one := crew.MemberSpec{Role: a.Role, Backend: a.Backend, Model: a.Model, Brief: a.Brief}
		if one.Backend == "" && len(in.Backends) > 0 {
			one.Backend = in.Backends[open%len(in.Backends)]
			open++
		}
		one.Backend = cmp.Or(one.Backend, usual)
		wanted = append(wanted, one)
	}
	return wanted, nil
}

// detach runs a crew in the background.
func detach(
	ctx context.Context, env *verb.Local, o *orchestrator.Orchestrator, c *crew.Crew, flags ...string,
) (CrewOut, error) {
	argv := append([]string{env.Self, "--robot-format=json", "crew-resume", c.ID}, flags...)
	if err := o.Directory.Detach(ctx, c.ID, c.Dir, argv...); err != nil {
		return CrewOut{Crew: c, Outcome: []UserMessage{}}, err
	}
	started, err := o.Crews.Load(ctx, c.ID)
	if err != nil {
		return CrewOut{Crew: c, Outcome: []UserMessage{}}, err
	}
	started.Turn = max(0, started.Turn)
	if started.State == crew.Interrupted {
		started.State = crew.Running // its process has taken it up, and records that next
	}
	return CrewOut{Crew: started, Outcome: []UserMessage{}, Background: true}, nil
}

// carry runs a crew in this process, and shows its events.
func carry(
	ctx context.Context, env *verb.Env, o *orchestrator.Orchestrator, wanted *crew.Crew, more orchestrator.More,
	emit func(any) error,
) (CrewOut, error) {
	before, _ := wanted.CostUSD()
	var broken error
	c, err := o.Run(ctx, wanted.ID, more, func(event crew.Event) {
		switch {
		case emit == nil:
			progress(&env.Local, &event)
		case broken == nil:
			broken = emit(crewLine{Event: event})
		}
	})
	if c == nil {
		return CrewOut{}, err
	}
	out, unread := outOf(context.WithoutCancel(ctx), env, c)
	out.shown, out.carried, out.before = emit != nil, true, before
	for _, err := range []error{err, broken, unread} {
		if err != nil {
			return out, err
		}
	}
	return out, failure(out)
}

// progress reports to programs, which get one answer at the end, that the crew works.
func progress(env *verb.Local, e *crew.Event) {
	switch {
	case e.Type == crew.StatusChanged && e.Status == crew.Active:
		env.Progress.Report("crew", -1, "%s: turn %d, %s is asked", e.Crew, e.Turn, e.From)
	case e.Type == crew.TurnComplete:
		env.Progress.Report("crew", -1, "%s: turn %d is complete, messages that wait: %d", e.Crew, e.Turn, e.Pending)
	}
}
