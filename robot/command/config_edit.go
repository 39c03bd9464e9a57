package command

import (
	"cmp"
	"context"
	"os"

	"cupola/core"
	"cupola/core/config"
	"cupola/core/report"
	"cupola/core/shell"
	"cupola/robot/registry"
)

type configEditIn struct {
	ofProject
}

type configEditOut struct {
	Path   string `json:"path"`
	Exists bool   `json:"exists"`
	// Command opens the file in the user's editor.
	Command string `json:"command"`

	argv []string
}

// editThenCheck opens an editor, which may be a command with words of its own,
// and then shows whether the files can be read.
const editThenCheck = `eval "$1 \"\$2\"" && exec "$3" config-paths --human`

var configEdit = registry.Define(registry.Spec[configEditIn, configEditOut]{
	Name: "config-edit", Group: groupSetup, Short: "Edit the settings, or print the command that does",
	Long: "On a terminal it opens the file in $VISUAL or $EDITOR and then checks it. In robot mode it returns the " +
		"command to run.",
	Scope: registry.Global, Effect: registry.Writes,
	Examples: []configEditIn{{}, {ofProject{Project: true}}},
	Errors:   []core.Code{core.IOError, core.PermissionDenied, core.AlreadyExists, core.Conflict},
	Run:      runConfigEdit,
	Human: func(_ configEditIn, out configEditOut) *report.Report {
		return report.Say(report.Text("Run: "), report.Toned(report.Code, out.Command))
	},
	Plan: func(_ configEditIn, out configEditOut) []string { return out.argv },
})

func runConfigEdit(_ context.Context, deps *registry.Deps, in configEditIn) (configEditOut, error) {
	paths := deps.Files()
	out := configEditOut{Path: paths.Of(in.layer())}
	_, err := os.Stat(out.Path)
	out.Exists = err == nil
	if !out.Exists && !in.Project && deps.Confirm != nil {
		// Somebody sits there and will edit it at once.
		change, err := config.Init(paths, false)
		if err == nil {
			err = change.Apply()
		}
		if err != nil {
			return configEditOut{}, err
		}
	}
	editor := cmp.Or(firstOf(deps.Getenv, "VISUAL", "EDITOR"), "vi")
	out.Command = editor + " " + shell.Quote(out.Path)
	out.argv = []string{"sh", "-c", editThenCheck, "sh", editor, out.Path, deps.Self}
	return out, nil
}
