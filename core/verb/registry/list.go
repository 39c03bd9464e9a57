package registry

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"cupola/core"
	"cupola/core/text/report"
)

// List is a list of objects in a verb's answer. The zero value is none.
type List struct {
	// Name is its name in JSON.
	Name string
	// Presets are the selections of its columns that --fields knows by name, in addition to
	// "full". They are tags of the list or, where it has none, of the blank fields of
	// its rows.
	Presets map[string][]string

	field reflect.StructField
}

// Rows returns the list that the verb is about; none if there is none.
func (v *Verb) Rows() List {
	return core.Find(v.Lists(), func(l List) bool { return l.Name == v.List })
}

// Lists returns the lists of objects in the verb's answer, in its order.
func (v *Verb) Lists() []List {
	var lists []List
	for _, sf := range reflect.VisibleFields(v.Output()) {
		if name, _, _ := strings.Cut(sf.Tag.Get("json"), ","); name != "" && name != "-" && holdsObjects(sf.Type) {
			list := List{Name: name, Presets: presetsOf(sf), field: sf}
			if presets := v.shape().presets; presets != nil && name == v.List {
				list.Presets = presets
			}
			lists = append(lists, list)
		}
	}
	return lists
}

func holdsObjects(t reflect.Type) bool {
	return t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Struct
}

// presetsOf are the presets that the tags of a list say.
func presetsOf(sf reflect.StructField) map[string][]string {
	presets := map[string][]string{}
	add := func(tag reflect.StructTag) {
		for _, name := range []string{"minimal", "standard"} {
			if columns := tag.Get(name); columns != "" {
				presets[name] = strings.Split(columns, ",")
			}
		}
	}
	add(sf.Tag)
	if len(presets) > 0 {
		return presets
	}
	for row, i := sf.Type.Elem(), 0; i < row.NumField(); i++ {
		if row.Field(i).Name == "_" {
			add(row.Field(i).Tag)
		}
	}
	return presets
}

// listsNothing reports whether the verb is about a list, and no list of an answer has an element.
func listsNothing(v *Verb, answer any) bool {
	value := reflect.ValueOf(answer)
	return v.Rows().field.Type != nil && !slices.ContainsFunc(reflect.VisibleFields(v.Output()),
		func(sf reflect.StructField) bool {
			list, err := value.FieldByIndexErr(sf.Index)
			return err == nil && list.Kind() == reflect.Slice && list.Len() > 0
		})
}

// Columns returns the JSON names of the list's columns, with dots into objects and
// lists of them.
func (l List) Columns() []string {
	if l.field.Type == nil {
		return nil
	}
	return columns(l.field.Type.Elem(), "")
}

// Check returns what is wrong with the declaration of the list: it has no preset
// minimal, a preset names a column that there is not, or its table cannot be made.
func (l List) Check() error {
	if l.Presets["minimal"] == nil {
		return fmt.Errorf("the list %q has no preset minimal", l.Name)
	}
	columns := l.Columns()
	for name, preset := range l.Presets {
		for _, column := range preset {
			if !slices.Contains(columns, column) {
				return fmt.Errorf("the preset %s of %s names %s, which is no column", name, l.Name, column)
			}
		}
	}
	return report.CheckRow(l.field.Type.Elem())
}

// deepest is the depth to which columns look into objects of objects, since some hold their own kind.
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

// reported describes an answer by its method Report, or by the table of its list if it has no such method, or one that
// returns nil. It is nil for any other.
func reported(out any, list List, now time.Time) *report.Report {
	if own, ok := out.(interface{ Report() *report.Report }); ok {
		if made := own.Report(); made != nil {
			return made
		}
	}
	if rows := list.field; rows.Type != nil && report.HasColumns(rows.Type.Elem()) {
		answer, empty := reflect.ValueOf(out), rows.Tag.Get("empty")
		if words, is := rows.Tag.Lookup("filtered"); is && !answer.FieldByName("Filters").IsZero() {
			empty = words
		}
		return report.TableOf(answer.FieldByIndex(rows.Index).Interface(), now, empty).Report()
	}
	return nil
}
