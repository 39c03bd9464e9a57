package settings

import (
	"cmp"
	"context"

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
	return []registry.Action{verb.NextAction("paths", "See which files are read", "config-show", "--paths")}
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
