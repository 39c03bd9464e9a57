package lifecycle

import (
	"cmp"
	"slices"
	"time"

	"cupola/core"
	"cupola/core/agent"
	"cupola/core/config"
	"cupola/core/config/recipe"
	"cupola/core/fleet/deliver"
	"cupola/core/fleet/resolve"
	"cupola/core/git/worktree"
	"cupola/core/system/process"
	"cupola/core/system/process/job"
)

// AgentCount requests Count agents of one kind.
type AgentCount struct {
	// Kind is an id or a short name.
	Kind  string
	Count int
	// Model is passed as the kind's model argument; empty is the kind's default.
	Model string
}

// AgentOptions say how agents are started, beside their kind. The zero value is their usual way.
type AgentOptions struct {
	Model string
	Mode  core.Mode
	// By is how their panes are shown; empty is as their kind says.
	By agent.By
	// Args are further arguments.
	Args []string
	// Profile is the name of a profile.
	Profile string
	// Sandbox is the name of the sandbox that holds them, and the commands beside them; empty for none.
	Sandbox string
	// OnLimit is their reaction to limits; empty is the reaction of the request.
	OnLimit core.OnLimit
}

// over returns the options with those of another one for what they leave out; the arguments of both, its own last.
func (o AgentOptions) over(other AgentOptions) AgentOptions {
	return AgentOptions{
		By:    cmp.Or(o.By, other.By),
		Model: cmp.Or(o.Model, other.Model), Mode: cmp.Or(o.Mode, other.Mode),
		Args: slices.Concat(other.Args, o.Args), Profile: cmp.Or(o.Profile, other.Profile),
		Sandbox: cmp.Or(o.Sandbox, other.Sandbox), OnLimit: cmp.Or(o.OnLimit, other.OnLimit),
	}
}

// Layout is how the panes of a session are arranged.
type Layout string

// Windows gives each pane a window of its own, at full size; Tiled puts all
// panes of one request into one window.
const (
	Windows Layout = "windows"
	Tiled   Layout = "tiled"
)

// SpawnRequest asks for a new session. Without Agents, Commands and Panes it contains only a
// user pane.
type SpawnRequest struct {
	Session string
	// Engine is the terminal server of the session: engine.Tmux or engine.Own; empty for the usual one.
	Engine string
	Launch LaunchRequest
	// NoUserPane leaves out the shell that a session has besides its agents.
	NoUserPane bool
	// NoRecord keeps nothing on record to start the session again.
	NoRecord bool
	DryRun   bool
}

// Follow adds a recipe to the request. What the request says itself counts before it.
func (r *SpawnRequest) Follow(from *recipe.Recipe) {
	l := &r.Launch
	l.Panes, l.Worktree = from.Panes, l.Worktree || from.Worktree
	r.NoUserPane = r.NoUserPane || from.NoUserPane
	l.Dir, l.Prompt = cmp.Or(l.Dir, from.Dir), cmp.Or(l.Prompt, from.Prompt)
	if from.Layout != "" && l.Layout == Windows {
		l.Layout = Layout(from.Layout)
	}
}

// AddRequest asks for more panes in a session that exists.
type AddRequest struct {
	Session string
	Launch  LaunchRequest
	// Fork is the address of an agent; one more is started as it was, in a conversation of its own that begins where
	// that agent's is. Empty for none.
	Fork   string
	DryRun bool
}

// LaunchRequest is the part of a request that Spawn and Add share: the programs to start, and how.
type LaunchRequest struct {
	Agents []AgentCount
	// Commands are command lines of the user's own, each run by a shell in a
	// pane of kind core.KindCommand.
	Commands []string
	// Panes are panes that a recipe describes; they are made before the others. With Resume
	// their agents resume the sessions that it names.
	Panes  []recipe.Pane
	Resume bool
	// Recorded is when Panes were recorded, so that a session to resume began before; zero if unknown.
	Recorded time.Time
	// Dir is the working directory; empty is the caller's.
	Dir    string
	Layout Layout
	// Prompt is sent to every agent once it is ready.
	Prompt string
	// WaitReady waits until every agent shows its ready sign, at most for
	// Timeout; 0 is the kind's own start timeout.
	WaitReady bool
	Timeout   time.Duration
	// OverrideBudget sends Prompt also over a ceiling.
	OverrideBudget bool
	// Record is the folder in which what each pane shows is recorded; empty for none. Only Cupola's own terminal
	// server records.
	Record string
	// Worktree gives every agent a git worktree and branch of its own, which begins as Start says.
	Worktree bool
	Start    worktree.Start
	// Options hold for every agent, over the options of its preset. Profiles are the profiles that have names.
	Options  AgentOptions
	Profiles map[string]config.Profile
	// OnLimit is the reaction to limits of agents whose options and presets leave it out.
	OnLimit core.OnLimit
	// Environment is given to every pane, over what its kind and its preset give.
	Environment recipe.Environment
	// Progress, if not nil, reports progress.
	Progress core.ProgressFunc

	approval deliver.Approval
}

// Start describes what was started in a pane.
type Start struct {
	// Command is the command line, quoted for a shell.
	Command string `json:"command,omitempty" names:"command-line" table:"COMMAND,dim,flex"`
	Dir     string `json:"dir,omitempty"`
	// Ready is true if the start waited and saw the agent's prompt. Otherwise Screen is the
	// last line that the pane shows.
	Ready  bool   `json:"ready"`
	Screen string `json:"shows,omitempty"`
}

// Launched is one pane that Spawn or Add created, or would create in a dry run.
type Launched struct {
	core.PaneRef
	Start
	// Branch is the branch of its worktree, and Joined is true if that was there already.
	Branch string
	Joined bool
	// Resumed is the id of the agent's own session that is resumed; empty for a new one.
	Resumed string
	Status  core.Status
	// Delivery is the delivery of the first prompt; nil without one.
	Delivery *core.Delivery

	variables variables
}

// Launches is the answer of Spawn and Add.
type Launches struct {
	Session string
	ID      core.SessionID
	Dir     string
	Panes   []Launched
	// Unset are the names of variables that a recipe passes to its panes and that have no
	// value in this environment.
	Unset []string
	// Trees says what the worktrees got that were made, and what they lack.
	Trees worktree.Report
}

// KillRequest asks for a session, or some panes of it, to be ended.
type KillRequest struct {
	// Target names a whole session if it has no Panes, Kinds or Exclude and its
	// Session is not a pane's address.
	Target resolve.Target
	// RemoveWorktrees removes the worktrees of the agents that end, with their branches. If
	// work would be lost, Kill returns Conflict and ends nothing.
	RemoveWorktrees bool
	// Leftovers ends what agents left behind in sessions of the name in Target, whether there is one now or not, and
	// no pane.
	Leftovers bool
	DryRun    bool
	// Agreed is the answer of a dry run that the user agreed to; nil for none. If the target means another session by
	// now, Kill returns Conflict and ends nothing.
	Agreed *Killed
}

// Killed is the answer of Kill.
type Killed struct {
	// Of is the identity of the session that ended, or whose panes did.
	Of string
	// Session is set if the whole session ended.
	Session string
	// Panes are the panes that ended, with their last status.
	Panes []core.SeenPane
	// Reaped counts processes that outlived their pane and were ended.
	Reaped int
	// Ending are the processes that are to be ended, as they were before that: of agents all, and of a kill of
	// leftovers those.
	Ending []process.Proc
	// Left are processes that were started in the panes and were not ended.
	Left []job.Left
	// Worktrees are the worktrees of the agents that ended, as far as no other pane is in them.
	Worktrees []KilledWorktree
	// Background are agents whose turn has ended while something that they started runs on, of a dry run.
	Background []core.PaneRef
}

// KilledWorktree is the worktree of an agent that ended.
type KilledWorktree struct {
	worktree.Tree
	// Removed is true if it was removed, or would be in a dry run. Why says why a requested
	// removal did not happen.
	Removed bool
	Why     string
}

// AdoptRequest registers the agent in a pane that Cupola did not create.
type AdoptRequest struct {
	// Pane is the pane's address.
	Pane string
	// Kind is the agent's kind; empty keeps the one recognised.
	Kind string
	// Name is the agent's name; empty makes one.
	Name   string
	DryRun bool
}
