package render

import (
	"maps"
	"slices"
	"strings"

	"cupola/core"
	"cupola/core/near"
)

// Selection chooses the columns of a list.
type Selection struct {
	// Rows is the name of the list in the document.
	Rows string
	// Fields are columns, with dots into objects, or one name of Presets, or
	// "full" or "standard", which keep everything unless a preset says otherwise.
	Fields  []string
	Presets map[string][]string
	// Columns are all columns that rows may have, for lists that are empty and
	// for errors.
	Columns []string
	// Lists are the lists of objects in the document, of which only Rows is kept
	// where columns were chosen.
	Lists []string
}

// Select returns doc with the chosen columns of its list, in the chosen order,
// each once. Other lists of objects are dropped if a preset or columns were
// chosen, so that the answer holds what was asked for. A column that a row lacks
// is empty. An unknown column is an InvalidInput error that lists the valid ones.
func Select(doc Object, s Selection) (Object, error) {
	fields := s.fields()
	if len(fields) == 0 {
		return doc, nil
	}
	list, _ := doc.Get(s.Rows)
	rows, _ := list.([]any)
	if err := s.check(fields, rows); err != nil {
		return nil, err
	}
	picked := make([]any, len(rows))
	for i, row := range rows {
		object, _ := row.(Object)
		picked[i] = pick(object, fields)
	}
	out := make(Object, 0, len(doc))
	for _, m := range doc {
		if m.Key == s.Rows {
			m.Value = picked
		} else if slices.Contains(s.Lists, m.Key) {
			continue
		}
		out = append(out, m)
	}
	return out, nil
}

// fields returns the columns asked for; none is everything.
func (s Selection) fields() []string {
	if len(s.Fields) != 1 {
		return s.Fields
	}
	if preset, ok := s.Presets[s.Fields[0]]; ok {
		return preset
	}
	if s.Fields[0] == "full" || s.Fields[0] == "standard" {
		return nil
	}
	return s.Fields
}

func (s Selection) check(fields []string, rows []any) error {
	valid := s.Columns
	for _, row := range rows {
		if object, ok := row.(Object); ok {
			valid = paths(valid, "", object)
		}
	}
	for _, field := range fields {
		if !slices.Contains(valid, field) {
			return &core.Error{
				Code: core.InvalidInput, Message: "--fields: " + s.Rows + " have no field " + field,
				Hint:        "Valid fields: " + strings.Join(valid, ", ") + "; or " + strings.Join(s.presets(), ", ") + ".",
				Suggestions: near.Words(field, valid),
				Details:     map[string]any{"flag": "--fields", "unknown": field, "valid": valid},
			}
		}
	}
	return nil
}

// presets are the names that stand for several fields.
func (s Selection) presets() []string {
	names := append(slices.Collect(maps.Keys(s.Presets)), "standard", "full")
	slices.Sort(names)
	return slices.Compact(names)
}

// paths adds the dotted paths of an object to those known.
func paths(known []string, prefix string, object Object) []string {
	for _, m := range object {
		path := prefix + m.Key
		if !slices.Contains(known, path) {
			known = append(slices.Clip(known), path)
		}
		if inner, ok := m.Value.(Object); ok {
			known = paths(known, path+".", inner)
		}
	}
	return known
}

func pick(row Object, fields []string) Object {
	out := make(Object, 0, len(fields))
	for i, field := range fields {
		if slices.Contains(fields[:i], field) {
			continue
		}
		var value any = ""
		object := row
		parts := strings.Split(field, ".")
		for i, part := range parts {
			v, ok := object.Get(part)
			if !ok {
				break
			}
			if i == len(parts)-1 {
				value = v
			}
			object, _ = v.(Object)
		}
		out = append(out, Member{Key: field, Value: value})
	}
	return out
}
