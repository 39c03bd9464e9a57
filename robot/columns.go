package robot

import (
	"encoding/json"
	"fmt"
	"slices"
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

// terseRows is how many rows of a list one line shows, unless its columns were
// chosen.
const terseRows = 10

// brief is the part of an answer that a line or a page has use for, without the inputs and the numbers of the page.
// Where columns were chosen, it is their lists alone.
func brief(fields []string, verb *registry.Verb, body render.Object, format string) render.Object {
	_, paged := body.Get("total_matches")
	out := make(render.Object, 0, len(body))
	for _, m := range body {
		rows, isList := m.Value.([]any)
		switch {
		case len(fields) > 0 && (!isList || !chose(fields, verb, m.Key)):
			continue
		case m.Key == "filters", m.Key == "pagination", paged && (m.Key == "offset" || m.Key == "count"):
			continue
		}
		out = append(out, m)
		if format != "terse" || !isList || m.Key != verb.List && len(fields) == 0 {
			continue
		}
		columns, most := verb.Rows().Presets["minimal"], terseRows
		if len(fields) > 0 {
			columns, most = nil, len(rows)
		}
		for i, row := range rows[:min(most, len(rows))] {
			if object, ok := row.(render.Object); ok {
				out = append(out,
					render.Member{Key: fmt.Sprintf("%s.%d", m.Key, i+1), Value: render.RowOf(object, columns)})
			}
		}
	}
	return out
}

// chose reports whether fields name columns of a list.
func chose(fields []string, verb *registry.Verb, list string) bool {
	of := func(field string) string {
		name, _, dotted := strings.Cut(field, ".")
		if dotted && slices.ContainsFunc(verb.Lists(), func(list registry.List) bool { return list.Name == name }) {
			return name
		}
		return verb.List
	}
	return slices.ContainsFunc(fields, func(field string) bool { return of(field) == list })
}

// withCommands adds to a failure each command that its actions name, for a line has
// only the lengths of lists.
func withCommands(failure render.Object) render.Object {
	out := make(render.Object, 0, len(failure))
	for _, m := range failure {
		if inner, is := m.Value.(render.Object); is && m.Key == "error" {
			m.Value = withCommands(inner)
		}
		out = append(out, m)
		if actions, is := m.Value.([]any); is && m.Key == "actions" {
			for i, command := range actions {
				out = append(out, render.Member{Key: fmt.Sprintf("actions.%d", i+1), Value: command})
			}
		}
	}
	return out
}
