package mcp

import (
	"fmt"
	"strings"

	"cupola/core/verb/registry"
)

// Page describes the tools and the resources, in Markdown, for a server that allows everything.
func Page(catalog *registry.Catalog) string {
	var b strings.Builder
	b.WriteString("# MCP tools\n\nWhat `cupola mcp` offers to agents. Inputs in bold are required. A server " +
		"offers only the tools that its level covers. Tools whose answer is a list also take " +
		"`response_format` (`concise` or `detailed`). The set `core` is offered where no other is asked for, and " +
		"`cupola_call` with every set; `cupola_call` takes all inputs here; a tool may list fewer.\n\n" +
		"| tool | set | action | level | verb | input |\n|---|---|---|---|---|---|\n")
	for i := range tools {
		t := &tools[i]
		for _, name := range t.verbs {
			verb := catalog.Find(name)
			if verb == nil {
				continue
			}
			choice := ""
			if len(t.verbs) > 1 {
				choice = "`" + t.actionOf(name) + "`"
			}
			fmt.Fprintf(&b, "| `%s` | %s | %s | %s | `%s` | %s |\n", prefix+t.name,
				strings.Join(t.sets, ", "), choice, verb.Level, name, inputs(verb))
		}
	}
	fmt.Fprintf(&b, "| `%s` | all | | of the verb | any | **verb**, input |\n", callTool)
	b.WriteString("\n| resource | what it is |\n|---|---|\n")
	for i := range overviews {
		fmt.Fprintf(&b, "| `%s` | %s |\n", overviews[i].uri, overviews[i].about)
	}
	for i := range templates {
		fmt.Fprintf(&b, "| `%s` | %s |\n", templates[i].uri, templates[i].about)
	}
	return b.String()
}

// inputs are the names of what a verb takes.
func inputs(verb *registry.Verb) string {
	names := make([]string, 0, len(verb.Fields()))
	for _, field := range verb.Fields() {
		name := field.Name
		if field.Required {
			name = "**" + name + "**"
		}
		names = append(names, name)
	}
	return strings.Join(names, ", ")
}
