package bridge

import (
	"time"
)

// Tool is another program. Its fields are read-only.
type Tool struct {
	// ID names the tool in verbs: ID-ACTION.
	ID string `toml:"tool"`
	// Name is the tool's own name, Gives what it is good for, in one line each.
	Name  string
	Gives string
	// Install is a command that installs it, Home a page that says more.
	Install string
	Home    string
	// Unproven says what the answers that it reads were taken from, where the program itself was never run against
	// it, with the version; empty if it was.
	Unproven string
	// Programs are the names that it may have in PATH; the first found is used.
	Programs []string
	// Version are the arguments that make it print its version.
	Version []string
	// Flags are modifiers of this tool only.
	Flags map[string]Flag `toml:"flag"`
	// Deprecated are the modifiers that are still accepted as --ID-NAME.
	Deprecated []string
	Actions    map[string]*Action `toml:"action"`

	// unknown are the keys of the user's file that do not exist.
	unknown []error
}

// Action is one thing that a tool does.
type Action struct {
	Name string `toml:"-"`
	Tool *Tool  `toml:"-"`
	// Short is one line of help without a full stop, Long whole sentences.
	Short, Long string
	// Effect is reads, writes or destroys.
	Effect string
	// Takes are the modifiers of the action, Require those that must have a value, Default
	// the values of those that are not given.
	Takes   []string
	Require []string
	Default map[string]string
	// Argument is the modifier that a positional argument sets. If Resource is true,
	// --robot-TOOL-ACTION=VALUE is its only form; otherwise that form is deprecated.
	Argument string
	Resource bool
	// Example are complete inputs: modifier to value.
	Example []map[string]string
	// Argv are groups of words; see Fill.
	Argv [][]string
	// Timeout and Output bound a run, in time and in bytes.
	Timeout time.Duration
	Output  int
	// Answers are the exit statuses of a successful call; empty is 0 alone.
	Answers []int
	// Text is true where the tool prints no JSON; the expression gets a string.
	Text bool
	// Fields are the scalars of the answer and List its list, if there is one.
	Fields []Column
	List   *List
	// Map is the jq expression that converts the tool's output to the answer.
	Map string
}

// List describes the list of an answer.
type List struct {
	Name    string
	Columns []Column
	// Minimal and Standard are selections of the columns.
	Minimal, Standard []string
	// Pages is the side that paginates the list: PagedByTool, which gets limit and offset, or
	// PagedHere, which gets all rows from the tool. Empty means that the list has no pages.
	Pages string
}

// The values of List.Pages: the tool paginates, or Cupola does.
const (
	PagedByTool = "tool"
	PagedHere   = "here"
)

// Column is a field of an answer or of a row of its list.
type Column struct {
	Name string
	Help string
	// Type is string (also where it is empty), int, number, bool, time, list or
	// any.
	Type string
	// Optional is true for a field that may be absent from an answer. Columns of rows are
	// never absent.
	Optional bool
	// Verbose is true for a field that is included only if more detail is requested.
	Verbose bool
}

// Flag is a modifier of one tool only.
type Flag struct {
	// Type is string, int, bool or path, which is a path that the tool writes; empty is string.
	Type string
	Help string
	Enum []string
	// Secret values are hidden in errors.
	Secret bool
}

// reachModifier is replaced by the number of rows that a tool must return so that Cupola
// can cut the requested page and knows whether there is more; 0 is all.
const reachModifier = "reach"

// Values are the given modifiers by name: strings, ints, bools, lists of strings and times.
// Modifiers that were not given are absent.
type Values map[string]any

// answers reports whether an exit status carries an answer.
func (a *Action) answers(status int) bool {
	if len(a.Answers) == 0 {
		return status == 0
	}
	for _, good := range a.Answers {
		if good == status {
			return true
		}
	}
	return false
}
