package robot

import (
	"encoding/json"
	"fmt"
	"strings"

	"cupola/core"
	"cupola/core/text/report"
	"cupola/core/verb/registry"
	"cupola/core/verb/render"
)

// Columns returns what describes the chosen columns of a verb's answer for people;
// nil where none were chosen.
func (f *Face) Columns(verb *registry.Verb) (func(*registry.Reply) (*report.Report, error), error) {
	if err := f.chosen(verb); err != nil || len(f.Globals.Fields) == 0 {
		return nil, err
	}
	return func(reply *registry.Reply) (*report.Report, error) {
		body, err := f.body(verb, reply)
		if err != nil {
			return nil, err
		}
		rows, _ := body.Get(verb.List)
		items, _ := rows.([]any)
		return (&report.Report{}).Add(report.Block{Table: tableOf(items, verb)}), nil
	}, nil
}

// tableOf is a table of rows that all have the same columns.
func tableOf(rows []any, verb *registry.Verb) *report.Table {
	table := &report.Table{Empty: "no " + verb.List}
	for _, item := range rows {
		row, _ := item.(render.Object)
		cells := make([]report.Cell, len(row))
		titles := make([]string, len(row))
		for i, m := range row {
			titles[i], cells[i] = strings.ToUpper(m.Key), cellOf(m)
		}
		table.Columns = report.Columns(titles...)
		table.Rows = append(table.Rows, cells)
	}
	return table
}

func cellOf(m render.Member) report.Cell {
	switch v := m.Value.(type) {
	case string:
		if m.Key == "state" {
			return report.Toned(report.StateTone(core.State(v)), v)
		}
		return report.Text(v)
	case nil:
		return report.Text("")
	case render.Object, []any:
		text, err := json.Marshal(v)
		if err != nil {
			return report.Text(err.Error())
		}
		return report.Text(string(text))
	default:
		return report.Text(fmt.Sprint(v))
	}
}
