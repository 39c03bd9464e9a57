// Package recipe is a crew as a file that people read and write: which agents, what each is for,
// and what they may do. A recipe in the folder of recipes is known by its name; some are part of
// the program.
//
//	description = "One reviews, another doubts."
//	prompt = "Review the changes of this branch."   # the task where none is given
//	sandbox = "read-only"                           # default: that of relays
//	worktrees = false                               # true gives each agent a git worktree
//
//	[limits]                                        # those of the settings are the defaults
//	max_turns = 8
//
//	[[agent]]
//	role = "reviewer"                               # or a whole name: ada.reviewer
//	backend = "claude"                              # default: chosen by who runs it
//	model = "opus"
//	brief = "Read the code that the task names."
//
// The package starts nothing.
package recipe

import (
	"bytes"
	"cmp"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"cupola/core"
	"cupola/core/config/tomlfile"
	"cupola/core/run/crew"
	"cupola/core/system/plainfile"
	"cupola/core/text/near"
)

//go:embed shipped/*.toml
var shipped embed.FS

const suffix = ".toml"

// Recipe is a crew as a file.
type Recipe struct {
	// Name is the name of its file, and Path the path; an empty Path is part of the program.
	Name        string     `toml:"-"`
	Path        string     `toml:"-"`
	Description string     `toml:"description,omitempty"`
	Prompt      string     `toml:"prompt,omitempty"`
	Sandbox     string     `toml:"sandbox,omitempty"`
	Stage       crew.Stage `toml:"stage,omitempty"`
	Worktrees   bool       `toml:"worktrees,omitempty"`
	// Limits are the limits that it sets; zero ones are left to the flags and the settings.
	Limits crew.Limits `toml:"limits"`
	Agents []Agent     `toml:"agent"`
}

// Agent is one member.
type Agent struct {
	Role    string `toml:"role"`
	Backend string `toml:"backend,omitempty"`
	Model   string `toml:"model,omitempty"`
	Brief   string `toml:"brief,omitempty"`
}

// Over returns limits with those that the recipe sets in their place.
func (r *Recipe) Over(limits crew.Limits) crew.Limits {
	own := &r.Limits
	limits.MaxTurns = cmp.Or(own.MaxTurns, limits.MaxTurns)
	limits.Timeout = cmp.Or(own.Timeout, limits.Timeout)
	limits.TurnTimeout = cmp.Or(own.TurnTimeout, limits.TurnTimeout)
	limits.PingPong = cmp.Or(own.PingPong, limits.PingPong)
	limits.NoProgress = cmp.Or(own.NoProgress, limits.NoProgress)
	limits.MessageBytes = cmp.Or(own.MessageBytes, limits.MessageBytes)
	limits.AgentTurns = cmp.Or(own.AgentTurns, limits.AgentTurns)
	limits.CostUSD = cmp.Or(own.CostUSD, limits.CostUSD)
	limits.LimitPolicy = own.Or(limits.LimitPolicy)
	return limits
}

// Parse reads a recipe. Origin names the text in errors, which are ConfigInvalid and name the line.
// It does not check whether backends exist.
func Parse(origin, text string) (*Recipe, error) {
	r := &Recipe{}
	if err := tomlfile.Decode(origin, text, r); err != nil {
		return nil, err
	}
	wrong := func(name, what string, values ...any) error {
		return tomlfile.Wrong(origin, max(1, tomlfile.LineOf(text, name)), fmt.Sprintf(what, values...))
	}
	l := &r.Limits
	least := min(l.MaxTurns, l.PingPong, l.NoProgress, l.MessageBytes, l.AgentTurns)
	if least < 0 || l.Timeout < 0 || l.TurnTimeout < 0 || l.CostUSD < 0 {
		return nil, wrong("limits", "a limit must be 0 or more")
	}
	if r.Stage != "" && r.Stage != crew.Headless && r.Stage != crew.Panes {
		return nil, wrong("stage", "stage is %q; it must be headless or panes", r.Stage)
	}
	if len(r.Agents) == 0 {
		return nil, tomlfile.Wrong(origin, 1, "a crew needs agents: [[agent]]")
	}
	for i := range r.Agents {
		if r.Agents[i].Role == "" {
			return nil, tomlfile.Wrong(origin, tomlfile.ElementLine(text, "agent", i), "an agent has no role")
		}
		named := []crew.MemberSpec{{Role: r.Agents[i].Role}}
		if _, err := crew.NewMembers(named, func(int) int { return 0 }); err != nil {
			return nil, tomlfile.Wrong(origin, tomlfile.ElementLine(text, "agent", i), err.Error())
		}
	}
	return r, nil
}

// Load reads the recipe that a word names: a file if the word has a slash or ends in .toml,
// otherwise one in dir, or one that is part of the program. An unknown one is NotFound with the near
// miss.
func Load(dir, word string) (*Recipe, error) {
	path := word
	named := !strings.ContainsRune(word, filepath.Separator) && !strings.HasSuffix(word, suffix)
	if named {
		path = filepath.Join(dir, word+suffix)
	}
	text, err := plainfile.Read(path, plainfile.Text)
	if named && errors.Is(err, fs.ErrNotExist) {
		path = ""
		text, err = shipped.ReadFile("shipped/" + word + suffix)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist) && named:
		return nil, unknown(dir, word)
	case errors.Is(err, fs.ErrNotExist):
		return nil, &core.Error{Code: core.NotFound, Message: "there is no file " + word, Hint: "Check the path."}
	case err != nil:
		return nil, core.FileError("read the recipe", err)
	}
	r, err := Parse(cmp.Or(path, word), string(text))
	if err != nil {
		return nil, err
	}
	r.Name, r.Path = strings.TrimSuffix(filepath.Base(word), suffix), path
	return r, nil
}

func unknown(dir, word string) error {
	names, err := Names(dir)
	if err != nil {
		return err
	}
	return &core.Error{
		Code: core.NotFound, Message: fmt.Sprintf("no crew is saved as %q", word), Suggestions: near.Words(word, names),
		Slip: core.Slip{Word: word}, Hint: "There are: " + strings.Join(names, ", ") + ".",
		Remedies: []core.Remedy{core.RemedyListCrewFiles}, Details: map[string][]string{"recipes": names},
	}
}

// Names are the recipes in dir and those that are part of the program, sorted.
func Names(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, core.FileError("list the recipes", err)
	}
	own, err := shipped.ReadDir("shipped")
	if err != nil {
		return nil, core.FileError("list the recipes", err)
	}
	var names []string
	for _, entry := range append(entries, own...) {
		if name, is := strings.CutSuffix(entry.Name(), suffix); is && name != "" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

// Of is the recipe of a crew.
func Of(c *crew.Crew) *Recipe {
	r := &Recipe{
		Prompt: c.Prompt, Sandbox: c.Sandbox, Stage: c.Stage, Worktrees: c.Worktrees, Limits: c.Limits,
	}
	for i := range c.Members {
		m := &c.Members[i]
		r.Agents = append(r.Agents, Agent{Role: m.Role(), Backend: m.Backend, Model: m.Model, Brief: m.Brief})
	}
	return r
}

// Encode writes a recipe as a file, under a comment of one line.
func (r *Recipe) Encode(comment string) (string, error) {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# %s\n", comment)
	encoder := toml.NewEncoder(&b)
	encoder.Indent = ""
	if err := encoder.Encode(r); err != nil {
		return "", fmt.Errorf("write the recipe: %w", err)
	}
	return b.String(), nil
}
