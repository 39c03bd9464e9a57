package render

import (
	"strings"

	"cupola/core"
)

// Filled returns a value of the document model whose rows that differ can be tables: a column that a row lacks is null
// there, and a list of words is one cell, the words with blanks between them.
func Filled(v any) any {
	switch v := v.(type) {
	case Object:
		out := make(Object, len(v))
		for i, m := range v {
			out[i] = Member{Key: m.Key, Value: Filled(m.Value)}
		}
		return out
	case []any:
		if rows, ok := objects(len(v), func(i int) any { return v[i] }); ok {
			if rows, ok = alike(rows); ok {
				return anys(rows)
			}
		}
		return core.Map(v, Filled)
	}
	return v
}

// alike returns rows that all have the same columns of scalars, and of objects that are alike. It is false where a
// column holds anything else.
func alike(rows []Object) ([]Object, bool) {
	keys := unionOf(rows)
	if len(keys) == 0 {
		return nil, false
	}
	out := make([]Object, len(rows))
	for _, key := range keys {
		column := make([]any, len(rows))
		for i, row := range rows {
			column[i], _ = row.Get(key)
		}
		if !wordsToCells(column) && !objectsAlike(column) {
			return nil, false
		}
		for i := range rows {
			out[i] = append(out[i], Member{Key: key, Value: column[i]})
		}
	}
	return out, true
}

// unionOf returns the keys of all rows. One that the rows before lack comes after the key that it follows in its own.
func unionOf(rows []Object) []string {
	var keys []string
	places := map[string]int{}
	for _, row := range rows {
		after := -1
		for _, m := range row {
			at, known := places[m.Key]
			if !known {
				at = after + 1
				keys = append(keys, "")
				copy(keys[at+1:], keys[at:])
				keys[at] = m.Key
				for i := at; i < len(keys); i++ {
					places[keys[i]] = i
				}
			}
			after = at
		}
	}
	return keys
}

// wordsToCells makes a cell of each value of a column, a list of words included. It is false, and
// changes nothing, where
// a value is neither a scalar nor such a list.
func wordsToCells(column []any) bool {
	cells := make([]any, len(column))
	for i, value := range column {
		cells[i] = value
		if list, is := value.([]any); is {
			words, ok := joined(list)
			if !ok {
				return false
			}
			cells[i] = words
		} else if !isScalar(value) {
			return false
		}
	}
	copy(column, cells)
	return true
}

// joined returns words with blanks between them; false where an item is no word.
func joined(list []any) (string, bool) {
	words := make([]string, len(list))
	for i, item := range list {
		word, is := item.(string)
		if !is || word == "" || strings.ContainsAny(word, " \t\r\n") {
			return "", false
		}
		words[i] = word
	}
	return strings.Join(words, " "), true
}

// objectsAlike makes the objects of a column alike. It is false where one is none.
func objectsAlike(column []any) bool {
	inner, ok := objects(len(column), func(i int) any { return column[i] })
	if !ok {
		return false
	}
	if inner, ok = alike(inner); ok {
		copy(column, anys(inner))
	}
	return ok
}

func anys(rows []Object) []any {
	return core.Map(rows, func(row Object) any { return row })
}
