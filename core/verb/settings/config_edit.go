package settings

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"strconv"

	"cupola/core"
	"cupola/core/config"
	"cupola/core/system/shell"
	"cupola/core/text/report"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

// ConfigEditIn is the input of the verb config-edit.
type ConfigEditIn struct {
	File   string `arg:"1" help:"A file of the configuration folder instead, such as agents/mine.toml"`
	Create bool   `help:"Write a new settings file if there is none, and open no editor"`
	OfProject
}

// Check sees that the file is one of the configuration folder.
func (in ConfigEditIn) Check() error {
	switch {
	case in.Create && (in.File != "" || in.Project):
		return core.Errorf(core.InvalidInput, "--create is for the file of your settings alone")
	case in.File != "" && in.Project:
		return registry.Conflict("--in-project", shell.Quote(in.File))
	case in.File != "" && (!filepath.IsLocal(in.File) || filepath.Ext(in.File) != ".toml"):
		return &core.Error{
			Code: core.InvalidInput, Message: strconv.Quote(core.Cut(in.File)) + " is no settings file of yours",
			Hint:    "Name it as it is below the configuration folder, such as agents/mine.toml.",
			Actions: []string{"cupola config-paths"},
		}
	}
	return nil
}

type configEditOut struct {
	Path   string `json:"path"`
	Exists bool   `json:"exists"`
	// Command opens the file in the user's editor.
	Command string `json:"command" names:"command"`

	argv []string
}

// editThenCheck opens an editor, which may be a command with words of its own,
// and then shows whether the files can be read.
const editThenCheck = `eval "$1 \"\$2\"" && exec "$3" config-paths --human`

// ConfigEdit declares the verb config-edit.
var ConfigEdit = registry.Define(registry.Spec[*verb.Local, ConfigEditIn, configEditOut]{
	Name: "config-edit", Group: verb.GroupSetup, Short: "Edit the settings",
	Long: "On a terminal it opens the file in $VISUAL or $EDITOR and then checks it. In robot mode it returns the " +
		"command to run.",
	Scope: registry.Global, Effect: registry.Destroys, Programs: true,
	Examples: []string{"", "--in-project", "agents/mine.toml"},
	Errors: []core.Code{
		core.IOError, core.PermissionDenied, core.AlreadyExists, core.Conflict, core.InvalidInput,
	},
	Run: runConfigEdit,
})

func (o configEditOut) Plan() []string {
	return o.argv
}

func (o configEditOut) Report() *report.Report {
	return report.Say(report.Text("Run: "), report.Toned(report.Code, o.Command))
}

func runConfigEdit(_ context.Context, env *verb.Local, in ConfigEditIn) (configEditOut, error) {
	paths := env.Files()
	out := configEditOut{Path: paths.Of(in.layer())}
	if in.File != "" {
		out.Path = filepath.Join(paths.Config, in.File)
	}
	_, err := os.Stat(out.Path)
	out.Exists = err == nil
	if !out.Exists && !in.Project && in.File == "" && (in.Create || env.Confirm != nil) {
		// Without --create, a user is at the terminal and will edit it now.
		if err := Apply(config.Init(paths, false)); err != nil {
			return configEditOut{}, err
		}
		out.Exists = in.Create
	}
	editor := cmp.Or(FirstOf(env.Getenv, "VISUAL", "EDITOR"), "vi")
	out.Command = editor + " " + shell.Quote(out.Path)
	if in.Create {
		return out, nil
	}
	out.argv = []string{"sh", "-c", editThenCheck, "sh", editor, out.Path, env.Self}
	return out, nil
}

type configInitIn struct {
	Force bool `help:"Replace an existing file"`
	registry.Preview
}

type configInitOut struct {
	File    string `json:"file"`
	Changed bool   `json:"changed"`
	DryRun  bool   `json:"dry_run"`
	// Diff shows what was written, or would be.
	Diff string `json:"diff,omitempty"`
}

var configInit = registry.Define(registry.Spec[*verb.Local, configInitIn, configInitOut]{
	Name: "config-init", Of: "config-edit --create", Group: verb.GroupSetup, Short: "Write a new settings file",
	Scope: registry.Global, Effect: registry.Destroys,
	Examples: []string{"--dry-run", ""},
	Errors:   []core.Code{core.AlreadyExists, core.Conflict, core.IOError, core.PermissionDenied},
	Run: func(_ context.Context, env *verb.Local, in configInitIn) (configInitOut, error) {
		change, err := config.Init(env.Files(), in.Force)
		if err != nil {
			return configInitOut{}, err
		}
		out := configInitOut{
			File: change.File, Changed: change.Changes() && !in.DryRun, DryRun: in.DryRun,
			Diff: change.Diff(),
		}
		if in.DryRun {
			return out, nil
		}
		return out, change.Apply()
	},
})

func (o configInitOut) Report() *report.Report {
	r := changeReport("Wrote ", "Would write ", "Nothing to change in ", o.File, o.Diff, o.DryRun)
	r.Next = []report.Tip{verb.Tip("change what it says", "config-edit")}
	return r
}
