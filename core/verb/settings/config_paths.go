package settings

import (
	"context"
	"os"
	"time"

	"cupola/core/config"
	"cupola/core/text/report"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

type configPathsIn struct{}

type configPathsOut struct {
	// Paths has one row per file and folder, settings first.
	Paths []pathRow `json:"paths"`
}

// pathRow is a file or folder that Cupola reads or writes.
type pathRow struct {
	_ struct{} `minimal:"name,path" standard:"name,path,exists,problem" table:"NAME,PATH,,WHAT"`
	// Name is user, project, agents, bridges, presets, palette, store, checkpoints,
	// saved, state or runtime.
	Name   string `json:"name" table:"NAME"`
	Path   string `json:"path,omitempty" table:"PATH,strong"`
	Exists bool   `json:"exists" table:",good"`
	// Problem is the reason why the file, or one in the folder, cannot be used; absent if it can.
	Problem string `json:"problem,omitempty"`
	What    string `json:"what" table:"WHAT,dim,flex"`
}

var configPaths = registry.Define(registry.Spec[*verb.Local, configPathsIn, configPathsOut]{
	Name: "config-paths", Of: "config-show --paths", Group: verb.GroupSetup,
	Short: "Show which files Cupola uses, and whether the settings are valid",
	Scope: registry.Global, Effect: registry.Reads, Sessionless: true, List: "paths",
	Examples: []string{""},
	Run:      runConfigPaths,
}).SeeAlso("config-show", "doctor")

func runConfigPaths(_ context.Context, env *verb.Local, _ configPathsIn) (configPathsOut, error) {
	return configPathsOut{pathRows(env)}, nil
}

// pathRows has a row for each file and folder.
func pathRows(env *verb.Local) []pathRow {
	paths, c := env.Files(), env.Location.Settings()
	rows := []pathRow{
		{
			Name: "user", Path: paths.File(), Problem: problemOf(c, config.User, KeyProblems(env)...),
			What: "the user's settings",
		},
		{
			Name: "project", Path: paths.Project, Problem: problemOf(c, config.Project),
			What: "the project's settings",
		},
		{Name: "agents", Path: paths.Agents(), Problem: kindProblem(env), What: "the user's agent kinds"},
		{Name: "bridges", Path: paths.Bridges(), Problem: BridgeProblem(env), What: "the user's external tools"},
		{Name: "presets", Path: paths.Presets(), What: "the user's sessions for spawn --spawn-preset"},
		{Name: "palette", Path: paths.Palette(), Problem: PaletteProblem(env), What: "the user's saved prompts"},
		{Name: "store", Path: paths.Store(), What: "what was sent and what happened"},
		{Name: "checkpoints", Path: paths.Checkpoints(), What: "what checkpoint keeps"},
		{Name: "saved", Path: paths.Saved(), What: "what save writes without --output"},
		{Name: "state", Path: paths.State, What: "the log, and runs of pipelines"},
		{Name: "runtime", Path: paths.Runtime, What: "locks and sockets"},
	}
	for i := range rows {
		_, err := os.Stat(rows[i].Path)
		rows[i].Exists = err == nil
	}
	return rows
}

func (o configPathsOut) Report() *report.Report {
	return pathsReport(&report.Report{}, o.Paths)
}

// pathsReport adds files and folders to a report, and what is wrong with them.
func pathsReport(r *report.Report, rows []pathRow) *report.Report {
	r.AddTable("", report.TableOf(rows, time.Time{}, ""))
	for _, row := range rows {
		if row.Problem != "" {
			r.AddLine(report.Toned(report.Bad, row.Problem))
		}
	}
	return r
}

// Cell says whether a file or folder is there.
func (r *pathRow) Cell(title string) (report.Cell, bool) {
	switch {
	case title != "":
		return report.Cell{}, false
	case r.Problem != "":
		return report.Toned(report.Bad, "broken"), true
	case r.Exists:
		return report.Toned(report.Good, "there"), true
	}
	return report.Toned(report.Dim, "not there"), true
}
