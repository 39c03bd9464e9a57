package command

import (
	"context"
	"os"

	"cupola/core/config"
	"cupola/core/report"
	"cupola/robot/registry"
)

type configPathsIn struct{}

type configPathsOut struct {
	// Paths has a row for every file and folder, settings first.
	Paths []pathRow `json:"paths"`
}

// pathRow is a file or folder that Cupola reads or writes.
type pathRow struct {
	_ struct{} `minimal:"name,path" standard:"name,path,exists,problem"`
	// Name is user, project, agents, bridges, presets, palette, store, checkpoints,
	// saved, state or runtime.
	Name   string `json:"name"`
	Path   string `json:"path,omitempty"`
	Exists bool   `json:"exists"`
	// Problem says why the file, or one in the folder, cannot be used; absent if it can.
	Problem string `json:"problem,omitempty"`
	What    string `json:"what"`
}

var configPaths = registry.Define(registry.Spec[configPathsIn, configPathsOut]{
	Name: "config-paths", Group: groupSetup, Short: "Show which files Cupola uses, and whether the settings are valid",
	Scope: registry.Global, Effect: registry.Reads, List: "paths",
	Examples: []configPathsIn{{}},
	Run:      runConfigPaths, Human: configPathsReport,
}).SeeAlso("config-show", "doctor")

func runConfigPaths(_ context.Context, deps *registry.Deps, _ configPathsIn) (configPathsOut, error) {
	paths := deps.Files()
	out := configPathsOut{Paths: []pathRow{
		{Name: "user", Path: paths.File(), Problem: problem(paths, config.User), What: "the user's settings"},
		{Name: "project", Path: paths.Project, Problem: problem(paths, config.Project), What: "the project's settings"},
		{Name: "agents", Path: paths.Agents(), Problem: kindProblem(deps), What: "the user's agent kinds"},
		{Name: "bridges", Path: paths.Bridges(), Problem: bridgeProblem(deps), What: "the user's external tools"},
		{Name: "presets", Path: paths.Presets(), What: "the user's sessions for spawn --spawn-preset"},
		{Name: "palette", Path: paths.Palette(), Problem: paletteProblem(deps), What: "the user's saved prompts"},
		{Name: "store", Path: paths.Store(), What: "what was sent and what happened"},
		{Name: "checkpoints", Path: paths.Checkpoints(), What: "what checkpoint keeps"},
		{Name: "saved", Path: paths.Saved(), What: "what save writes without --output"},
		{Name: "state", Path: paths.State, What: "the log, and runs of pipelines"},
		{Name: "runtime", Path: paths.Runtime, What: "locks and sockets"},
	}}
	for i := range out.Paths {
		_, err := os.Stat(out.Paths[i].Path)
		out.Paths[i].Exists = err == nil
	}
	return out, nil
}

// problem is what is wrong with a settings file; empty if nothing is.
func problem(paths config.Paths, layer config.Layer) string {
	return said(config.Check(paths, layer))
}

func configPathsReport(_ configPathsIn, out configPathsOut) *report.Report {
	table := &report.Table{Columns: report.Columns("NAME", "PATH", "", "WHAT")}
	table.Columns[3].Flex = true
	r := (&report.Report{}).Add(report.Block{Table: table})
	for _, row := range out.Paths {
		state := report.Toned(report.Dim, "not there")
		switch {
		case row.Problem != "":
			state = report.Toned(report.Bad, "broken")
			r.Add(report.Block{Lines: []report.Line{{report.Toned(report.Bad, row.Problem)}}})
		case row.Exists:
			state = report.Toned(report.Good, "there")
		}
		table.Rows = append(table.Rows, []report.Cell{report.Text(row.Name), report.Toned(report.Strong, row.Path), state, report.Toned(report.Dim, row.What)})
	}
	return r
}
