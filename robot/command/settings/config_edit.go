package settings

import (
	"cmp"
	"context"
	"os"

	"cupola/core"
	"cupola/core/config"
	"cupola/core/report"
	"cupola/core/shell"
	"cupola/robot/command/verb"
	"cupola/robot/registry"
)

// ConfigEditIn is what the verb config-edit takes.
type ConfigEditIn struct {
	OfProject
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
var ConfigEdit = registry.Define(registry.Spec[*verb.Env, ConfigEditIn, configEditOut]{
	Name: "config-edit", Group: verb.GroupSetup, Short: "Edit the settings, or print the command that does",
	Long: "On a terminal it opens the file in $VISUAL or $EDITOR and then checks it. In robot mode it returns the " +
		"command to run.",
	Scope: registry.Global, Effect: registry.Writes,
	Examples: []string{"", "--in-project"},
	Errors:   []core.Code{core.IOError, core.PermissionDenied, core.AlreadyExists, core.Conflict}, Run: runConfigEdit,
})

func (o configEditOut) Plan() []string {
	return o.argv
}

func (o configEditOut) Report() *report.Report {
	return report.Say(report.Text("Run: "), report.Toned(report.Code, o.Command))
}

func runConfigEdit(_ context.Context, env *verb.Env, in ConfigEditIn) (configEditOut, error) {
	paths := env.Files()
	out := configEditOut{Path: paths.Of(in.layer())}
	_, err := os.Stat(out.Path)
	out.Exists = err == nil
	if !out.Exists && !in.Project && env.Confirm != nil {
		// A user is at the terminal and will edit it now.
		if err := Apply(config.Init(paths, false)); err != nil {
			return configEditOut{}, err
		}
	}
	editor := cmp.Or(FirstOf(env.Getenv, "VISUAL", "EDITOR"), "vi")
	out.Command = editor + " " + shell.Quote(out.Path)
	out.argv = []string{"sh", "-c", editThenCheck, "sh", editor, out.Path, env.Self}
	return out, nil
}
