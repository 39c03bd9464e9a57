package tools

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"cupola/core"
	"cupola/core/bridge"
	"cupola/core/text/report"
	"cupola/core/verb/registry"
)

// columnTypes are the Go types of the columns of bridges.
var columnTypes = map[string]reflect.Type{
	"int": reflect.TypeFor[int](), "number": reflect.TypeFor[float64](), "bool": reflect.TypeFor[bool](),
	"list": reflect.TypeFor[[]string](), "any": reflect.TypeFor[any](),
}

// outputType makes the answer struct of an action: its fields, the filters, its
// list, what that is of the whole, and what the tool printed.
func outputType(action *bridge.Action) reflect.Type {
	made := fields{}
	for _, column := range action.Fields {
		made.add(column, column.Optional)
	}
	if names := filtersOf(action); len(names) > 0 {
		filters := fields{}
		for _, name := range names {
			filters.add(bridge.Column{Name: name, Help: "What was asked for"}, true)
		}
		made.put("filters", "What the rows were selected by; absent if nothing was asked for",
			reflect.StructOf(filters), true)
	}
	if list := action.List; list != nil {
		row := fields{}
		for _, column := range list.Columns {
			row.add(column, false)
		}
		made.put(list.Name, "", reflect.SliceOf(reflect.StructOf(row)), false)
		made.put("count", "How many rows there are here", reflect.TypeFor[int](), false)
		if list.Pages != "" {
			made.put("total_matches", "How many rows there are in all, as far as is known", reflect.TypeFor[int](),
				false)
			made.put("offset", "How many rows were skipped", reflect.TypeFor[int](), false)
			made.put("has_more", "Whether there are more rows behind these", reflect.TypeFor[bool](), false)
		}
	}
	made.put("raw", "What the tool printed, with --verbose", reflect.TypeFor[any](), true)
	return reflect.StructOf(made)
}

// filtersOf are the modifiers that select rows of an action's list.
func filtersOf(action *bridge.Action) []string {
	if action.List == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(action.Takes), func(name string) bool {
		return slices.Contains([]string{"limit", "offset", "dry-run"}, name) || action.Tool.Flags[name].Secret
	})
}

// commands are the columns of tools that hold commands, with what they mean.
var commands = map[string]registry.Meaning{
	"command": registry.MeansCommandLine, "fix": registry.MeansCommand,
}

// fields are the fields of a struct that is being made.
type fields []reflect.StructField

func (f *fields) add(column bridge.Column, optional bool) {
	kind, ok := columnTypes[column.Type]
	if !ok {
		kind = reflect.TypeFor[string]()
	}
	if optional && (kind.Kind() == reflect.Int || kind.Kind() == reflect.Float64 || kind.Kind() == reflect.Bool) {
		kind = reflect.PointerTo(kind)
	}
	// A tool says nothing with an empty text.
	f.put(column.Name, column.Help, kind, optional || kind.Kind() == reflect.String)
}

func (f *fields) put(name, help string, kind reflect.Type, optional bool) {
	tag := name
	switch {
	case optional && kind.Kind() == reflect.Struct:
		tag += ",omitzero"
	case optional:
		tag += ",omitempty"
	}
	text := `json:` + strconv.Quote(tag)
	if help != "" {
		text += ` jsonschema_description:` + strconv.Quote(help)
	}
	if means, is := commands[name]; is {
		text += ` names:` + strconv.Quote(string(means))
	}
	*f = append(*f, reflect.StructField{
		Name: goName(strings.ReplaceAll(name, "_", "-")), Type: kind,
		Tag: reflect.StructTag(text),
	})
}

// output puts an answer into the struct that outputType makes.
func (given bridgeInput) output(action *bridge.Action, answer *bridge.Answer) (any, error) {
	body := map[string]any{}
	for _, field := range action.Fields {
		if value, said := answer.Fields[field.Name]; said && (given.verbose || !field.Verbose) {
			body[field.Name] = value
		}
	}
	if list := action.List; list != nil {
		offset, _ := given.values["offset"].(int)
		body[list.Name], body["count"] = answer.Rows, len(answer.Rows)
		body["total_matches"], body["offset"], body["has_more"] = answer.Total, offset, answer.More
		body["filters"] = given.filters
	}
	if given.verbose {
		body["raw"] = answer.Raw
	}
	text, err := json.Marshal(body)
	if err != nil {
		return nil, &core.Error{Code: core.InternalError, Err: err}
	}
	value := reflect.New(outputType(action))
	if err := json.Unmarshal(text, value.Interface()); err != nil {
		return nil, &core.Error{Code: core.InternalError, Err: err}
	}
	return value.Elem().Interface(), nil
}

// bridgeReport shows the fields of an answer, and its list as a table of the
// columns that it usually has.
func bridgeReport(action *bridge.Action, answer *bridge.Answer) *report.Report {
	r := &report.Report{}
	lines := []report.Line{}
	for _, field := range action.Fields {
		if value, said := answer.Fields[field.Name]; said && !field.Verbose {
			lines = append(lines, report.Line{report.Toned(report.Dim, field.Name+": "), report.Text(shown(value))})
		}
	}
	if text, plain := answer.Raw.(string); plain && len(lines) == 0 && action.List == nil {
		return r.Add(report.Block{Quote: text + "\n"})
	}
	if len(lines) > 0 {
		r.Add(report.Block{Lines: lines})
	}
	if action.List == nil {
		return r
	}
	names := action.List.Standard
	if len(names) == 0 {
		names = action.List.Minimal
	}
	table := &report.Table{Empty: "nothing was found"}
	for i, name := range names {
		table.Columns = append(table.Columns, report.Column{Title: strings.ToUpper(name), Flex: i == len(names)-1})
	}
	for _, row := range answer.Rows {
		cells := core.Map(names, func(name string) report.Cell { return report.Text(shown(row[name])) })
		table.Rows = append(table.Rows, cells)
	}
	r.AddTable("", table)
	if answer.More {
		r.AddLine(report.Toned(report.Dim,
			fmt.Sprintf("%d of %d; --offset shows the next", len(answer.Rows), answer.Total)))
	}
	return r
}

// shown writes a value on one line, for people.
func shown(value any) string {
	switch value := value.(type) {
	case nil:
		return ""
	case string:
		return strings.Join(strings.Fields(value), " ")
	case []string:
		return strings.Join(value, ", ")
	case int, float64, bool:
		return fmt.Sprint(value)
	}
	text, err := json.Marshal(value)
	if err != nil {
		return ""
	}
	return string(text)
}
