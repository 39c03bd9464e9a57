package mcp

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"cupola/core/verb/registry"
	"cupola/core/verb/render"
)

// hintsKey is the member of an answer that holds its hints.
const hintsKey = "_agent_hints"

// fitted cuts an answer that is longer than agents take. What was cut, and how to get it, is in the warnings.
func fitted(verb *registry.Verb, document render.Object) render.Object {
	if size(document) <= maxAnswer {
		return document
	}
	f := fitter{cut: map[string]bool{}}
	object := f.object(document, maxAnswer)
	how := "ask for less at a time"
	for _, name := range []string{"offset", "lines", "limit", "panes", "verbs", "sections"} {
		if verb.Field(name) != nil {
			how = "ask again with " + name
			break
		}
	}
	names := slices.Sorted(maps.Keys(f.cut))
	more := ""
	if len(names) > namedCuts {
		more = fmt.Sprintf(" and %d more", len(names)-namedCuts)
		names = names[:namedCuts]
	}
	return warned(object, "the answer was too long, and these are cut: "+strings.Join(names, ", ")+more+"; "+how)
}

// namedCuts is how many members that are cut are named.
const namedCuts = 8

// fitter cuts values to sizes, and notes the members that it cut.
type fitter struct{ cut map[string]bool }

// value is a value of a member within a size.
func (f *fitter) value(name string, value any, most int) any {
	if size(value) <= most {
		return value
	}
	switch value := value.(type) {
	case string:
		f.cut[name] = true
		return strings.ToValidUTF8(value[:min(len(value), max(0, most))], "") + "…"
	case []any:
		f.cut[name] = true
		return f.list(name, value, most)
	case render.Object:
		return f.object(value, most)
	}
	return value
}

// list keeps the first items that fit or, of lines, the last, for the newest count.
func (f *fitter) list(name string, items []any, most int) []any {
	if _, text := items[0].(string); text {
		from := len(items)
		for from > 1 && most-size(items[from-1]) > 0 {
			from--
			most -= size(items[from]) + 1
		}
		return items[from:]
	}
	n := 0
	for n < len(items) && size(items[n]) < most {
		most -= size(items[n]) + 1
		n++
	}
	if n == 0 {
		return []any{f.value(name, items[0], most)}
	}
	return items[:n]
}

// object shares a size among the members: what is small stays whole, and the rest is dealt out to what is large. A
// member that no room is left for goes.
func (f *fitter) object(object render.Object, most int) render.Object {
	order := make([]int, len(object))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return memberSize(object[a]) - memberSize(object[b]) })
	kept := make([]bool, len(object))
	fittedTo := slices.Clone(object)
	for n, i := range order {
		name, whole := object[i].Key, memberSize(object[i])
		share := most / (len(order) - n)
		switch room := share - len(name) - keyExtra; {
		case whole <= share:
			kept[i] = true
		case room > least:
			kept[i], fittedTo[i].Value = true, f.value(name, object[i].Value, room)
		default:
			f.cut[name] = true
			continue
		}
		most -= memberSize(fittedTo[i])
	}
	out := make(render.Object, 0, len(object))
	for i := range fittedTo {
		if kept[i] {
			out = append(out, fittedTo[i])
		}
	}
	return out
}

const (
	// keyExtra are the bytes around a key, and least is the room that a value is worth.
	keyExtra = 4
	least    = 16
)

func memberSize(m render.Member) int { return len(m.Key) + keyExtra + size(m.Value) }

// size is about how many bytes a value takes as JSON.
func size(value any) int {
	switch value := value.(type) {
	case string:
		return len(value) + strings.Count(value, "\n") + strings.Count(value, `"`) + 2
	case json.Number:
		return len(value)
	case []any:
		total := 2
		for i := range value {
			total += size(value[i]) + 1
		}
		return total
	case render.Object:
		total := 2
		for i := range value {
			total += memberSize(value[i])
		}
		return total
	}
	return len("false")
}

// warned adds a warning to the hints of an answer.
func warned(object render.Object, warning string) render.Object {
	own, _ := object.Get(hintsKey)
	hints, _ := own.(render.Object)
	given, _ := hints.Get("warnings")
	warnings, _ := given.([]any)
	hints.Set("warnings", append(warnings, warning))
	object.Set(hintsKey, hints)
	return object
}
