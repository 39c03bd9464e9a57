package settings

import (
	"cmp"
	"context"

	"cupola/core/config"
	"cupola/core/text/report"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

type configShowIn struct {
	Origin        bool `help:"Show the origin of each value; JSON answers always have it"`
	registry.Page `default:"limit=100"`
}

type configShowOut struct {
	// Settings has one row per key.
	Settings []settingRow `json:"settings"`
	verb.Paged

	// origins is true if people want to see where each value comes from.
	origins bool
}

var configShow = registry.Define(registry.Spec[*verb.Local, configShowIn, configShowOut]{
	Name: "config-show", Group: verb.GroupSetup, Short: "Show every setting and where its value comes from",
	Aliases: []string{"config list"},
	Scope:   registry.Global, Effect: registry.Reads, List: "settings",
	Examples: []string{"", "--origin"},
	Run:      runConfigShow,
}).SeeAlso("config-paths", "doctor")

func runConfigShow(_ context.Context, env *verb.Local, in configShowIn) (configShowOut, error) {
	c := env.Settings()
	keys, page := verb.Cut(config.Keys(), in.Page)
	out := configShowOut{Settings: make([]settingRow, 0, len(keys)), Paged: page, origins: in.Origin}
	for _, key := range keys {
		out.Settings = append(out.Settings, settingOf(c, key))
	}
	return out, nil
}

func (o configShowOut) Next() []registry.Action {
	return []registry.Action{verb.NextAction("paths", "See which files are read", "config-paths")}
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
	return table.Report()
}
