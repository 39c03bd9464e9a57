package mcp

import (
	"fmt"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"cupola/core"
	"cupola/core/verb/registry"
	"cupola/core/verb/render"
	"cupola/core/verb/suggest"
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
	// sets are the names of the sets that it is in.
	sets  []string
	verbs []string
	// inputs names the inputs that clients see; empty is all of its verbs. The others are taken too.
	inputs []string
}

// The sets of tools. What clients know of tools fills the context of an agent before its first word, so few are offered
// where none are asked for.
const (
	setCore  = "core"
	setCrew  = "crew"
	setStory = "story"
	setRelay = "relay"
	setWork  = "work"
	setAdmin = "admin"
	setAll   = "all"
)

// Sets are the names of the sets of tools, for options and docs.
var Sets = []string{setCore, setCrew, setStory, setRelay, setWork, setAdmin, setAll}

// tools are the tasks, in the order in which clients list them.
var tools = []tool{
	{name: "status", title: "Status of the fleet", sets: []string{setCore}, verbs: []string{"status"}, inputs: []string{
		"session", "state", "type", "limit", "offset", "since",
	}},
	{name: "attention", title: "Agents that need the user", sets: []string{setCore}, verbs: []string{"attention"}},
	{
		name: "spawn", title: "Start a session of agents", sets: []string{setCore}, verbs: []string{"spawn"},
		inputs: []string{
			"session", "agents", "cmd", "dir", "prompt", "worktree", "model", "mode", "profile", "sandbox",
			"wait-ready", "dry-run",
		},
	},
	{
		name: "send", title: "Send a prompt", sets: []string{setCore}, verbs: []string{"send"},
		inputs: []string{
			"session", "msg", "panes", "type", "wait", "timeout", "dry-run",
		},
	},
	{name: "wait", title: "Wait for agents", sets: []string{setCore}, verbs: []string{"wait"}, inputs: []string{
		"session", "for", "panes", "any", "match", "timeout", "keep-waiting",
	}},
	{name: "reply", title: "Last reply of agents", sets: []string{setCore}, verbs: []string{"reply"}, inputs: []string{
		"session", "panes", "bytes",
	}},
	{name: "tail", title: "Read screens", sets: []string{setCore}, verbs: []string{"tail"}, inputs: []string{
		"session", "panes", "lines",
	}},
	{
		name: "answer", title: "Answer a dialog", sets: []string{setCore}, verbs: []string{"answer"},
		inputs: []string{
			"session", "approve", "deny", "choose", "text", "showing", "dialog", "dry-run",
		},
	},
	{
		name: "interrupt", title: "Interrupt agents", sets: []string{setCore}, verbs: []string{"interrupt"},
		inputs: []string{
			"session", "panes",
		},
	},
	{name: "kill", title: "End a session or agents", sets: []string{setCore}, verbs: []string{"kill"}, inputs: []string{
		"session", "panes", "yes", "dry-run",
	}},
	{name: "docs", title: "How to use Cupola", sets: []string{setCore}, verbs: []string{"docs"}},
	{
		name: "runs", title: "Runs of relays, crews, stories and pipelines",
		sets:  []string{setRelay, setCrew, setStory},
		about: "List what runs or ran, show one with its result, wait for it, pause, resume and cancel it.",
		verbs: []string{"run-list", "run-show", "run-logs", "run-wait", "run-pause", "run-resume", "run-cancel"},
	},
	{name: "relay", title: "Ask another model", sets: []string{setRelay}, verbs: []string{"relay"}},
	{
		name: "crew", title: "Agents that work on one task", sets: []string{setCrew},
		about: "Run several agents that talk to each other, and speak to them.",
		verbs: []string{"crew-run", "crew-say"},
	},
	{
		name: "story", title: "Work through a change", sets: []string{setStory},
		about: "Work through the stories of a change until each is proven done.",
		verbs: []string{"story-run", "story-list", "story-show", "story-next"},
	},
	{
		name: "worktrees", title: "Changes and worktrees", sets: []string{setWork},
		about: "See who changed which files, and list, merge and remove the worktrees of agents.",
		verbs: []string{"files", "worktree-list", "worktree-diff", "worktree-merge", "worktree-remove"},
	},
	{name: "snapshot", title: "Snapshot, or what changed", sets: []string{setAdmin}, verbs: []string{"snapshot"}},
	{name: "restart", title: "Restart agents", sets: []string{setAdmin}, verbs: []string{"restart-pane"}},
	{name: "attach_info", title: "How a person attaches", sets: []string{setAdmin}, verbs: []string{"attach"}},
	{
		name: "checkpoint", title: "Record and restore sessions", sets: []string{setAdmin},
		about: "Record a session, list the records, restore one.",
		verbs: []string{"checkpoint", "checkpoint-list", "restore"},
	},
	{
		name: "budget", title: "Ceilings and what is spent", sets: []string{setAdmin},
		about: "Read ceilings and what is spent under them, or set one.",
		verbs: []string{"budget", "budget-set"},
	},
	{name: "tokens", title: "Tokens and costs", sets: []string{setAdmin}, verbs: []string{"tokens"}},
}

// actionOf is the value of "action" that chooses a verb of a tool: the verb's name without what the tool is about.
func (t *tool) actionOf(verb string) string {
	if action, is := strings.CutPrefix(verb, strings.TrimSuffix(t.name, "s")+"-"); is {
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

// asked are the verbs of a tool that clients may call where their user allows it.
func (t *tool) asked(s *service.Service) []*registry.Verb {
	raised := *s
	raised.Border.Level = registry.Destroys
	return t.allowed(&raised)
}

// Choice chooses the tools that clients are offered.
type Choice struct {
	// Sets are names of Sets; none is the core.
	Sets []string
	// Only names tools, with or without the prefix, beside those of Sets; Except names those that are left out.
	Only, Except []string
}

// Check fails where a name is unknown, with the near miss.
func (c Choice) Check() error {
	names := []string{strings.TrimPrefix(callTool, prefix)}
	for i := range tools {
		names = append(names, tools[i].name)
	}
	for _, given := range []struct {
		flag         string
		words, known []string
	}{{"--toolsets", c.Sets, Sets}, {"--tools", c.Only, names}, {"--exclude-tools", c.Except, names}} {
		for _, word := range given.words {
			if !slices.Contains(given.known, strings.TrimPrefix(word, prefix)) {
				return suggest.Near(&core.Error{
					Code: core.InvalidInput, Message: fmt.Sprintf("%s has no %q", given.flag, core.Cut(word)),
					Hint:    "It takes " + strings.Join(given.known, ", ") + ".",
					Details: map[string]any{"valid": given.known},
				}, word, given.known)
			}
		}
	}
	return nil
}

// offers reports whether a tool of a name, in some sets, is among those chosen.
func (c Choice) offers(name string, sets ...string) bool {
	named := func(names []string) bool {
		return slices.Contains(names, name) || slices.Contains(names, strings.TrimPrefix(name, prefix))
	}
	switch {
	case named(c.Except):
		return false
	case named(c.Only), slices.Contains(c.Sets, setAll):
		return true
	case len(c.Sets) == 0 && len(c.Only) > 0:
		return false
	case len(c.Sets) == 0:
		return len(sets) == 0 || slices.Contains(sets, setCore)
	}
	return len(sets) == 0 || slices.ContainsFunc(sets, func(set string) bool { return slices.Contains(c.Sets, set) })
}

// chosen are the tools that are chosen, in their order.
func (c Choice) chosen() []*tool {
	var chosen []*tool
	for i := range tools {
		if c.offers(prefix+tools[i].name, tools[i].sets...) {
			chosen = append(chosen, &tools[i])
		}
	}
	return chosen
}

// action is the input of tools that serve several verbs, and format of tools whose answer is a list.
const (
	action = "action"
	format = "response_format"
)

// declare describes a tool made of verbs of a service.
func (t *tool) declare(s *service.Service, verbs []*registry.Verb) *mcp.Tool {
	declared := &mcp.Tool{
		Name: prefix + t.name, Title: t.title, Annotations: annotations(verbs...), OutputSchema: outputOf(verbs),
	}
	schema := t.offered(s.Schema(verbs...))
	if len(t.verbs) == 1 {
		declared.Description = service.Worded(verbs[0], sentences(verbs[0]))
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

// offered leaves the inputs in a schema that the tool declares, and the host to which every call may go.
func (t *tool) offered(schema render.Object) render.Object {
	if len(t.inputs) == 0 {
		return schema
	}
	own, _ := schema.Get("properties")
	properties, _ := own.(render.Object)
	schema.Set("properties", slices.DeleteFunc(slices.Clone(properties), func(m render.Member) bool {
		return m.Key != service.HostInput && !slices.Contains(t.inputs, m.Key)
	}))
	return schema
}

// mostOfHelp are the bytes of a verb's help in a description, but for its first sentence; docs has all of it.
const mostOfHelp = 260

// sentences are the first sentences of the help of a verb, as a description.
func sentences(verb *registry.Verb) string {
	text, left := verb.Short+".", mostOfHelp
	for sentence := range strings.SplitAfterSeq(verb.Long, ". ") {
		sentence = strings.TrimSpace(sentence)
		if left -= len(sentence); left < 0 || sentence == "" {
			break
		}
		text += " " + sentence
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
	return service.Worded(nil, b.String())
}

func withAction(schema render.Object, t *tool, verbs []*registry.Verb) render.Object {
	actions := core.Map(verbs, func(verb *registry.Verb) string { return t.actionOf(verb.Name) })
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
		{Key: "default", Value: concise},
	}
}

// annotations says what verbs do, as hints of the protocol.
func annotations(verbs ...*registry.Verb) *mcp.ToolAnnotations {
	reads := !slices.ContainsFunc(verbs, func(verb *registry.Verb) bool { return verb.Effect != registry.Reads })
	destroys := slices.ContainsFunc(verbs, func(verb *registry.Verb) bool { return verb.Effect == registry.Destroys })
	// What agents do with a prompt knows no bounds.
	open := !reads
	return &mcp.ToolAnnotations{
		ReadOnlyHint: reads, DestructiveHint: &destroys, IdempotentHint: reads, OpenWorldHint: &open,
	}
}

// anyVerb describes the tool that calls any verb.
func anyVerb(s *service.Service) *mcp.Tool {
	verbs := slices.DeleteFunc(s.Catalog.RealVerbs(), func(v *registry.Verb) bool { return !s.Allows(v) })
	return &mcp.Tool{
		Name: callTool, Title: "Call any verb", Annotations: annotations(verbs...), OutputSchema: outputOf(nil),
		Description: "Calls any verb of Cupola with its input: also verbs without a tool, and inputs that a tool " +
			"does not list. The verb capabilities lists all verbs; with verbs (a list of names) and verbose it " +
			"says what they take. The verb docs explains more.",
		InputSchema: render.Object{
			{Key: "type", Value: "object"},
			{Key: "properties", Value: render.Object{
				{Key: "verb", Value: render.Object{{Key: "type", Value: "string"}}},
				{Key: "input", Value: render.Object{
					{Key: "type", Value: "object"},
					{Key: "additionalProperties", Value: true},
					{Key: "description", Value: "By the names that capabilities has, without dashes"},
				}},
				{Key: format, Value: formatSchema()},
			}},
			{Key: "required", Value: []string{"verb"}},
			{Key: "additionalProperties", Value: false},
		},
	}
}
