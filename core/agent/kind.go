package agent

import (
	"regexp"
	"strings"
	"sync"
	"time"

	"cupola/core"
)

// Kind is the description of one agent program. Its fields are read-only.
type Kind struct {
	ID core.Kind
	// Short names the kind in flags and in the names of agents: "cc".
	Short string
	// Name is the program's own name, as shown to users.
	Name    string
	Launch  Launch
	Process Process
	Keys    Keys
	Typing  Typing
	// Headless is how it answers one prompt without a terminal.
	Headless Headless
	// ACP is how it speaks the Agent Client Protocol.
	ACP Protocol
	// Skills are the folders of its skills and commands.
	Skills Skills
	// Background is the list of sessions that it runs without a terminal.
	Background Background
	// Limit is its continuation after a usage limit.
	Limit AtLimit
	// MCP is the file that configures its MCP servers.
	MCP MCP
	// Sandbox lists the files and variables that it needs in a sandbox.
	Sandbox Needs
	// Screen is the kind whose conversations this one shows by protocol; empty for a kind of its own.
	Screen core.Kind
	// Like is the kind whose values are used for the keys that this one's file leaves out; empty for none.
	Like core.Kind
	// Unproven is a sentence for people about features that were never seen to work; empty if all were.
	Unproven string
	// History is true where lines that scrolled off outside the alternate screen
	// are the agent's own words.
	History bool

	// Doubt is why the kind must not be started as it is known here: a file of the user's that says how may be
	// broken. It is nil if there is no doubt.
	Doubt error

	readable bool
	// builtin makes what comes with Cupola of the screen; nil
	// for a user's own kinds, and once screen is known.
	builtin func() *screenSpec
	screen  *screenSpec
	hooks   kindHooks
	compile sync.Once
	reader  *reader
	// versions are the kinds that At made.
	versions sync.Map

	compileScript sync.Once
	script        *regexp.Regexp
}

// screenSpec has the rules for reading a kind's screen.
type screenSpec struct {
	composer composerSpec
	// rules are in the order in which they are asked.
	rules   []*Rule
	answers map[string]*answerSpec
	context contextSpec
	version versionSpec
	turn    turnSpec
}

// screenRules returns what says how to read the screen. It is called before the kind is
// shared, or once.
func (k *Kind) screenRules() *screenSpec {
	switch {
	case k.builtin != nil:
		k.screen, k.builtin = k.builtin(), nil
	case k.screen == nil:
		k.screen = &screenSpec{}
	}
	return k.screen
}

// Launch is how a kind is started.
type Launch struct {
	// Command is the argument vector; Self in it is replaced by Cupola's executable.
	Command []string
	// Model are the arguments that pass a model; ModelName in them is replaced by its name.
	// Empty if the kind accepts none.
	Model []string
	// Resume are the arguments that resume an earlier session; SessionID in them is
	// replaced by its id. Empty if the kind cannot resume. Resumed is a pattern whose first
	// group is the id in what the program prints when it ends.
	Resume  []string
	Resumed string
	// Fork are the arguments that begin a conversation of its own where an earlier session is; SessionID in them is
	// replaced by its id. Empty if the kind cannot.
	Fork []string
	// ResumeMinute is true if a session must not be resumed in the minute in which it
	// began, because its record has that minute in its name and would be overwritten.
	ResumeMinute bool `toml:"resume_minute"`
	// OneByOne is true if an agent that resumes a session must be ready before the next one
	// is started.
	OneByOne bool `toml:"one_by_one"`
	// Session are the arguments that set the id of a new session; SessionID in them is
	// replaced by the id. They are empty if the kind chooses its own ids. Chooses are flags
	// that choose a session, and so exclude these arguments.
	Session []string
	Chooses []string
	// Worktree are flags with which the program makes a git worktree of its own; empty where it makes none.
	Worktree []string
	// Timeout is how long the first prompt may take to appear.
	Timeout time.Duration
	// Install is a command that installs the program; empty where none is known.
	Install string
	// Env are variables that it is given, as NAME=VALUE, or as NAME for what the process that starts it has. InheritEnv
	// is false if it inherits no others but those that programs cannot do without; nil is true.
	Env        []string
	InheritEnv *bool `toml:"inherit_env"`
	// Modes are the modes in which it can be started, by core.Mode.
	Modes map[string]Mode `toml:"mode"`
	// By is how its panes are shown where nothing else is asked for; empty is ByScreen.
	By By
}

// Mode is how a kind is started in one mode.
type Mode struct {
	// Args are its arguments. Other lists more arguments that select the mode, by which it is recognised.
	Args  []string
	Other [][]string
}

// Needs lists the files and variables that agents of a kind need in a sandbox. A path begins with {home}/, the folder
// in which they keep their files, with ~/, or at the project; a folder with a / at its end is made. The rest of their
// own folder is read-only: programs outside take settings and commands from there.
type Needs struct {
	// Writes names files that they change, and Reads files that they see besides, or must not change in Writes.
	Writes, Reads []string
	// Fresh are patterns of names in their own folder that are not shown. Each sandbox gets a copy of Copies, which
	// ends with it.
	Fresh, Copies []string
	// Env are variables that they get of the caller's, with * for any end.
	Env []string
	// Guards names files of a project that they take commands from, and so must not change.
	Guards []string
}

// The placeholders of Launch.
const (
	Self      = "{self}"
	ModelName = "{model}"
	SessionID = "{session}"
)

// Process is how a kind is recognised.
type Process struct {
	// Names are names of its foreground program.
	Names []string
	// Hosts are programs, such as interpreters, that may run the kind; their command line
	// decides.
	Hosts []string
	// Script is a pattern for what a host runs: its first argument that is not a flag. It also matches the paths at
	// which installers put a program under another name.
	Script string
	// Title is a pattern for the titles of its terminals; nil if other programs set such titles too.
	Title *Pattern
	// Overview is a pattern for the title while the program shows an overview of its agents in place of one of them;
	// nil if it has none.
	Overview *Pattern
	// Team is the flag that names the team of an agent that another one started, Member the one with its name there
	// and Lead the one with the session of the agent that leads; empty for kinds without teams.
	Team, Member, Lead string
}

// Keys are the keys for each act, in the engine's names. Several keys of one list are pressed one after another, Gap
// apart.
type Keys struct {
	Submit []string
	// Queue submits a prompt that waits for the running turn to end; empty where
	// Submit does that.
	Queue     []string
	Interrupt []string
	Exit      []string
	// Clear empties the composer of a one-line draft; more lines need it again.
	Clear []string
	Gap   time.Duration
}

// Busy is the reaction of a kind to a prompt that is submitted while a turn runs.
type Busy string

// A kind that queues keeps the prompt for the next turn; one that steers gives
// it to the running turn at once.
const (
	Queues Busy = "queues"
	Steers Busy = "steers"
)

// Typing are the rules by which text is typed into a kind.
type Typing struct {
	// Settle is how long to wait between a paste and Submit. Some kinds treat an earlier
	// key as part of the paste.
	Settle time.Duration
	Busy   Busy
	// LosesEarly is true if the kind loses text and keys that are sent before it has drawn
	// its first prompt.
	LosesEarly bool `toml:"loses_early"`
	// StrandsQueued is true if a denial ends the turn and leaves queued prompts waiting for
	// the next prompt.
	StrandsQueued bool `toml:"strands_queued"`
	// Escape are the rules for texts that the composer would not treat as plain text.
	Escape []Escape
}

// Argv returns the command line that starts an agent of the kind. Self is the path of the
// running executable; an empty model means the kind's default.
func (k *Kind) Argv(self, model string) []string {
	argv := core.Map(k.Launch.Command, func(arg string) string { return strings.ReplaceAll(arg, Self, self) })
	if model == "" {
		return argv
	}
	return append(argv, k.Launch.ModelArgs(model)...)
}

// Readable reports whether the kind has rules for its screen. Text for other kinds is typed
// unchanged and without checking the screen.
func (k *Kind) Readable() bool { return k.readable }

// runs reports whether script is the kind's program for an interpreter, or its path.
func (k *Kind) runs(script string) bool {
	if k.Process.Script == "" {
		return false
	}
	k.compileScript.Do(func() { k.script = regexp.MustCompile(k.Process.Script) })
	return k.script.MatchString(script)
}
