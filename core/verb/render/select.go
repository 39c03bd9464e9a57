package render

import (
	"slices"
	"strings"

	"cupola/core"
	"cupola/core/text/near"
)

// List is a list of objects in a document.
type List struct {
	Name string
	// Presets are selections of its columns by name.
	Presets map[string][]string
	// Columns are all columns that rows may have, with dots into objects and
	// lists, for rows that are not there.
	Columns []string
}

// Selection chooses the columns of the lists of a document.
type Selection struct {
	// Fields are names of presets, or "full" or "standard", for all lists that
	// know them; columns of the first list, with dots into objects; and columns
	// of the others as "list.column".
	Fields []string
	// Lists are all lists; the columns of the first need no name before them.
	Lists []List
}

// Select returns doc with the chosen columns of its lists, in the chosen order,
// each once. If only columns are named, a list without a named column shows
// those of its preset minimal, if it has one. A column that a row lacks is null, which
// Present leaves out; one that is in a list of its own is the list of its values. An unknown column is an
// InvalidInput error that lists the valid ones.
func Select(doc Object, s Selection) (Object, error) {
	chosen, named := make([][]string, len(s.Lists)), len(s.Fields) == 0
	for _, field := range s.Fields {
		if s.preset(field, chosen) {
			named = true
			continue
		}
		list, column := s.column(doc, field)
		if list < 0 {
			return nil, s.unknown(doc, field)
		}
		chosen[list] = append(chosen[list], column)
	}
	out := slices.Clone(doc)
	for i, columns := range chosen {
		if len(columns) == 0 && !named {
			columns = s.Lists[i].Presets["minimal"]
		}
		rows, ok := out.Get(s.Lists[i].Name)
		items, is := rows.([]any)
		if !ok || !is || len(columns) == 0 {
			continue
		}
		picked := make([]any, len(items))
		for n, item := range items {
			row, _ := item.(Object)
			picked[n] = pick(row, columns)
		}
		out.Set(s.Lists[i].Name, picked)
	}
	return out, nil
}

// preset adds what a preset means to each list, and reports whether the first
// list knows it. A list that has none of that name stays whole.
func (s Selection) preset(name string, chosen [][]string) bool {
	if _, own := s.Lists[0].Presets[name]; !own && !slices.Contains(wholes, name) {
		return false
	}
	for i := range s.Lists {
		chosen[i] = append(chosen[i], s.Lists[i].Presets[name]...)
	}
	return true
}

// wholes are the presets that every list has: it stays whole, unless it says
// what is less.
var wholes = []string{"full", "standard"}

// column finds the list that a field is a column of; -1 if none is.
func (s Selection) column(doc Object, field string) (list int, column string) {
	if slices.Contains(s.valid(doc, 0), field) {
		return 0, field
	}
	name, column, _ := strings.Cut(field, ".")
	list = slices.IndexFunc(s.Lists, func(l List) bool { return l.Name == name })
	if list >= 0 && slices.Contains(s.valid(doc, list), column) {
		return list, column
	}
	return -1, ""
}

// valid are the columns of a list: those declared, and those that its rows have.
func (s Selection) valid(doc Object, list int) []string {
	known := s.Lists[list].Columns
	rows, _ := doc.Get(s.Lists[list].Name)
	items, _ := rows.([]any)
	for _, item := range items {
		if row, ok := item.(Object); ok {
			known = paths(known, "", row)
		}
	}
	return known
}

func (s Selection) unknown(doc Object, field string) error {
	first := s.valid(doc, 0)
	valid := slices.Clone(first)
	for i := 1; i < len(s.Lists); i++ {
		for _, column := range s.valid(doc, i) {
			valid = append(valid, s.Lists[i].Name+"."+column)
		}
	}
	presets := slices.Clone(wholes)
	for name := range s.Lists[0].Presets {
		presets = append(presets, name)
	}
	slices.Sort(presets)
	presets = slices.Compact(presets)
	suggestions := near.Words(field, append(slices.Clone(valid), presets...))
	if len(suggestions) == 0 {
		suggestions = nearEnds(field, valid)
	}
	return &core.Error{
		Code: core.InvalidInput, Message: "--fields: " + s.Lists[0].Name + " have no field " + field,
		Hint:        "Valid fields: " + strings.Join(first, ", ") + "; or " + strings.Join(presets, ", ") + ".",
		Suggestions: suggestions,
		Slip:        core.Slip{Word: field, Input: "fields"},
		Details:     map[string]any{"flag": "--fields", "unknown": field, "valid": valid, "presets": presets},
	}
}

// nearEnds are the dotted columns whose last word is near the one given.
func nearEnds(field string, columns []string) []string {
	last := func(column string) string { return column[strings.LastIndexByte(column, '.')+1:] }
	ends := core.Map(columns, last)
	var found []string
	for _, end := range near.Words(field, ends) {
		for _, column := range columns {
			if last(column) == end && len(found) < near.Most {
				found = append(found, column)
			}
		}
	}
	return found
}

// paths adds the dotted paths of an object to those known.
func paths(known []string, prefix string, object Object) []string {
	for _, m := range object {
		path := prefix + m.Key
		if !slices.Contains(known, path) {
			known = append(slices.Clip(known), path)
		}
		switch inner := m.Value.(type) {
		case Object:
			known = paths(known, path+".", inner)
		case []any:
			for _, item := range inner {
				if row, ok := item.(Object); ok {
					known = paths(known, path+".", row)
				}
			}
		}
	}
	return known
}

func pick(row Object, fields []string) Object {
	out := make(Object, 0, len(fields))
	for i, field := range fields {
		if !slices.Contains(fields[:i], field) {
			out = append(out, Member{Key: field, Value: follow(row, strings.Split(field, "."))})
		}
	}
	return out
}

// Present returns doc without the columns that rows of its lists lack, which Select makes null.
func Present(doc Object) Object {
	out := slices.Clone(doc)
	for i, m := range out {
		items, _ := m.Value.([]any)
		rows := slices.Clone(items)
		for n, item := range items {
			if row, is := item.(Object); is {
				rows[n] = slices.DeleteFunc(slices.Clone(row), func(m Member) bool { return m.Value == nil })
			}
		}
		if rows != nil {
			out[i].Value = rows
		}
	}
	return out
}

// follow returns what is at a path, null where nothing does.
func follow(value any, path []string) any {
	if len(path) == 0 {
		return value
	}
	switch v := value.(type) {
	case Object:
		inner, ok := v.Get(path[0])
		if !ok {
			return nil
		}
		return follow(inner, path[1:])
	case []any:
		return core.Map(v, func(item any) any { return follow(item, path) })
	}
	return nil
}
