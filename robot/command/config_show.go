package command

import (
	"cmp"
	"context"

	"cupola/core/config"
	"cupola/core/report"
	"cupola/robot/registry"
)

type configShowIn struct {
	Origin bool `help:"Show the origin of each value; JSON answers always have it"`
	registry.Page
}

type configShowOut struct {
	// Settings has a row for every key.
	Settings []settingRow `json:"settings"`
	paged
}

var configShow = registry.Define(registry.Spec[configShowIn, configShowOut]{
	Name: "config-show", Group: groupSetup, Short: "Show every setting and where its value comes from",
	Aliases: []string{"config list"},
	Scope:   registry.Global, Effect: registry.Reads, List: "settings",
	Default:  configShowIn{Page: registry.Page{Limit: 100}},
	Examples: []configShowIn{{Page: registry.Page{Limit: 100}}, {Origin: true, Page: registry.Page{Limit: 100}}},
	Errors:   configErrors, Run: runConfigShow, Human: configShowReport,
	Hints: func(_ configShowIn, out configShowOut) *registry.Hints { return pageHints(out.Pagination) },
	Next: func(configShowIn, configShowOut) []registry.Action {
		return []registry.Action{{
			Action: "paths", Description: "See which files are read",
			Command: "cupola config-paths",
		}}
	},
}).SeeAlso("config-paths", "doctor")

func runConfigShow(_ context.Context, deps *registry.Deps, in configShowIn) (configShowOut, error) {
	c, err := deps.Settings()
	if err != nil {
		return configShowOut{}, err
	}
	keys, page := cut(config.Keys(), in.Page)
	out := configShowOut{Settings: make([]settingRow, 0, len(keys)), paged: page}
	for _, key := range keys {
		out.Settings = append(out.Settings, settingOf(c, key))
	}
	return out, nil
}

func configShowReport(in configShowIn, out configShowOut) *report.Report {
	table := &report.Table{Columns: report.Columns("KEY", "VALUE", "DEFAULT")}
	if in.Origin {
		table.Columns = report.Columns("KEY", "VALUE", "FROM")
	}
	table.Columns[1].Flex = true
	for _, row := range out.Settings {
		value, more := report.Text(cmp.Or(row.Value, "-")), report.Toned(report.Dim, row.Default)
		if row.Origin != string(config.Default) {
			value.Tone = report.Strong
		}
		if in.Origin {
			more = report.Toned(report.Dim, cmp.Or(row.Where, row.Origin))
		}
		table.Rows = append(table.Rows, []report.Cell{report.Text(row.Key), value, more})
	}
	return (&report.Report{}).Add(report.Block{Table: table})
}
