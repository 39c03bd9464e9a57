package mcp

import (
	"slices"

	"cupola/core/verb/registry"
	"cupola/core/verb/render"
)

// toolOf is the call of the tool that does what a verb does with an input.
func toolOf(verb *registry.Verb, input render.Object) render.Object {
	for i := range tools {
		t := &tools[i]
		if !slices.Contains(t.verbs, verb.Name) {
			continue
		}
		if len(t.verbs) > 1 {
			input = append(render.Object{{Key: action, Value: t.actionOf(verb.Name)}}, input...)
		}
		return toolCall(prefix+t.name, input)
	}
	return toolCall(callTool, render.Object{{Key: "verb", Value: verb.Name}, {Key: "input", Value: input}})
}

func toolCall(name string, arguments render.Object) render.Object {
	return render.Object{{Key: "tool", Value: name}, {Key: "arguments", Value: arguments}}
}
