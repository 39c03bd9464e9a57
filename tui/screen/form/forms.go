package form

import (
	"strings"

	"cupola/core"
	"cupola/tui/intent"
)

// Send asks for a prompt. Draft is what was begun before; keep takes what is
// left unsent.
func Send(target intent.Target, draft string, keep func(string)) *Form {
	prompt := field{placeholder: "Your prompt. Enter on an empty last line sends it, and so does ^s.", lines: 10}
	prompt.editor.Set(draft)
	return &Form{
		title: "Send to " + target.Address, fields: []field{prompt},
		keep: func(values []string) { keep(values[0]) },
		make: func(values []string) (intent.Intent, string) {
			text := strings.TrimRight(values[0], "\n")
			if strings.TrimSpace(text) == "" {
				return nil, "There is nothing to send yet."
			}
			return intent.Send{Target: target, Text: text}, ""
		},
	}
}

// Spawn asks what a new session should hold.
func Spawn(dir string) *Form {
	return &Form{
		title: "New session",
		fields: []field{
			line("Name", "api", ""), line("Agents, as KIND=N", "claude=2, codex=1", ""), line("A command of your own", "sh", ""),
			line("Folder", dir, ""), line("First prompt for every agent", "none", ""),
		},
		make: func(values []string) (intent.Intent, string) {
			name := strings.TrimSpace(values[0])
			if err := core.CheckSessionName(name); err != nil {
				return nil, err.Error()
			}
			spawn := intent.Spawn{Session: name, Agents: words(values[1]), Dir: strings.TrimSpace(values[3]), Prompt: values[4]}
			if command := strings.TrimSpace(values[2]); command != "" {
				spawn.Commands = []string{command}
			}
			return spawn, ""
		},
	}
}

// Add asks what to add to a session.
func Add(session string) *Form {
	return &Form{
		title:  "Add to " + session,
		fields: []field{line("Agents, as KIND=N", "claude=1", ""), line("A command of your own", "sh", "")},
		make: func(values []string) (intent.Intent, string) {
			add := intent.Add{Session: session, Agents: words(values[0])}
			if command := strings.TrimSpace(values[1]); command != "" {
				add.Commands = []string{command}
			}
			if len(add.Agents)+len(add.Commands) == 0 {
				return nil, "Name agents or a command."
			}
			return add, ""
		},
	}
}

// Rename asks for a session's new name.
func Rename(session string) *Form {
	return &Form{
		title: "Rename " + session, fields: []field{line("", session, session)},
		make: func(values []string) (intent.Intent, string) {
			name := strings.TrimSpace(values[0])
			if err := core.CheckSessionName(name); err != nil {
				return nil, err.Error()
			}
			return intent.Rename{From: session, To: name}, ""
		},
	}
}

// Kill asks whether to end a pane or session.
func Kill(target intent.Target, what string) *Form {
	return &Form{
		title: "End " + target.Address + "?", said: what + " y ends it, n does not.",
		make: func([]string) (intent.Intent, string) { return intent.Kill{Target: target}, "" },
	}
}

// Filter asks what to show.
func Filter(filter string) *Form {
	return &Form{
		title: "Show only", fields: []field{line("", "session, agent, kind or state", filter)},
		make: func(values []string) (intent.Intent, string) {
			return intent.Show{Filter: strings.TrimSpace(values[0])}, ""
		},
	}
}
