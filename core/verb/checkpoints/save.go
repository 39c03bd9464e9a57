package checkpoints

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"cupola/core"
	"cupola/core/config/recipe"
	"cupola/core/fleet/lifecycle"
	"cupola/core/record/store"
	"cupola/core/text/report"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

type saveIn struct {
	Session string             `arg:"1" required:"true" names:"session" help:"Session, by its exact name"`
	Output  registry.WritePath `help:"File to write; - returns the text only (default: SESSION.toml in the saved folder of the data folder)"`
	Force   bool               `help:"Overwrite an existing file"`
	Prompts int                `min:"0" default:"100" help:"Prompts to keep, at most, the newest; 0 keeps none"`
}

type saveOut struct {
	Session string `json:"session" names:"session"`
	// Path is the file that was written; absent for --output=-, where Text is its content.
	Path  string `json:"path,omitempty"`
	Text  string `json:"text,omitempty"`
	Bytes int    `json:"bytes"`
	// Panes counts the panes that the file describes, Prompts the prompts in it.
	Panes   int `json:"pane_count"`
	Prompts int `json:"prompt_count"`
}

var save = registry.Define(registry.Spec[verb.OnFleet, saveIn, saveOut]{
	Name: "save", Group: verb.GroupKeep, Short: "Write a session's shape to a file",
	Aliases: []string{"session save"},
	Long: "The file is editable TOML: which panes to start and how, and what was sent. 'cupola spawn NAME " +
		"--spawn-preset=FILE' starts a session from it; in the presets folder of the configuration it is known by " +
		"its name. The prompts in it are only a record and are not sent again. To keep what panes show and the " +
		"agents' own sessions, use 'cupola checkpoint'.",
	Scope: registry.Session, Effect: registry.Writes,
	Deprecated: registry.Prefixed{Prefix: "save", Flags: []string{"output"}},
	Examples:   []string{"api --output=-", "web --output=web.toml"},
	Errors: []core.Code{
		core.SessionNotFound, core.AlreadyExists, core.Conflict, core.EngineUnavailable, core.PermissionDenied,
		core.IOError, core.StoreError, core.StoreLocked, core.MigrationFailed,
	},
	Run: runSave,
})

func runSave(ctx context.Context, deps verb.OnFleet, in saveIn) (saveOut, error) {
	shape, err := deps.Fleet.Launcher.Shape(ctx, in.Session)
	if err != nil {
		return saveOut{}, err
	}
	r := recipeOf(shape)
	if r.Sent, err = sentTo(ctx, deps.Env, shape, in.Prompts); err != nil {
		return saveOut{}, err
	}
	text, err := r.Encode("A session as Cupola starts it. Use it with: cupola spawn NAME --spawn-preset=FILE")
	if err != nil {
		return saveOut{}, err
	}
	out := saveOut{Session: shape.Session, Bytes: len(text), Panes: len(r.Panes), Prompts: len(r.Sent)}
	if in.Output == "-" {
		out.Text = text
		return out, nil
	}
	switch out.Path = string(in.Output); {
	case out.Path == "":
		out.Path = filepath.Join(deps.Env.Paths.Saved(),
			strings.ReplaceAll(shape.Session, string(filepath.Separator), "-")+".toml")
	case !filepath.IsAbs(out.Path):
		out.Path = filepath.Join(deps.Env.Dir, out.Path)
	}
	err = verb.WriteFile(out.Path, text, in.Force)
	if taken := new(core.Error); errors.As(err, &taken) && taken.HasCode(core.AlreadyExists) {
		now := deps.Env.Now().UTC().Format("20060102-150405")
		in.Output = registry.WritePath(strings.TrimSuffix(out.Path, ".toml") + "-" + now + ".toml")
		verb, other := deps.Env.Catalog.Find("save"), in
		in.Output, in.Force = registry.WritePath(out.Path), true
		taken.Actions = []string{verb.Command(other), verb.Command(in)}
	}
	return out, err
}

// recipeOf is a session's shape as people keep it: folders from the session's
// own, and no agent's own session.
func recipeOf(shape *lifecycle.Shape) *recipe.Recipe {
	r := &recipe.Recipe{Dir: shape.Dir, Panes: slices.Clone(shape.Recipe), NoUserPane: true}
	for i := range r.Panes {
		p := &r.Panes[i]
		p.Environ = nil // a preset is started in the environment of its user
		if p.Command != "" {
			p.Profile = "" // the command line and the variables have what it said
		}
		p.Resume = ""
		r.NoUserPane = r.NoUserPane && !p.User()
		if shape.Branches[i] != "" {
			r.Worktree, p.Dir = true, ""
		}
		if below, err := filepath.Rel(shape.Dir, p.Dir); err == nil && filepath.IsAbs(p.Dir) &&
			filepath.IsLocal(below) {
			p.Dir = below
		}
		if p.Dir == "." {
			p.Dir = ""
		}
	}
	return r
}

// sentTo are the newest prompts that went to a session since it was made, the
// oldest first.
func sentTo(ctx context.Context, env *verb.Env, shape *lifecycle.Shape, most int) ([]recipe.Sent, error) {
	if most == 0 {
		return nil, nil
	}
	found, err := promptsOf(ctx, env, shape, most)
	if err != nil {
		return nil, err
	}
	return core.Map(found, func(p core.Prompt) recipe.Sent {
		return recipe.Sent{
			At: p.At.UTC(), To: strings.Join(p.Addresses(), ","),
			Text: p.Text,
		}
	}), nil
}

// promptsOf are the newest prompts that went to a session since it was made, the
// oldest first.
func promptsOf(ctx context.Context, env *verb.Env, shape *lifecycle.Shape, most int) ([]core.Prompt, error) {
	records, err := env.Store(ctx)
	if err != nil {
		return nil, err
	}
	found, err := store.PromptsIn(records).Find(ctx,
		store.PromptQuery{Server: shape.Server, Session: shape.Session, Since: shape.Created, Limit: most})
	if err != nil {
		return nil, err
	}
	slices.Reverse(found.Prompts)
	return found.Prompts, nil
}

func (o saveOut) Next() []registry.Action {
	if o.Path == "" {
		return nil
	}
	return verb.NextOnly("spawn", "See what a session from it would start", "spawn", o.Session+"-again",
		"--spawn-preset="+o.Path, "--dry-run")
}

func (o saveOut) Report() *report.Report {
	if o.Path == "" {
		return (&report.Report{}).Add(report.Block{Raw: o.Text})
	}
	r := report.Say(
		report.Toned(report.Good, "Saved "),
		report.Text(o.Session+" in "),
		report.Toned(report.Strong, o.Path),
		report.Toned(report.Dim, " ("+verb.Plural(o.Panes, "pane")+", "+verb.Plural(o.Prompts, "prompt")+")"),
	)
	r.Next = []report.Tip{verb.Tip("start one like it", "spawn", o.Session+"-again", "--spawn-preset="+o.Path)}
	return r
}
