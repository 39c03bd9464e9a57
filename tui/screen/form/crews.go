package form

import (
	"strings"

	"cupola/tui/intent"
)

// Crew asks which crew is to begin. Draft is what to begin with; keep takes what was not started.
func Crew(draft intent.StartCrew, keep func(intent.StartCrew)) *Form {
	read := func(values []string) intent.StartCrew {
		return intent.StartCrew{Who: strings.TrimSpace(values[0]), Prompt: strings.TrimRight(values[1], "\n")}
	}
	return &Form{
		title: "New crew", verb: "start",
		says: "Agents as role:backend, or a recipe: review, debate, build, or one of your own.",
		fields: []field{
			line("Who", "reviewer:claude, critic:codex", draft.Who),
			area("Task", "a recipe's own without one; Enter on an empty last line starts it", draft.Prompt),
		},
		keep: func(values []string) { keep(read(values)) },
		make: func(values []string) (intent.Intent, string) {
			start := read(values)
			switch {
			case start.Who == "":
				return nil, "Name agents or a recipe."
			case strings.Contains(start.Who, ":") && strings.TrimSpace(start.Prompt) == "":
				return nil, "Agents need a task."
			}
			return start, ""
		},
	}
}

// Say asks what to say to a crew.
func Say(w intent.AskSay) *Form {
	return &Form{
		title: "Say to " + w.ID, verb: "say",
		says:   "To all; or begin a line with @NAME: of " + strings.Join(w.Agents, ", ") + ".",
		fields: []field{area("", "Enter on an empty last line says it", "")},
		make: func(values []string) (intent.Intent, string) {
			text := strings.TrimSpace(values[0])
			if text == "" {
				return nil, "There is nothing to say yet."
			}
			return intent.Say{ID: w.ID, Text: text}, ""
		},
	}
}

// Stop asks whether to stop a crew; what says what it is.
func Stop(id, what string) *Form {
	return &Form{
		title: "Stop " + id + "?", verb: "stop it", says: what,
		make: func([]string) (intent.Intent, string) { return intent.StopCrew{ID: id}, "" },
	}
}
