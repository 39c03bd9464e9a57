package mcp

import (
	"bytes"
	"maps"
	"slices"
	"strings"

	"cupola/robot/registry"
	"cupola/robot/render"
)

// shortest is how long a text is, in bytes, that is not cut.
const shortest = 400

// fitted cuts an answer that is longer than agents take: halves of its longest lists and texts, until it fits. What was
// cut, and how to get it, is in the warnings.
func fitted(verb *registry.Verb, document any) any {
	object, is := document.(render.Object)
	if !is || size(object) <= maxAnswer {
		return document
	}
	cut := map[string]bool{}
	for size(object) > maxAnswer {
		var longest part
		longest.find(object, "", nil)
		if longest.set == nil {
			break
		}
		cut[longest.name] = true
		longest.halve()
	}
	how := "ask for less at a time"
	for _, name := range []string{"offset", "lines", "limit", "panes"} {
		if verb.Field(name) != nil {
			how = "ask again with " + name
			break
		}
	}
	names := strings.Join(slices.Sorted(maps.Keys(cut)), ", ")
	return warned(object, "the answer was too long, and these are cut: "+names+"; "+how)
}

// part is a list or a text in a document, and how to put another in its place.
type part struct {
	name  string
	value any
	size  int
	set   func(any)
}

// find looks through a value for the longest part that can be cut: a list of several items, or a text.
func (p *part) find(value any, name string, set func(any)) {
	switch value := value.(type) {
	case string:
		if set != nil && len(value) > max(p.size, shortest) {
			*p = part{name, value, len(value), set}
		}
	case []any:
		if own := size(value); set != nil && len(value) > 1 && own > p.size {
			*p = part{name, value, own, set}
		}
		if len(value) == 1 {
			p.find(value[0], name, func(other any) { value[0] = other })
		}
	case render.Object:
		for i := range value {
			if value[i].Key != hintsKey {
				p.find(value[i].Value, value[i].Key, func(other any) { value[i].Value = other })
			}
		}
	}
}

// halve keeps the first half of a part, or the last half of lines, of which the newest count.
func (p *part) halve() {
	switch value := p.value.(type) {
	case string:
		p.set(strings.ToValidUTF8(value[:len(value)/2], "") + "…")
	case []any:
		if _, text := value[0].(string); text {
			p.set(value[len(value)-len(value)/2:])
		} else {
			p.set(value[:len(value)/2])
		}
	}
}

func size(value any) int {
	var b bytes.Buffer
	if err := render.JSON(&b, value, false); err != nil {
		return 0
	}
	return b.Len()
}

// hintsKey is the member of an answer that holds its hints.
const hintsKey = "_agent_hints"

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
