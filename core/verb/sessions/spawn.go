package sessions

import (
	"cmp"
	"context"
	"os"
	"strings"

	"cupola/core"
	"cupola/core/config/recipe"
	"cupola/core/fleet/lifecycle"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

// SpawnIn is the input of the verb spawn.
type SpawnIn struct {
	Session string `arg:"1" required:"true" names:"session" help:"Name of the new session"`
	launch
	SpawnPreset registry.NamedScript `help:"Start what a preset describes: its name, or a file"`
	Resume      string               `help:"Continue this conversation of the agent's own, by its id"`
	NoUserPane  bool                 `help:"Do not add a shell pane for the user"`
	NoRecord    bool                 `help:"Keep nothing on record for 'cupola restore'"`
	Engine      string               `enum:"tmux,own" help:"Terminal server of the session"`
	verb.Branched
	registry.Preview
}

var spawn = registry.Define(registry.Spec[verb.OnFleet, SpawnIn, LaunchOut]{
	Name: "spawn", Group: verb.GroupFleet, Doing: "starting", Short: "Start a session with agents in it",
	Aliases: []string{
		"session create", "session new", "session start", "session spawn", "create session",
		"new session", "start session",
	},
	Long: "Creates a session with a pane for each agent and a shell for you. If anything fails halfway, what was " +
		"created is removed. A preset is a TOML file that describes panes; 'cupola save' writes one from a session. " +
		"Those in the presets folder of the configuration are known by name. With --branch " +
		"the session begins in a branch that 'checkout' brings there.",
	Scope: registry.Session, Effect: registry.Writes, List: "panes",
	Examples: []string{"demo --agents=scripted=1", "web --spawn-cc=2 --spawn-cod=1 --dry-run"},
	Errors: append([]core.Code{
		core.AlreadyExists, core.AgentNotFound, core.ToolNotFound, core.EngineUnavailable, core.NotReady, core.Timeout,
		core.DeliveryFailed, core.PermissionDenied, core.IOError, core.NotFound, core.ConfigInvalid,
		core.BudgetExceeded, core.NotImplemented, core.StoreError, core.StoreLocked, core.MigrationFailed,
	}, originCodes...),
	Run: runSpawn,
})

// Check sees that the session can have its name, and that agents are named as they
// should be.
func (in SpawnIn) Check() error {
	if err := core.CheckSessionName(in.Session); err != nil {
		return err
	}
	if err := in.CheckBranch(); err != nil {
		return err
	}
	counts, err := in.counts()
	switch err = cmp.Or(err, in.check()); {
	case err != nil || in.Resume == "":
		return err
	case strings.HasPrefix(in.Resume, "-"):
		return core.Errorf(core.InvalidInput, "%q is no id of a conversation", in.Resume)
	case len(counts) != 1 || counts[0].Count != 1 || len(in.Cmd) > 0 || in.SpawnPreset != "":
		return registry.Missing("--resume is of one agent", "Name one agent of its kind.", "--agents")
	}
	return nil
}

// continues makes the one agent of a request continue a conversation.
func (in SpawnIn) continues(env *verb.Env, request *lifecycle.LaunchRequest) error {
	one := request.Agents[0]
	if kind, known := env.Kinds().Find(one.Kind); known && len(kind.Launch.ResumeArgs(in.Resume)) == 0 {
		return core.Errorf(core.NotImplemented, "%s cannot continue a conversation by its id", kind.ID)
	}
	request.Panes = []recipe.Pane{{Kind: one.Kind, Model: one.Model, Resume: in.Resume}}
	request.Agents, request.Resume = nil, true
	return nil
}

func runSpawn(ctx context.Context, deps verb.OnFleet, in SpawnIn) (LaunchOut, error) {
	if err := deps.Env.Settings().Need("engine.socket"); err != nil {
		return LaunchOut{}, err // the session would begin on another terminal server
	}
	request, err := in.request(deps.Env)
	if err != nil {
		return LaunchOut{}, err
	}
	if in.Resume != "" {
		if err := in.continues(deps.Env, &request); err != nil {
			return LaunchOut{}, err
		}
	}
	brought, err := in.bring(ctx, deps.Env, &request)
	if err != nil {
		return LaunchOut{}, err
	}
	if err := in.settle(ctx, deps.Env, &request, in.DryRun); err != nil {
		return LaunchOut{}, err
	}
	whole := lifecycle.SpawnRequest{
		Session:    in.Session,
		Engine:     in.Engine,
		Launch:     request,
		NoUserPane: in.NoUserPane,
		NoRecord:   in.NoRecord,
		DryRun:     in.DryRun,
	}
	if in.SpawnPreset != "" {
		if err := in.follow(deps.Env, &whole); err != nil {
			return LaunchOut{}, err
		}
	}
	if !in.DryRun {
		if err := unheld(deps.Env, &whole.Launch, whole.Launch.Panes); err != nil {
			return LaunchOut{}, err
		}
	}
	made, err := deps.Fleet.Launcher.Spawn(ctx, whole)
	if made != nil && len(made.Unset) > 0 {
		deps.Env.Warn("the preset's panes want variables that are not set here: " + strings.Join(made.Unset, ", "))
	}
	if err == nil && !in.DryRun {
		if advice := ReviveByItself(ctx, deps.Env, deps.Fleet); advice != "" {
			deps.Env.Warn(advice)
		}
	}
	out := launched("Started", made, in.DryRun)
	if made != nil {
		verb.WarnOfTrees(&deps.Env.Local, made.Trees)
	}
	if brought != "" {
		out.Dir = brought
	}
	return out, in.addInstead(deps.Env, err)
}

// addInstead adds to the error of a name that is taken the command that starts the agents in
// the session that has it.
func (in SpawnIn) addInstead(env *verb.Env, err error) error {
	taken := core.AsError(err)
	also := AddIn{Session: in.Session, launch: in.launch}
	if taken.HasCode(core.AlreadyExists) && also.Check() == nil {
		taken.Actions = []string{env.Catalog.Find("add").Command(also)}
	}
	return err
}

// follow adds a recipe to a request. What flags say counts before it.
func (in SpawnIn) follow(env *verb.Env, request *lifecycle.SpawnRequest) error {
	r, err := recipe.Load(env.Paths.Presets(), string(in.SpawnPreset))
	if err == nil {
		err = Admit(env, "the preset "+string(in.SpawnPreset), in.Session, r.Panes, in.DryRun)
	}
	if err != nil {
		return err
	}
	request.Follow(r)
	return nil
}

// Depart takes along where the branch of the caller's folder can be cloned from.
func (in SpawnIn) Depart(ctx context.Context, from registry.Env) (any, error) {
	env, is := from.(*verb.Env)
	if !is {
		return in, nil
	}
	err := in.Branched.Depart(ctx, env, "spawn", func() any { return in }, in.DryRun)
	return in, err
}

// bring brings the branch to this machine, has the request start in it, and returns its folder; empty without a branch.
func (in SpawnIn) bring(ctx context.Context, env *verb.Env, request *lifecycle.LaunchRequest) (string, error) {
	dir, err := in.Bring(ctx, env, string(in.Dir), in.DryRun)
	if dir == "" || err != nil {
		return "", err
	}
	request.Dir = dir
	if _, gone := os.Stat(dir); gone != nil && in.DryRun {
		request.Dir = "" // it is not there yet
	}
	return dir, nil
}
