package stories

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"cupola/core"
	"cupola/core/git/worktree"
	"cupola/core/run/crew"
	"cupola/core/run/crew/panes"
	"cupola/core/run/relay"
	"cupola/core/run/story"
	"cupola/core/run/story/loop"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

// StoryRunIn is the input of the verb story-run.
type StoryRunIn struct {
	ofChange
	Beads         bool              `help:"Work on the work items of the project, in the order of 'plan'"`
	Issues        registry.ReadPath `help:"Work on the open issues of a JSON file (gh issue list --json number,title,body,state)"`
	Agent         string            `help:"Who works: claude, codex, ...; the settings' backend without it" lister:"backends"`
	Model         string            `help:"The model; the agent's own choice without it"`
	Stage         string            `help:"Where the agents work: without a terminal, or each in a pane that you see" enum:"headless,panes" default:"headless"`
	SessionName   string            `names:"new-session" help:"Name of the session with the panes (default: story-CHANGE)"`
	Sandbox       string            `raises:"danger-full-access=commands" help:"What the agents may do without a terminal: workspace-write (default), read-only or danger-full-access. A sandbox holds them too: NAME, in panes alone, or MODE+NAME"`
	Verify        registry.Programs `help:"A command that proves a story; repeat it for more; the settings' or guessed ones without it" whole:"true"`
	NoVerify      bool              `help:"Prove stories by their ticked tasks alone"`
	Setup         registry.Programs `help:"A command that a new worktree needs, as npm ci; repeat it for more" whole:"true"`
	MaxRetries    int               `help:"How many tries of a story follow its first" min:"1"`
	MaxIterations int               `help:"How many tries all stories have together" min:"1"`
	TimeLimit     time.Duration     `help:"How long the run may take"`
	TryTimeout    time.Duration     `help:"How long one agent may work"`
	Budget        string            `help:"How much the run may cost, in USD (2.50), as far as that is known"`
	Parallel      int               `help:"How many stories that do not depend on each other are worked on at once, each in its own worktree" min:"1" max:"16"`
	OnStuck       string            `enum:"rethink,switch,retry" help:"What happens when tries of a story fail again and again in the same way (story.stuck_after): tell the next agent to go another way, let the next backend of --fallback work, or nothing; the settings say it without this"`
	verb.AtLimit
	Keep       bool `help:"Leave one commit a story on the branch (as it is without --squash)"`
	Squash     bool `help:"Make one commit of all stories at the end"`
	New        bool `help:"Begin anew, although an earlier run of the same stories has not come to its end"`
	Background bool `help:"Run in the background, and answer immediately with the id"`
	Stream     bool `help:"Answer with each event as it comes"`
	registry.Preview
}

var runCodes = append([]core.Code{
	core.ConfigInvalid, core.CredentialMissing, core.AuthFailed, core.RateLimited, core.BudgetExceeded,
	core.NetworkError, core.ToolNotFound, core.BackendFailed, core.Conflict, core.Timeout, core.AlreadyExists,
	core.AgentNotFound, core.PaneNotFound, core.NotReady, core.DeliveryFailed, core.HealthFailed, core.StoryNotFound,
	core.TaskNotFound, core.Ambiguous, core.StoreError, core.StoreLocked, core.MigrationFailed,
	core.MissingRequired,
}, changeCodes...)

var storyRun = registry.Define(registry.Spec[*verb.Env, StoryRunIn, RunOut]{
	Name: "story-run", Group: verb.GroupStory, Doing: "starting the stories of",
	Short: "Work through the stories of a change until they are proven done",
	Long: "For each story a fresh agent works in a git worktree, on a branch of its own. The story is done when its " +
		"tasks are ticked and the verification commands pass, whatever the agent says; then it is committed. What " +
		"failed is in the prompt of the next agent. The run ends when all is done, or when you are needed: 'story " +
		"resume' " +
		"continues from there. Your own working tree is only read; the changes come to it when you merge the branch.",
	Scope: registry.Global, Effect: registry.Writes, List: "stories",
	Examples: []string{
		"add-login --agent=claude --dry-run", "--tasks=tasks.md --agent=codex --verify='make test' --dry-run",
	},
	Errors: runCodes,
	Run:    registry.Whole(runStories),
	Stream: registry.Stream[*verb.Env, StoryRunIn, RunOut]{Line: eventLine{}, Run: runStories},
})

// Check sees that the stories are named in one way.
func (in StoryRunIn) Check() error {
	named := []string{}
	for _, source := range []struct {
		flag string
		is   bool
	}{
		{in.Change, in.Change != ""},
		{"--tasks", in.Tasks != ""},
		{"--beads", in.Beads},
		{"--issues", in.Issues != ""},
	} {
		if source.is {
			named = append(named, source.flag)
		}
	}
	switch {
	case len(named) > 1:
		return registry.Conflict(named[0], named[1], "A run has one source of stories.")
	case in.Keep && in.Squash:
		return registry.Conflict("--keep", "--squash")
	case in.NoVerify && len(in.Verify) > 0:
		return registry.Conflict("--no-verify", "--verify")
	case in.Stage == string(crew.Panes) && in.Sandbox != "" && !panes.Holds(in.Sandbox):
		return registry.Conflict("--sandbox", "--stage=panes", "In panes each agent asks, as its own settings say.")
	case in.Stage != string(crew.Panes) && in.SessionName != "":
		return registry.Conflict("--session-name", "--stage=headless", "Only panes are in a session.")
	case in.Background && in.Stream:
		return registry.Conflict("--background", "--stream", "'story logs --follow' shows a run while it works.")
	}
	return nil
}

// Streaming reports whether the answer is to come piece by piece.
func (in StoryRunIn) Streaming() bool { return in.Stream && !in.DryRun && !in.Background }

// Live reports whether a person sees the run while it works.
func (in StoryRunIn) Live() bool { return !in.DryRun && !in.Background }

func runStories(ctx context.Context, env *verb.Env, in StoryRunIn, emit func(any) error) (RunOut, error) {
	r, trees, err := in.plan(ctx, env)
	if err != nil || in.DryRun {
		return RunOut{Run: r, DryRun: in.DryRun}.counted(), err
	}
	if env.Afford != nil {
		if err := env.Afford(ctx); err != nil {
			return RunOut{}, err
		}
	}
	l, err := loopOf(env, r)
	if err != nil {
		return RunOut{}, err
	}
	if err := in.free(l, r); err != nil {
		return RunOut{}, err
	}
	// It is on record before anything is made, so that nothing is left that belongs to no run.
	if err := l.Directory.Make(r); err != nil {
		return RunOut{}, err
	}
	if err := errors.Join(trees.Make(ctx), ctx.Err()); err != nil {
		undone := context.WithoutCancel(ctx)
		return RunOut{}, errors.Join(err, trees.Undo(undone), l.Directory.Remove(undone, r.ID))
	}
	verb.WarnOfTrees(&env.Local, trees.Report())
	verb.WarnOfNetwork(&env.Local)
	if in.Background {
		return detach(ctx, &env.Local, l, r)
	}
	return carry(ctx, &env.Local, l, r, story.Limits{}, emit)
}

// free returns Conflict if an earlier run of the same stories can be resumed.
func (in StoryRunIn) free(l *loop.Loop, r *story.Run) error {
	earlier, err := l.Unfinished(r)
	if err != nil || earlier == nil {
		return err
	}
	if in.New && earlier.State.Ended() {
		return nil
	}
	e := &core.Error{
		Code:     core.Conflict,
		Message:  fmt.Sprintf("the run %s of the same stories is not done: it is %s", earlier.ID, earlier.State),
		Hint:     "Continue it, or begin anew with --new; what it did stays on its branch " + earlier.Branch + ".",
		Remedies: []core.Remedy{core.RemedyResumeRun, core.RemedyShowRun}, Subject: core.Subject{Run: earlier.ID},
	}
	if !earlier.State.Ended() {
		e.Hint, e.Remedies = "Wait for it, or stop it first.", []core.Remedy{core.RemedyShowRun}
	}
	return e
}

// plan is the run that is asked for, and what makes its worktree. It makes nothing.
func (in StoryRunIn) plan(ctx context.Context, env *verb.Env) (*story.Run, *worktree.Making, error) {
	settings := env.Settings()
	err := settings.Need("story")
	if err == nil && in.Agent == "" {
		err = settings.Need("relay.backend")
	}
	if err != nil {
		return nil, nil, err
	}
	r := story.NewRun(env.Now())
	r.Dir, r.Stage, r.Squash = dirOf(&env.Local, in.Repo), in.Stage, in.Squash
	r.Backend, r.Model = cmp.Or(in.Agent, settings.Relay.Backend), in.Model
	if r.Stage == string(crew.Headless) {
		r.Sandbox = string(relay.Sandbox(in.Sandbox).Or(relay.WorkspaceWrite))
	} else {
		r.Sandbox = in.Sandbox
	}
	if in.DryRun {
		r.ID = dryID
	}
	if r.Limits, err = in.limits(settings.Story.Limits, r.Stage == string(crew.Panes)); err != nil {
		return nil, nil, err
	}
	if err := in.source(ctx, &env.Local, r); err != nil {
		return nil, nil, err
	}
	if in.SessionName != "" {
		if err := core.CheckSessionName(in.SessionName); err != nil {
			return nil, nil, err
		}
	}
	if r.Stage == string(crew.Panes) {
		r.Session = cmp.Or(in.SessionName, story.Group(r.Name))
	}
	if r.Setup = append(r.Setup, in.Setup...); len(r.Setup) == 0 {
		r.Setup = append(r.Setup, settings.Story.Setup...)
	}
	if err := in.proof(r, settings.Story.Verify); err != nil {
		return nil, nil, err
	}
	trees, err := loop.Plan(ctx, r, verb.Trees(&env.Local))
	if err != nil {
		return nil, nil, err
	}
	if err := canAsk(ctx, env, r); err != nil {
		return nil, nil, err
	}
	warnUncommitted(ctx, &env.Local, r)
	return r, trees, nil
}

// dryID takes the place of the id of a run that is not made.
const dryID = "ID"

// limits returns the limits of the flags, else of the settings.
func (in StoryRunIn) limits(settings story.Limits, panes bool) (story.Limits, error) {
	limits := story.Limits{
		OnStuck:    story.OnStuck(in.OnStuck),
		MaxRetries: in.MaxRetries, MaxIterations: in.MaxIterations, TimeLimit: in.TimeLimit, TryTimeout: in.TryTimeout,
		Parallel: in.Parallel,
	}
	var err error
	if in.Budget != "" {
		limits.BudgetUSD, err = verb.Dollars("--budget", in.Budget)
	}
	limits = limits.Or(settings).Or(story.DefaultLimits())
	if err == nil {
		limits.LimitPolicy, err = in.Policy(limits.LimitPolicy, panes)
	}
	if err == nil && limits.OnStuck == story.SwitchAgent && len(limits.Fallback) == 0 {
		err = registry.Missing("--on-stuck=switch needs backends to switch to",
			"Name them with --fallback=codex,gemini.", "--fallback")
	}
	return limits, err
}

// proof sets the commands that prove a story.
func (in StoryRunIn) proof(r *story.Run, settings []string) error {
	switch {
	case in.NoVerify:
		r.VerifyFrom = story.FromNowhere
	case len(in.Verify) > 0:
		r.Verify, r.VerifyFrom = in.Verify, story.FromFlags
	case len(settings) > 0:
		r.Verify, r.VerifyFrom = settings, story.FromSettings
	default:
		r.Verify, r.VerifyFrom = story.Guess(r.Dir), story.FromGuess
		if len(r.Verify) == 0 {
			return registry.Missing(
				"no command is known that proves a story",
				"Name one with --verify='make test', or set story.verify; --no-verify goes by the ticked tasks alone.",
				"--verify",
				"--no-verify",
			)
		}
	}
	return nil
}
