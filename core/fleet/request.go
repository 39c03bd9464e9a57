package fleet

import (
	"time"

	"cupola/core"
	"cupola/core/recipe"
	"cupola/core/worktree"
)

// Progress reports how far a long operation is. Percent is 0 to 100, or -1
// where the total is not known.
type Progress struct {
	Phase   string
	Percent int
	Message string
}

// Wish asks for Count agents of one kind.
type Wish struct {
	// Kind is an id or a short name.
	Kind  string
	Count int
	// Model is passed the way the kind passes models; empty leaves its default.
	Model string
}

// Layout is how the panes of a session are arranged.
type Layout string

// Windows gives each pane a window of its own, at full size; Tiled puts all
// panes of one request into one window.
const (
	Windows Layout = "windows"
	Tiled   Layout = "tiled"
)

// SpawnRequest asks for a new session. Without wishes and commands it holds
// only a user pane.
type SpawnRequest struct {
	Session string
	Launch  LaunchRequest
	// NoUserPane leaves out the shell that a session has besides its agents.
	NoUserPane bool
	DryRun     bool
}

// AddRequest asks for more panes in a session that exists.
type AddRequest struct {
	Session string
	Launch  LaunchRequest
	DryRun  bool
}

// LaunchRequest is what Spawn and Add share: what to start, and how.
type LaunchRequest struct {
	Wishes []Wish
	// Commands are command lines of the user's own, each run by a shell in a
	// pane of kind core.KindCommand.
	Commands []string
	// Panes are panes that a recipe describes; they are made before the others.
	// With Resume their agents take up the sessions that it names.
	Panes  []recipe.Pane
	Resume bool
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
	// Worktree gives every agent a git worktree and branch of its own.
	Worktree bool
	// Progress, if not nil, is told how far it is.
	Progress func(Progress)

	grant grant
}

// Launched is one pane that a Spawn or Add made, or would make in a dry run.
type Launched struct {
	PaneRef
	// Command is what was started, as a shell would write it.
	Command string
	Dir     string
	Branch  string
	// Resumed is the agent's own session that is taken up; empty for a new one.
	Resumed string
	Status  core.Status
	// Ready is true once the agent's prompt was seen; it stays false where
	// nobody waited for it.
	Ready bool
	// Screen is the last line that the pane shows where it is not ready.
	Screen string
	// Delivery is what became of the first prompt; nil without one.
	Delivery *Delivery
}

// Launches is the answer of Spawn and Add.
type Launches struct {
	Session string
	ID      core.SessionID
	Dir     string
	Panes   []Launched
	// Unset are the names of variables that a recipe wants for its panes and that
	// have no value here.
	Unset []string
}

// SendRequest asks for a prompt to be delivered.
type SendRequest struct {
	Target Target
	// ID names the prompt, as NewPromptID makes it; empty makes one.
	ID string
	// Filter delivers to all sessions whose name matches a pattern, such as api-* or
	// *, instead of the target's; the target's Panes and Exclude are addresses then.
	Filter string
	Text   string
	// NoEnter leaves the text in the composer.
	NoEnter bool
	// ReplaceDraft clears what somebody typed there; without it such a pane
	// refuses.
	ReplaceDraft bool
	// Await finds out whom to wait for afterwards, and sends nothing where there is
	// nobody.
	Await bool
	// Now delivers into a running turn also where the agent would take it as
	// part of that turn.
	Now bool
	// Command sends the text as it is, also where agents take it for a command of their
	// own; without it the text is kept words, or refused.
	Command bool
	DryRun  bool
	// Track marks the prompt as one whose sender waits to hear that it was taken up.
	Track bool
	// Timeout is how long to wait for another Cupola that types into a pane; 0, and
	// what is more than 45 s, are 45 s.
	Timeout time.Duration
	// OverrideBudget sends also over a ceiling.
	OverrideBudget bool
	// Origin says in the journal where the prompt came from; empty is OriginSend.
	Origin string
	// Progress, if not nil, is told how far it is.
	Progress func(Progress)
}

// Outcome is what became of a prompt at one pane.
type Outcome string

// The outcomes. Planned is that of a dry run.
const (
	Delivered   Outcome = "delivered"
	Queued      Outcome = "queued"
	Steered     Outcome = "steered"
	Refused     Outcome = "refused"
	Unconfirmed Outcome = "unconfirmed"
	Typed       Outcome = "typed" // left in the composer, as asked
	Planned     Outcome = "planned"
)

// Failed reports whether the outcome makes a whole send a failure.
func (o Outcome) Failed() bool { return o == Refused || o == Unconfirmed }

// Delivery is the result at one pane.
type Delivery struct {
	PaneRef
	// Status is that of the pane when it was last looked at.
	Status  core.Status `json:"-"`
	Outcome Outcome     `json:"outcome"`
	// Why says in one word why a pane refused: dialog, draft, copy_mode, dead,
	// agent_gone, gone, starting, busy, held (another Cupola types there), budget,
	// command (the agent would take the text for one); empty otherwise.
	Why string `json:"why"`
	// Evidence says in words what was seen.
	Evidence string `json:"evidence"`
	// Enters counts how often Enter was pressed.
	Enters    int   `json:"enters"`
	ElapsedMS int64 `json:"elapsed_ms"`
}

// Sent is the answer of Send. It is returned beside a DeliveryFailed error too.
type Sent struct {
	// ID names this send, in the journal too.
	ID         string
	Bytes      int
	Deliveries []Delivery
	// Await are the panes to wait for: those with agents, and others that were named.
	Await []PaneRef
	// Unrecorded says why the journal lacks this send or its end; empty if it
	// has both, or there is no journal.
	Unrecorded string
}

// KeysRequest asks for named keys to be pressed.
type KeysRequest struct {
	Target Target
	Keys   []string
	DryRun bool
}

// InterruptRequest asks agents to stop their turn.
type InterruptRequest struct {
	Target Target
	// Force presses the keys also where nothing seems to run.
	Force bool
	// Text is sent afterwards; empty sends nothing.
	Text string
	// OverrideBudget sends Text also over a ceiling.
	OverrideBudget bool
	// NoWait does not look at what the agent reached.
	NoWait bool
	// Timeout is how long to wait for it; 0 is 10 s.
	Timeout time.Duration
	DryRun  bool
}

// Interrupted is the result at one pane.
type Interrupted struct {
	PaneRef
	// Keys are what was pressed, Why says why nothing was.
	Keys []string
	Why  string
	// Before is the status before the keys, After the one reached; After has no
	// state where nobody waited for it.
	Before core.Status
	After  core.Status
	// Changed is true if the screen changed after the keys.
	Changed  bool
	Delivery *Delivery
}

// TailRequest asks for what panes show.
type TailRequest struct {
	Target Target
	// Lines is how many lines, counted from the bottom and without trailing
	// blank ones; 0 is all that the screen shows.
	Lines int
	// Escapes keeps colours.
	Escapes bool
	// StripUI leaves out what an agent draws around its words: its input box, its
	// side and foot lines, and the row that says that it works.
	StripUI bool
	// Since are marks of earlier answers: of the panes that they name, only what
	// was said since is given, however much that is.
	Since []string
	// Looked, if not nil, is called each time Follow has read what panes show.
	Looked func()
}

// Tailed is what one pane shows.
type Tailed struct {
	PaneRef
	Status core.Status
	Lines  []string
	// Source is "screen" or "history".
	Source string
	// Complete is true if nothing above Lines is missing that was asked for.
	Complete bool
	// Why says what is missing and why where Complete is false.
	Why  string
	View core.Viewport
	// Mark is the place after the last line, for the Since of a later request.
	Mark string
}

// KillRequest asks for a session, or some panes of it, to be ended.
type KillRequest struct {
	// Target names a whole session if it has no Panes, Kinds or Exclude and its
	// Session is not a pane's address.
	Target Target
	// RemoveWorktrees removes the worktrees of the agents that end, with their branches.
	// Where work would be lost it is a Conflict, and nothing ends.
	RemoveWorktrees bool
	DryRun          bool
}

// Killed is the answer of Kill.
type Killed struct {
	// Session is set if the whole session ended.
	Session string
	// Panes are as they were before they ended.
	Panes []SeenPane
	// Reaped counts processes that outlived their pane and were ended.
	Reaped int
	// Worktrees are those of the agents that ended, as far as no other pane is in them.
	Worktrees []KilledWorktree
}

// KilledWorktree is what became of the worktree of an agent that ended.
type KilledWorktree struct {
	worktree.Tree
	// Removed is true if it was removed, or would be in a dry run; Why says why not
	// although it was to be.
	Removed bool
	Why     string
}

// AdoptRequest tells Cupola what a pane of somebody else's holds.
type AdoptRequest struct {
	// Pane is the pane's address.
	Pane string
	// Kind is the agent's kind; empty keeps the one recognised.
	Kind string
	// Name is the agent's name; empty makes one.
	Name   string
	DryRun bool
}
