package mcp

import (
	"fmt"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"cupola/core/verb/registry"
	"cupola/core/verb/render"
	"cupola/robot/service"
)

// prefix is the prefix of the names of all tools.
const prefix = "cupola_"

// callTool is the tool that calls any verb.
const callTool = prefix + "call"

// tool is a task that one verb does, or that the input "action" chooses a verb for.
type tool struct {
	name  string
	title string
	// about says what a tool of several verbs is for.
	about string
	verbs []string
}

// tools are the tasks, in the order in which clients list them.
var tools = []tool{
	{name: "status", title: "Status of the fleet", verbs: []string{"status"}},
	{name: "snapshot", title: "Snapshot, or what changed", verbs: []string{"snapshot"}},
	{name: "attention", title: "Agents that need the user", verbs: []string{"attention"}},
	{name: "spawn", title: "Start a session of agents", verbs: []string{"spawn"}},
	{name: "send", title: "Send a prompt", verbs: []string{"send"}},
	{name: "wait", title: "Wait for agents", verbs: []string{"wait"}},
	{name: "reply", title: "Last reply of agents", verbs: []string{"reply"}},
	{name: "tail", title: "Read screens", verbs: []string{"tail"}},
	{name: "answer", title: "Answer a dialog", verbs: []string{"answer"}},
	{name: "interrupt", title: "Interrupt agents", verbs: []string{"interrupt"}},
	{name: "restart", title: "Restart agents", verbs: []string{"restart-pane"}},
	{name: "kill", title: "End a session or agents", verbs: []string{"kill"}},
	{name: "attach_info", title: "How a person attaches", verbs: []string{"attach"}},
	{
		name: "checkpoint", title: "Record and restore sessions",
		about: "Record a session, list the records, restore one.",
		verbs: []string{"checkpoint", "checkpoint-list", "restore"},
	},
	{
		name: "budget", title: "Ceilings and what is spent",
		about: "Read ceilings and what is spent under them, or set one.",
		verbs: []string{"budget", "budget-set"},
	},
	{name: "tokens", title: "Tokens and costs", verbs: []string{"tokens"}},
	{
		name: "relay", title: "Ask another model",
		about: "Ask one or several backends a prompt without a pane, and read the answers.",
		verbs: []string{"relay", "relay-list", "relay-show", "relay-wait", "relay-cancel"},
	},
	{
		name: "crew", title: "Agents that work on one task",
		about: "Run several agents that talk to each other, watch them, speak and stop.",
		verbs: []string{
			"crew-run", "crew-list", "crew-show", "crew-logs", "crew-wait", "crew-say", "crew-pause", "crew-resume",
			"crew-stop",
		},
	},
	{
		name: "story", title: "Work through a change",
		about: "Work through the stories of a change until each is proven done, and watch that.",
		verbs: []string{
			"story-run", "story-list", "story-show", "story-next", "story-runs", "story-status", "story-logs",
			"story-wait", "story-pause", "story-resume", "story-stop",
		},
	},
	{name: "docs", title: "How to use Cupola", verbs: []string{"docs"}},
}

// actionOf is the value of "action" that chooses a verb of a tool: the verb's name without that of the tool.
func (t *tool) actionOf(verb string) string {
	if action, is := strings.CutPrefix(verb, t.name+"-"); is {
		return action
	}
	return verb
}

// allowed are the verbs of a tool that clients may call.
func (t *tool) allowed(s *service.Service) []*registry.Verb {
	var verbs []*registry.Verb
	for _, name := range t.verbs {
		if verb := s.Catalog.Find(name); verb != nil && s.Allows(verb) {
			verbs = append(verbs, verb)
		}
	}
	return verbs
}

// action is the input of tools that serve several verbs, and format of tools whose answer is a list.
const (
	action = "action"
	format = "response_format"
)

// declare describes a tool made of verbs of a service.
func (t *tool) declare(s *service.Service, verbs []*registry.Verb) *mcp.Tool {
	declared := &mcp.Tool{Name: prefix + t.name, Title: t.title, Annotations: annotations(t.title, verbs...)}
	schema := s.Schema(verbs...)
	if len(t.verbs) == 1 {
		declared.Description = sentences(verbs[0])
	} else {
		declared.Description = t.choices(verbs)
		schema = withAction(schema, t, verbs)
	}
	if slices.ContainsFunc(verbs, func(verb *registry.Verb) bool { return verb.List != "" }) {
		schema = withProperty(schema, format, formatSchema())
	}
	declared.InputSchema = schema
	return declared
}

// sentences are the help of a verb as a description.
func sentences(verb *registry.Verb) string {
	text := verb.Short + "."
	if verb.Long != "" {
		text += " " + verb.Long
	}
	return text
}

// choices is the description of a tool of several verbs: what each action does and takes.
func (t *tool) choices(verbs []*registry.Verb) string {
	var b strings.Builder
	b.WriteString(t.about)
	for _, verb := range verbs {
		var inputs []string
		for _, field := range verb.Fields() {
			name := field.Name
			if field.Required {
				name += " (required)"
			}
			inputs = append(inputs, name)
		}
		takes := "nothing"
		if len(inputs) > 0 {
			takes = strings.Join(inputs, ", ")
		}
		fmt.Fprintf(&b, "\n- %s: %s. Takes %s.", t.actionOf(verb.Name), verb.Short, takes)
	}
	return b.String()
}

func withAction(schema render.Object, t *tool, verbs []*registry.Verb) render.Object {
	actions := make([]string, len(verbs))
	for i, verb := range verbs {
		actions[i] = t.actionOf(verb.Name)
	}
	schema = withProperty(schema, action, render.Object{
		{Key: "type", Value: "string"}, {Key: "enum", Value: actions}, {Key: "description", Value: "What to do"},
	})
	own, _ := schema.Get("required")
	names, _ := own.([]any)
	required := append([]any{action}, names...)
	schema.Set("required", required)
	return schema
}

// withProperty adds a property of its own to the schema of a tool.
func withProperty(schema render.Object, name string, property render.Object) render.Object {
	own, _ := schema.Get("properties")
	properties, _ := own.(render.Object)
	schema.Set("properties", append(slices.Clone(properties), render.Member{Key: name, Value: property}))
	return schema
}

func formatSchema() render.Object {
	return render.Object{
		{Key: "type", Value: "string"},
		{Key: "enum", Value: []string{concise, detailed}},
		{Key: "description", Value: "How much of each row of the list: its usual columns, or all"},
		{Key: "default", Value: concise},
	}
}

// annotations says what verbs do, as hints of the protocol.
func annotations(title string, verbs ...*registry.Verb) *mcp.ToolAnnotations {
	reads := !slices.ContainsFunc(verbs, func(verb *registry.Verb) bool { return verb.Effect != registry.Reads })
	destroys := slices.ContainsFunc(verbs, func(verb *registry.Verb) bool { return verb.Effect == registry.Destroys })
	// What agents do with a prompt knows no bounds.
	open := !reads
	return &mcp.ToolAnnotations{
		Title: title, ReadOnlyHint: reads, DestructiveHint: &destroys, IdempotentHint: reads, OpenWorldHint: &open,
	}
}

// anyVerb describes the tool that calls any verb.
func anyVerb(s *service.Service) *mcp.Tool {
	var names []string
	var verbs []*registry.Verb
	for _, verb := range s.Catalog.RealVerbs() {
		if s.Allows(verb) {
			names, verbs = append(names, verb.Name), append(verbs, verb)
		}
	}
	return &mcp.Tool{
		Name: callTool, Title: "Call any verb", Annotations: annotations("Call any verb", verbs...),
		Description: "Calls any verb of Cupola with its input; the tools beside this one are the usual ones. " +
			"The verb capabilities, with verbs as a list of names and verbose, says what a verb takes; " +
			"docs explains more.",
		InputSchema: render.Object{
			{Key: "type", Value: "object"},
			{Key: "properties", Value: render.Object{
				{Key: "verb", Value: render.Object{
					{Key: "type", Value: "string"},
					{Key: "examples", Value: names},
					{Key: "description", Value: "Name of the verb, or an alias that capabilities lists"},
				}},
				{Key: "input", Value: render.Object{
					{Key: "type", Value: "object"},
					{Key: "additionalProperties", Value: true},
					{Key: "description", Value: "By the names of the verb's flags, without dashes, and arguments"},
				}},
				{Key: format, Value: formatSchema()},
			}},
			{Key: "required", Value: []string{"verb"}},
			{Key: "additionalProperties", Value: false},
		},
	}
}
