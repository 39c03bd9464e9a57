package registry

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"cupola/core/report"
)

// Columns returns the JSON names of the columns of a list in the verb's answer,
// with dots into objects and lists of them; nil if the answer has no such list of
// structs.
func (v *Verb) Columns(list string) []string {
	if sf, ok := listOf(v.Output(), list); ok {
		return columns(sf.Type.Elem(), "")
	}
	return nil
}

// Lists returns the JSON names of the lists of objects in the verb's answer, in
// its order.
func (v *Verb) Lists() []string {
	var names []string
	for _, sf := range reflect.VisibleFields(v.Output()) {
		if sf.Type.Kind() == reflect.Slice && sf.Type.Elem().Kind() == reflect.Struct {
			if name, _, _ := strings.Cut(sf.Tag.Get("json"), ","); name != "" && name != "-" {
				names = append(names, name)
			}
		}
	}
	return names
}

// deepest is how far columns look into objects of objects, some of which hold
// their own kind.
const deepest = 3

func columns(row reflect.Type, prefix string) []string {
	if row.Kind() != reflect.Struct {
		return nil
	}
	var names []string
	for _, sf := range reflect.VisibleFields(row) {
		name, _, _ := strings.Cut(sf.Tag.Get("json"), ",")
		if name == "" || name == "-" {
			continue
		}
		names = append(names, prefix+name)
		inner := sf.Type
		if inner.Kind() == reflect.Slice {
			inner = inner.Elem()
		}
		if inner.Kind() == reflect.Struct && inner != timeType && strings.Count(prefix, ".") < deepest {
			names = append(names, columns(inner, prefix+name+".")...)
		}
	}
	return names
}

// listOf returns the field of an answer that holds a list.
func listOf(output reflect.Type, list string) (reflect.StructField, bool) {
	for _, sf := range reflect.VisibleFields(output) {
		if name, _, _ := strings.Cut(sf.Tag.Get("json"), ","); name == list && name != "" && sf.Type.Kind() == reflect.Slice {
			return sf, true
		}
	}
	return reflect.StructField{}, false
}

// presetNames are the presets that tags may declare.
var presetNames = []string{"minimal", "standard"}

// Presets returns the selections of a list's columns that --fields knows by name,
// besides "full". They are tags of the list in the answer or, where it has none, of the
// blank fields of its rows.
func (v *Verb) Presets(list string) map[string][]string {
	if v.presets != nil && list == v.List {
		return v.presets
	}
	sf, ok := listOf(v.Output(), list)
	if !ok {
		return nil
	}
	presets := map[string][]string{}
	addPresets(presets, sf.Tag)
	if row := sf.Type.Elem(); len(presets) == 0 && row.Kind() == reflect.Struct {
		for i := range row.NumField() {
			if row.Field(i).Name == "_" {
				addPresets(presets, row.Field(i).Tag)
			}
		}
	}
	return presets
}

func addPresets(presets map[string][]string, tag reflect.StructTag) {
	for _, name := range presetNames {
		if columns := tag.Get(name); columns != "" {
			presets[name] = strings.Split(columns, ",")
		}
	}
}

// CheckLists returns what is wrong with the declarations of the lists in the verb's
// answer: a list without the preset minimal, a preset of a column that there is not, or
// a table that cannot be made.
func (v *Verb) CheckLists() error {
	if v.List == "" {
		return nil
	}
	if v.Columns(v.List) == nil {
		return fmt.Errorf("%s: there is no list %s", v.Name, v.List)
	}
	for _, list := range v.Lists() {
		presets, columns := v.Presets(list), v.Columns(list)
		if presets["minimal"] == nil && columns != nil {
			return fmt.Errorf("%s: the list %s has no preset minimal", v.Name, list)
		}
		for name, preset := range presets {
			for _, column := range preset {
				if !slices.Contains(columns, column) {
					return fmt.Errorf("%s: the preset %s of %s names %s, which is no column", v.Name, name, list, column)
				}
			}
		}
		if sf, _ := listOf(v.Output(), list); columns != nil {
			if err := report.CheckRow(sf.Type.Elem()); err != nil {
				return fmt.Errorf("%s: %w", v.Name, err)
			}
		}
	}
	return nil
}

// reported describes an answer that has a method Report, or the table of its list. It
// is nil for any other.
func reported(out any, list string, now time.Time) *report.Report {
	if own, ok := out.(interface{ Report() *report.Report }); ok {
		return own.Report()
	}
	sf, ok := listOf(reflect.TypeOf(out), list)
	if !ok || !report.HasColumns(sf.Type.Elem()) {
		return nil
	}
	rows := reflect.ValueOf(out).FieldByIndex(sf.Index)
	return report.TableOf(rows.Interface(), now, sf.Tag.Get("empty")).Report()
}
