// Package recipe is the shape of a session, as a file that people read and
// write: which panes to start, and how. Users call it a preset; one in the folder
// of presets is known by its name.
//
//	dir = "/src/api"             # default: where it is used
//	layout = "tiled"             # or "windows", the default
//	prompt = "Read AGENTS.md."   # sent to every agent once it is ready
//
//	[[pane]]
//	kind = "claude"
//	model = "opus"
//	count = 2
//
//	[[pane]]
//	command = "npm run dev"
//	dir = "web"                  # from the recipe's folder
//
// A pane without kind and command is a shell for the user; one is made besides,
// unless the recipe has one or says no_user_pane. The package starts nothing.
package recipe

import (
	"bytes"
	"fmt"
	"strings"
	"time"

	"github.com/BurntSushi/toml"

	"cupola/core"
	"cupola/core/config/tomlfile"
)

// Recipe is the shape of a session.
type Recipe struct {
	Description string `toml:"description,omitempty" json:"description,omitempty"`
	Dir         string `toml:"dir,omitempty" json:"dir"`
	// Layout is windows, tiled, or empty for the usual one.
	Layout string `toml:"layout,omitempty" json:"layout,omitempty"`
	// Prompt is sent to every agent once it is ready.
	Prompt string `toml:"prompt,omitempty" json:"prompt,omitempty"`
	// Worktree gives every agent a git worktree and branch of its own.
	Worktree   bool `toml:"worktree,omitempty" json:"worktree,omitempty"`
	NoUserPane bool `toml:"no_user_pane,omitempty" json:"no_user_pane,omitempty"`
	// Panes are started in this order.
	Panes []Pane `toml:"pane" json:"panes"`
	// Sent is a record of the prompts sent to the session, the oldest first. They are
	// not sent again.
	Sent []Sent `toml:"sent,omitempty" json:"sent,omitempty"`
}

// Pane is one pane, or several alike. Its zero value is a shell for the user.
type Pane struct {
	// Kind is an agent kind's id or short name.
	Kind  string `toml:"kind,omitempty" json:"kind,omitempty"`
	Model string `toml:"model,omitempty" json:"model,omitempty"`
	// Mode is the mode to start it in, Args are more arguments, and Profile names settings of the user's for it.
	Mode    core.Mode `toml:"mode,omitempty" json:"mode,omitempty"`
	Args    []string  `toml:"args,omitempty" json:"args,omitempty"`
	Profile string    `toml:"profile,omitempty" json:"profile,omitempty"`
	// Sandbox is the sandbox that holds it.
	Sandbox string `toml:"sandbox,omitempty" json:"sandbox,omitempty"`
	// OnLimit is the reaction of the agent to limits.
	OnLimit core.OnLimit `toml:"on_limit,omitempty" json:"on_limit,omitempty"`
	// Command is the command line; empty is the kind's own. Without a kind a shell
	// runs it.
	Command string `toml:"command,omitempty" json:"command,omitempty"`
	// Count is how many to start; 0 is one.
	Count int `toml:"count,omitzero" json:"count,omitempty"`
	// Name and Ordinal are the name and the ordinal of the pane; by default the next free ones.
	Name    string `toml:"name,omitempty" json:"name,omitempty"`
	Ordinal *int   `toml:"ordinal,omitempty" json:"ordinal,omitempty"`
	// Label is the user's own word for the agent.
	Label string `toml:"label,omitempty" json:"label,omitempty"`
	// Dir is the working directory, relative to the recipe's Dir, which is the default.
	Dir string `toml:"dir,omitempty" json:"dir,omitempty"`
	// Window is a word that panes of one window share; empty is a window of its
	// own.
	Window string `toml:"window,omitempty" json:"window,omitempty"`
	Environment
	// Layout arranges the panes of the window once this one is made, as in engine.Launch.
	Layout string `toml:"-" json:"-"`
	// Shown is the path of a text that a shell shows first; the file goes then.
	Shown string `toml:"-" json:"-"`
	// Resume is the id of the agent's own session to resume.
	Resume string `toml:"resume,omitempty" json:"resume,omitempty"`
	// Fork begins a session of its own where the one to resume is.
	Fork bool `toml:"-" json:"-"`
}

// Sent is a prompt that was sent.
type Sent struct {
	At time.Time `toml:"at" json:"at"`
	// To are the panes that it went to, separated by commas.
	To   string `toml:"to" json:"to"`
	Text string `toml:"text" json:"text"`
}

// User reports whether the pane is a shell for the user.
func (p *Pane) User() bool { return p.Kind == "" && p.Command == "" }

// maxCount is how many panes alike can be asked for at once.
const maxCount = 50

// parse reads a recipe. Origin names the text in errors, which are ConfigInvalid and name
// the line. It does not check whether kinds, programs and folders exist.
func parse(origin, text string) (*Recipe, error) {
	r := &Recipe{}
	if err := tomlfile.Decode(origin, text, r); err != nil {
		return nil, err
	}
	ordinals, names := map[int]bool{}, map[string]bool{}
	for i := range r.Panes {
		p := &r.Panes[i]
		fault := p.fault()
		if fault == "" && p.Name != "" && names[p.Name] {
			fault = fmt.Sprintf("the name %q is taken by another pane", p.Name)
		}
		if fault == "" && p.Ordinal != nil && ordinals[*p.Ordinal] {
			fault = fmt.Sprintf("the ordinal %d is taken by another pane", *p.Ordinal)
		}
		if fault != "" {
			return nil, tomlfile.Wrong(origin, tomlfile.ElementLine(text, "pane", i), fault)
		}
		names[p.Name] = true
		if p.Ordinal != nil {
			ordinals[*p.Ordinal] = true
		}
	}
	return r, nil
}

// fault says what is wrong with a pane; empty if nothing is.
func (p *Pane) fault() string {
	switch {
	case p.Count < 0 || p.Count > maxCount:
		return fmt.Sprintf("count is %d; it must be 1 to %d", p.Count, maxCount)
	case p.Count > 1 && (p.Name != "" || p.Ordinal != nil || p.Resume != ""):
		return "a pane with a count can have no name, ordinal or resume of its own"
	case p.Ordinal != nil && *p.Ordinal < 0:
		return fmt.Sprintf("ordinal is %d; it must be 0 or more", *p.Ordinal)
	case p.Kind == "" && p.Model != "":
		return "a model needs a kind"
	case p.Kind == "" && (p.Mode != "" || len(p.Args) > 0 || p.Profile != ""):
		return "a mode, arguments and a profile need a kind"
	case p.OnLimit != "" && p.OnLimit != core.StopAtLimit && p.OnLimit != core.ContinueAtLimit:
		return fmt.Sprintf("on_limit is %q; it must be stop or continue", p.OnLimit)
	case p.Kind == "" && p.OnLimit != "":
		return "on_limit needs a kind"
	case p.User() && p.Sandbox != "":
		return "a shell for the user is in no sandbox"
	case p.Kind == "" && p.Resume != "":
		return "what is to be resumed needs a kind"
	case core.CheckLabel(p.Label) != nil:
		return core.CheckLabel(p.Label).Error()
	case p.Kind == string(core.KindCommand) && p.Command == "":
		return "a pane of kind command needs a command"
	case CheckEnv(p.Env) != nil:
		return core.AsError(CheckEnv(p.Env)).Error()
	}
	return ""
}

// Encode writes a recipe as a file, under a comment of the lines given.
func (r *Recipe) Encode(comment ...string) (string, error) {
	var b bytes.Buffer
	for _, line := range comment {
		fmt.Fprintln(&b, strings.TrimRight("# "+strings.Join(strings.Fields(line), " "), " "))
	}
	encoder := toml.NewEncoder(&b)
	encoder.Indent = ""
	if err := encoder.Encode(r); err != nil {
		return "", fmt.Errorf("write the recipe: %w", err)
	}
	return b.String(), nil
}
