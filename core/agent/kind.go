package agent

import (
	"regexp"
	"strings"
	"sync"
	"time"

	"cupola/core"
)

// Kind is what is known of one agent program. Its fields are read-only.
type Kind struct {
	ID core.Kind
	// Short names the kind in flags and in the names of agents: "cc".
	Short string
	// Name is the program's own name, for people.
	Name    string
	Launch  Launch
	Process Process
	Keys    Keys
	Typing  Typing
	// Headless is how it answers one prompt without a terminal.
	Headless Headless
	// History is true where lines that scrolled off outside the alternate screen
	// are the agent's own words.
	History bool

	readable bool
	// builtin makes what comes with Cupola of the screen; nil
	// for a user's own kinds, and once screen is known.
	builtin func() *screenSpec
	screen  *screenSpec
	hooks   hookBook
	compile sync.Once
	reader  *reader
	// versions are what At made.
	versions sync.Map

	compileScript sync.Once
	script        *regexp.Regexp
}

// screenSpec is what says how to read a kind's screen.
type screenSpec struct {
	composer composerSpec
	// rules are in the order in which they are asked.
	rules   []*Rule
	answers map[string]*answerSpec
	context contextSpec
	version versionSpec
	turn    turnSpec
}

// look returns what says how to read the screen. It is called before the kind is
// shared, or once.
func (k *Kind) look() *screenSpec {
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
	// Model are the arguments that pass a model; ModelName in them is replaced
	// by its name. Empty where the kind takes none.
	Model []string
	// Resume are the arguments that resume an earlier session; SessionID in them is
	// replaced by its id. Empty where the kind cannot. Resumed finds the id, as its
	// first group, in what the program prints when it ends.
	Resume  []string
	Resumed string
	// ResumeMinute is true where a session must not be taken up in the minute in which it
	// began: its record has that minute in its name and would be written over.
	ResumeMinute bool `toml:"resume_minute"`
	// OneByOne is true where an agent must be ready before the next one is started that
	// takes up a session.
	OneByOne bool `toml:"one_by_one"`
	// Session are the arguments that give a new session its id, which replaces
	// SessionID; Chooses are flags that exclude them, since they choose a session.
	// Empty where the kind makes its own ids.
	Session []string
	Chooses []string
	// Timeout is how long the first prompt may take to appear.
	Timeout time.Duration
	// Install is a command that installs the program; empty where none is known.
	Install string
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
	// Hosts are programs that may run the kind; their command line decides.
	Hosts []string
	// Script is a pattern for what a host runs: its first argument that is no
	// flag.
	Script string
}

// Keys are what to press, in the engine's names. Several keys of one list are
// pressed one after another, Gap apart.
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

// Busy says what Submit does while a turn runs.
type Busy string

// A kind that queues keeps the prompt for the next turn; one that steers gives
// it to the running turn at once.
const (
	Queues Busy = "queues"
	Steers Busy = "steers"
)

// Typing is what a kind needs of those who type into it.
type Typing struct {
	// Settle is how long to wait between a paste and Submit: sooner, some kinds
	// take the key for part of the paste.
	Settle time.Duration
	Busy   Busy
	// LosesEarly is true where text or keys sent before the first prompt is
	// drawn are lost.
	LosesEarly bool `toml:"loses_early"`
	// StrandsQueued is true where a denial ends the turn, and what was queued behind it
	// waits for the next prompt.
	StrandsQueued bool `toml:"strands_queued"`
	// Escape says of the texts that the composer takes for something else than words
	// how they stay words.
	Escape []Escape
}

// Argv returns the command line that starts the kind. Self is the path of the
// running executable; an empty model leaves the kind its default.
func (k *Kind) Argv(self, model string) []string {
	argv := make([]string, 0, len(k.Launch.Command)+len(k.Launch.Model))
	for _, arg := range k.Launch.Command {
		argv = append(argv, strings.ReplaceAll(arg, Self, self))
	}
	if model == "" {
		return argv
	}
	for _, arg := range k.Launch.Model {
		argv = append(argv, strings.ReplaceAll(arg, ModelName, model))
	}
	return argv
}

// Readable reports whether the kind has rules for its screen. Text is typed
// into other kinds as it is, without looking.
func (k *Kind) Readable() bool { return k.readable }

// runs reports whether script is the kind's program for an interpreter.
func (k *Kind) runs(script string) bool {
	if k.Process.Script == "" {
		return false
	}
	k.compileScript.Do(func() { k.script = regexp.MustCompile(k.Process.Script) })
	return k.script.MatchString(script)
}
