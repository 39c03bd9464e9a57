package form

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	"cupola/core"
	"cupola/core/agent"
	"cupola/core/run/relay"
	"cupola/core/system/shell"
	"cupola/core/text/filter"
	"cupola/core/verb/agents"
	"cupola/core/verb/registry"
	"cupola/core/verb/relays"
	"cupola/core/verb/sessions"
	"cupola/tui/intent"
	"cupola/tui/screen"
	"cupola/tui/widget"
)

// promptLines is how many lines of a prompt are seen at once.
const promptLines = 10

// fewLines is how many of a prompt among other fields.
const fewLines = 5

// Addressed says who gets a prompt.
type Addressed struct {
	// To describes them in the title.
	To string
	// Says lists them, and who is left out and why; empty for one pane, which To names.
	Says string
}

// Send asks for a prompt. Draft is the text to begin with; keep takes an unsent text; earlier are texts to take
// instead.
func Send(at []intent.Target, who Addressed, draft string, earlier []string, keep func(string)) *Form {
	editor := widget.NewArea("Your prompt; Enter on an empty last line sends it", draft)
	return &Form{
		title: "Send to " + who.To, verb: "send", fields: []field{{lines: promptLines, editor: editor}},
		says:     who.Says,
		recalled: recalled{texts: earlier},
		keep:     func(values []string) { keep(values[0]) },
		make: func(values []string) (intent.Intent, string) {
			text := strings.TrimRight(values[0], "\n")
			if strings.TrimSpace(text) == "" {
				return nil, "There is nothing to send yet."
			}
			return prompt(at, text), ""
		},
	}
}

// prompt is the act that sends a text, one for each host. It is one prompt for panes of several sessions.
func prompt(at []intent.Target, text string) intent.Intent {
	return joined(apart(at, intent.Target.Host), func(group []intent.Target) any {
		if len(apart(group, func(t intent.Target) string { return t.Session })) > 1 {
			in := agents.BroadcastIn{Prompt: text}
			in.Command = isCommand(text)
			return in
		}
		in := agents.SendIn{Msg: text}
		in.Command = isCommand(text)
		return in
	})
}

// isCommand reports whether a prompt is a command of the agent, such as /clear.
func isCommand(text string) bool {
	name, _, _ := strings.Cut(text, " ")
	return strings.HasPrefix(text, "/") && !strings.Contains(name[1:], "/") && !strings.Contains(text, "\n")
}

// agentsExample is an example of how agents are named.
const agentsExample = "claude=2, codex=1"

// The words of choices.
const (
	no, yes = "no", "yes"
	none    = "none"
)

// agentsField asks for agents: with known kinds, by picking.
func agentsField(offers *screen.Offers, begin string) field {
	hint := agentsExample
	if len(offers.Kinds) == 0 && len(offers.Missing) > 0 {
		hint = "no agent is installed; scripted=2 starts two that need nothing"
	}
	return field{label: "Agents", lines: 1, editor: widget.NewCounts(offers.Kinds, hint, begin), begin: begin}
}

// pick is a field in which one of some words is chosen.
func pick(label string, words ...string) field {
	return field{label: label, lines: 1, editor: widget.NewChoice("", words...), begin: words[0]}
}

// usual is the choice of a mode or a profile by default.
const usual = "usual"

// shown are the words for how agents are shown.
var shown = map[string]agent.By{agent.ByScreen.Said(): agent.ByScreen, agent.ByProtocol.Said(): agent.ByProtocol}

// shownWords are the words of shown, in the order in which they are offered.
var shownWords = []string{agent.ByScreen.Said(), agent.ByProtocol.Said()}

// startOptions say how agents are started; what is empty is as usual.
type startOptions struct{ mode, profile, sandbox, shown string }

// offered pairs each option with its field and its words; what nothing is known of has none.
func (o *startOptions) offered(offers *screen.Offers) []startOption {
	all := []startOption{
		{"Mode", offers.Modes, &o.mode},
		{"Profile", offers.Profiles, &o.profile},
		{"Sandbox", offers.Sandboxes, &o.sandbox},
	}
	if len(offers.Both) > 0 {
		all = append(all, startOption{"Shown", shownWords, &o.shown})
	}
	return slices.DeleteFunc(all, func(s startOption) bool { return len(s.words) == 0 })
}

// startOption is a choice of how agents are started.
type startOption struct {
	label  string
	words  []string
	chosen *string
}

// optionFields ask how agents are started.
func optionFields(offers *screen.Offers) []field {
	return core.Map(new(startOptions).offered(offers), func(of startOption) field {
		return pick(of.label, append([]string{usual}, of.words...)...)
	})
}

// optionsOf returns what was chosen in the fields of optionFields.
func optionsOf(values []string, offers *screen.Offers) *startOptions {
	chosen := &startOptions{}
	for i, of := range chosen.offered(offers) {
		if values[i] != usual {
			*of.chosen = values[i]
		}
	}
	return chosen
}

// bothSays names the agents that can be shown in both ways; empty if none can.
func bothSays(offers *screen.Offers) string {
	if len(offers.Both) == 0 {
		return ""
	}
	return "By screen or by protocol: " + strings.Join(offers.Both, ", ") + "."
}

// Spawn asks what a new session should hold. The prompt to begin with may have several lines.
func Spawn(begin intent.AskSpawn, offers *screen.Offers) *Form {
	prompt := line("Prompt", "the first one for every agent", begin.Prompt)
	if begin.Prompt != "" {
		prompt = area("Prompt", "", begin.Prompt)
	}
	folder := field{
		label: "Folder", lines: 1, editor: widget.NewLine("", begin.Dir).Suggest(offers.Folders), begin: begin.Dir,
	}
	example := filepath.Base(begin.Dir)
	if core.CheckSessionName(example) != nil {
		example = "api"
	}
	fields := []field{
		line("Name", example, ""), agentsField(offers, begin.Agents), pick("Worktrees", no, yes),
		line("Command", "a program of your own, in a pane of its own", ""), folder,
		pick("Preset", append([]string{none}, offers.Presets...)...), prompt,
	}
	fields = append(fields, optionFields(offers)...)
	says := bothSays(offers)
	if begin.Resume != "" {
		says = "Its agent continues the conversation " + begin.Resume + "."
	}
	return &Form{
		title: "New session", verb: "start", says: says, fields: fields, recalled: recalled{texts: offers.Prompts},
		make: func(values []string) (intent.Intent, string) {
			dir := strings.TrimSpace(values[4])
			name := cmp.Or(strings.TrimSpace(values[0]), filepath.Base(dir))
			if err := core.CheckSessionName(name); err != nil {
				return nil, errorText(err)
			}
			spawn := sessions.SpawnIn{Session: name, Resume: begin.Resume}
			spawn.Agents, spawn.Worktree = words(values[1]), values[2] == yes
			spawn.Dir, spawn.Prompt = registry.ReadPath(dir), strings.TrimSpace(values[6])
			options := optionsOf(values[7:], offers)
			spawn.Mode, spawn.Profile, spawn.Sandbox = options.mode, options.profile, options.sandbox
			spawn.By = string(shown[options.shown])
			if values[5] != none {
				spawn.SpawnPreset = registry.NamedScript(values[5])
			}
			if command := strings.TrimSpace(values[3]); command != "" {
				spawn.Cmd = []string{command}
			}
			return intent.Act{Input: spawn, What: name}, ""
		},
	}
}

// Add asks what to add to a session.
func Add(session string, offers *screen.Offers) *Form {
	return &Form{
		title: "Add to " + session, verb: "add", says: bothSays(offers),
		fields: append([]field{
			agentsField(offers, ""), pick("Worktrees", no, yes),
			line("Command", "a program of your own, in a pane of its own", ""),
		}, optionFields(offers)...),
		make: func(values []string) (intent.Intent, string) {
			add := sessions.AddIn{Session: session}
			add.Agents, add.Worktree = words(values[0]), values[1] == yes
			options := optionsOf(values[3:], offers)
			add.Mode, add.Profile, add.Sandbox = options.mode, options.profile, options.sandbox
			add.By = string(shown[options.shown])
			if command := strings.TrimSpace(values[2]); command != "" {
				add.Cmd = []string{command}
			}
			if len(add.Agents)+len(add.Cmd) == 0 && add.Profile == "" {
				return nil, "Name agents or a command."
			}
			return intent.Act{Input: add, What: session}, ""
		},
	}
}

// The ways to restart.
const (
	resume = "its last session"
	fresh  = "a new one"
)

// asBefore is the choice of restarting agents as they are shown now.
const asBefore = "as before"

// Restart asks how to restart agents, or all of a session; them names these, what says what they are.
func Restart(at []intent.Target, them, what string, offers *screen.Offers) *Form {
	fields := []field{pick("Continue in", resume, fresh)}
	if len(offers.Both) > 0 {
		fields = append(fields, pick("Shown", append([]string{asBefore}, shownWords...)...))
	}
	return &Form{
		title: "Restart " + them, verb: "restart", says: what, fields: fields,
		make: func(values []string) (intent.Intent, string) {
			in := sessions.RestartIn{Consent: agreed}
			if len(values) > 1 {
				in.By = string(shown[values[1]])
			}
			in.Fresh, in.All = values[0] == fresh, len(at) == 1 && at[0].Pane == ""
			return acts(at, in), ""
		},
	}
}

// Rename asks for a session's new name.
func Rename(session string) *Form {
	return &Form{
		title: "Rename " + session, verb: "rename", fields: []field{line("", session, session)},
		make: func(values []string) (intent.Intent, string) {
			name := strings.TrimSpace(values[0])
			if err := core.CheckSessionName(name); err != nil {
				return nil, errorText(err)
			}
			return act(intent.Target{Session: session, Address: session}, sessions.RenameIn{To: name}), ""
		},
	}
}

// Filter asks what to show; what says what a filter is compared with. What matches shows while it is typed, and what
// was shown before when the form is left. A filter that cannot be read, for its fields, is not accepted.
func Filter(shown, what string, fields []filter.Field) *Form {
	return &Form{
		title: "Show only", verb: "show", fields: []field{line("", what, shown)},
		live: func(values []string) intent.Intent { return intent.Show{Filter: strings.TrimSpace(values[0])} },
		left: func() intent.Intent { return intent.Show{Filter: shown} },
		make: func(values []string) (intent.Intent, string) {
			if _, err := filter.Parse(values[0], fields...); err != nil {
				return nil, errorText(err)
			}
			return intent.Show{Filter: strings.TrimSpace(values[0])}, ""
		},
	}
}

// Command asks for a command of this program, to be run.
func Command(text string) *Form {
	return &Form{
		title: "Run", verb: "run it", fields: []field{line("cupola", "status", text)},
		make: func(values []string) (intent.Intent, string) {
			text := strings.TrimSpace(values[0])
			if _, err := shell.Words(text); err != nil {
				return nil, errorText(err)
			}
			if text == "" {
				return nil, "Name a command."
			}
			return intent.RunCommand{Line: text}, ""
		},
	}
}

// Search asks what to search for in what all agents said.
func Search(text string, offers *screen.Offers) *Form {
	var since registry.Since
	return &Form{
		title: "Search what all agents said", verb: "search", quick: true,
		fields: []field{
			line("Text", "a word or more, in any case", text),
			line("Since", "7d, today, 2026-01-31; empty for all", ""),
			line("Agents", strings.Join(append([]string{"every kind"}, offers.Kinds...), " "), ""),
			{label: "Folder", lines: 1, editor: widget.NewLine("every folder", "").Suggest(offers.Folders)},
		},
		make: func(values []string) (intent.Intent, string) {
			w := intent.Search{
				Text: strings.TrimSpace(values[0]), Since: strings.TrimSpace(values[1]),
				Kinds: strings.Join(words(values[2]), " "), Project: strings.TrimSpace(values[3]),
			}
			if w.Text == "" {
				return nil, "Name a text."
			}
			if w.Since != "" {
				if err := since.UnmarshalText([]byte(w.Since)); err != nil {
					return nil, "Since takes " + err.Error() + "."
				}
			}
			return w, ""
		},
	}
}

// Find asks what to look for.
func Find(text string) *Form {
	return &Form{
		title: "Find", verb: "find", fields: []field{line("", "a word or more, in any case", text)},
		make: func(values []string) (intent.Intent, string) {
			return intent.Find{Text: strings.TrimSpace(values[0])}, ""
		},
	}
}

// Relay asks for a prompt for one of some backends; usual is the backend that is used if none is named, and held names
// the sandboxes that can hold one here.
func Relay(backends []string, usual string, held []string) *Form {
	says, backend := "No backend was found on this machine; F8 says how to get one.", ""
	if len(backends) > 0 {
		says = "Backends: " + strings.Join(backends, ", ")
		if !slices.Contains(backends, usual) {
			backend = backends[0]
		}
	} else {
		usual = ""
	}
	modes := core.Map(relay.Sandboxes(), func(mode relay.Sandbox) string { return string(mode) })
	known := func(word string) bool {
		return word == "" || slices.Contains(modes, word) || slices.Contains(held, word)
	}
	return &Form{
		title: "Ask a backend", verb: "ask", says: says, at: 1,
		fields: []field{
			line("Backend", usual, backend),
			area("Prompt", "Enter on an empty last line asks it", ""),
			line("Sandbox", strings.Join(modes, ", "), ""),
			line("Label", "a conversation to begin, or to continue", ""),
		},
		make: func(values []string) (intent.Intent, string) {
			asked := relays.RelayIn{
				Prompt: strings.TrimRight(values[1], "\n"), Sandbox: strings.TrimSpace(values[2]),
				Label: strings.TrimSpace(values[3]), Background: true,
			}
			if backend := strings.TrimSpace(values[0]); backend != "" {
				asked.To = []string{backend}
			}
			if strings.TrimSpace(asked.Prompt) == "" {
				return nil, "There is nothing to ask yet."
			}
			if mode, name := relay.Sandbox(asked.Sandbox).Parts(); !known(string(mode)) || !known(name) {
				return nil, "A sandbox is one of " + strings.Join(append(modes, held...), ", ") + "."
			}
			return intent.Act{Input: asked, What: cmp.Or(strings.Join(asked.To, ""), "the backend")}, ""
		},
	}
}

// errorText returns an error with its hint.
func errorText(err error) string {
	e := core.AsError(err)
	return strings.TrimSpace(e.Error() + ". " + e.Hint)
}
