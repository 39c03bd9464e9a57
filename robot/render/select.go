package render

import (
	"slices"
	"strings"

	"cupola/core"
	"cupola/core/near"
)

// Selection chooses the columns of a list.
type Selection struct {
	// Rows is the name of the list in the document.
	Rows string
	// Fields are columns, with dots into objects, or one name of Presets or
	// "full", which keeps everything.
	Fields  []string
	Presets map[string][]string
	// Columns are all columns that rows may have, for lists that are empty and
	// for errors.
	Columns []string
}

// Select returns doc with the chosen columns of its list, in the chosen order.
// Other lists of objects are dropped if a preset or columns were chosen, so
// that the answer holds what was asked for. An unknown column is an
// InvalidInput error that lists the valid ones.
func Select(doc Object, s Selection) (Object, error) {
	fields, preset := s.Fields, len(s.Fields) == 1 && s.Presets[s.Fields[0]] != nil
	if preset {
		fields = s.Presets[s.Fields[0]]
	}
	if len(fields) == 0 || len(fields) == 1 && fields[0] == "full" {
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
		} else if list, ok := m.Value.([]any); ok && columnsOf(list) != nil && !strings.HasPrefix(m.Key, "next_") {
			continue
		}
		out = append(out, m)
	}
	return out, nil
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
				Hint:        "Valid fields: " + strings.Join(valid, ", ") + "; or minimal, standard, full.",
				Suggestions: near.Words(field, valid),
				Details:     map[string]any{"flag": "--fields", "unknown": field, "valid": valid},
			}
		}
	}
	return nil
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
	for _, field := range fields {
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
