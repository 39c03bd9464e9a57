package settings

import (
	"cmp"
	"context"
	"os"
	"time"

	"cupola/core"
	"cupola/core/config"
	"cupola/core/text/report"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

type configShowIn struct {
	Key           string `arg:"1" help:"One setting: SECTION.KEY (default: all)"`
	Paths         bool   `help:"Also the files and folders that Cupola uses, and whether they are valid"`
	Origin        bool   `help:"Show the origin of each value; JSON answers always have it"`
	registry.Page `default:"limit=100"`
}

type configShowOut struct {
	// Settings has one row per key.
	Settings []settingRow `json:"settings"`
	verb.Paged
	// Setting is all about the one that was named; absent if none was.
	Setting *configGetOut `json:"setting,omitempty"`
	// Paths has one row per file and folder, settings first; absent without --paths.
	Paths []pathRow `json:"paths,omitempty"`

	// origins is true if people want to see where each value comes from.
	origins bool
}

var configShow = registry.Define(registry.Spec[*verb.Local, configShowIn, configShowOut]{
	Name: "config-show", Group: verb.GroupSetup, Short: "Show settings and files",
	Aliases: []string{"config list"},
	Scope:   registry.Resource, Effect: registry.Reads, List: "settings",
	Examples: []string{"", "--origin", "alerts.idle", "--paths --limit=1"},
	Errors:   []core.Code{core.InvalidInput}, Run: runConfigShow,
}).SeeAlso("doctor")

// Check sees that there is such a setting.
func (in configShowIn) Check() error {
	if in.Key == "" {
		return nil
	}
	_, err := config.KeyNamed(in.Key)
	return err
}

func runConfigShow(_ context.Context, env *verb.Local, in configShowIn) (configShowOut, error) {
	c, known := env.Settings(), config.Keys()
	var shown *configGetOut
	if in.Key != "" {
		key, err := config.KeyNamed(in.Key)
		if err != nil {
			return configShowOut{}, err
		}
		setting, err := settingShown(env, in.Key)
		if err != nil {
			return configShowOut{}, err
		}
		known, shown = known[:0:0], &setting
		known = append(known, key)
	}
	keys, page := verb.Cut(known, in.Page)
	out := configShowOut{Settings: make([]settingRow, 0, len(keys)), Paged: page, Setting: shown, origins: in.Origin}
	for _, key := range keys {
		out.Settings = append(out.Settings, settingOf(c, key))
	}
	if in.Paths {
		out.Paths = pathRows(env)
	}
	return out, nil
}

func (o configShowOut) Next() []registry.Action {
	if o.Paths != nil {
		return nil
	}
	return verb.NextOnly("paths", "See which files are read", "config-show", "--paths")
}

func (o configShowOut) Report() *report.Report {
	table := &report.Table{Columns: report.Columns("KEY", "VALUE", "DEFAULT")}
	if o.origins {
		table.Columns = report.Columns("KEY", "VALUE", "FROM")
	}
	table.Columns[1].Flex = true
	for _, row := range o.Settings {
		value, more := report.Text(cmp.Or(row.Value, "-")), report.Toned(report.Dim, row.Default)
		if row.Origin != string(config.Default) {
			value.Tone = report.Strong
		}
		if o.origins {
			more = report.Toned(report.Dim, cmp.Or(row.Where, row.Origin))
		}
		table.Rows = append(table.Rows, []report.Cell{report.Text(row.Key), value, more})
	}
	r := table.Report()
	if o.Setting != nil {
		r.AddLine(report.Toned(report.Dim, o.Setting.Description))
	}
	if o.Paths != nil {
		return pathsReport(r, o.Paths)
	}
	return r
}

type configGetIn struct {
	Key string `arg:"1" required:"true" lister:"config-show" help:"Setting: SECTION.KEY"`
}

type configGetOut struct {
	settingRow
	// Description is the effect of the setting.
	Description string `json:"description"`
	// Valid are the values allowed; absent where all of its type are.
	Valid []string `json:"valid"`
	// Variable is the environment variable that sets it.
	Variable string `json:"variable,omitempty"`
}

var configGet = registry.Define(registry.Spec[*verb.Local, configGetIn, configGetOut]{
	Name: "config-get", Of: "config-show", Group: verb.GroupSetup, Short: "Show one setting",
	Scope: registry.Resource, Effect: registry.Reads,
	Examples: []string{"alerts.idle"},
	Errors:   []core.Code{core.InvalidInput},
	Run: func(_ context.Context, env *verb.Local, in configGetIn) (configGetOut, error) {
		return settingShown(env, in.Key)
	},
}).SeeAlso("config-show")

func settingShown(env *verb.Local, name string) (configGetOut, error) {
	key, err := config.KeyNamed(name)
	if err != nil {
		return configGetOut{}, err
	}
	return configGetOut{
		settingRow: settingOf(env.Settings(), key), Description: key.Doc, Valid: key.Enum, Variable: key.Env(),
	}, nil
}

func (o configGetOut) Report() *report.Report {
	return report.Say(report.Text(o.Value))
}

// Check sees that what was given can be read.
func (in configGetIn) Check() error {
	_, err := config.KeyNamed(in.Key)
	return err
}

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
