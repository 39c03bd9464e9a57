package form

import (
	"strings"

	"cupola/core/verb/crews"
	"cupola/core/verb/registry"
	"cupola/tui/intent"
)

// crewOf is an example of a crew of installed agents, or says that none is installed.
func crewOf(installed []string) string {
	if len(installed) == 0 {
		return "no agent is installed; F8 says how to get one"
	}
	return "reviewer:" + installed[0] + ", critic:" + installed[min(1, len(installed)-1)]
}

// Crew asks which crew is to begin, of installed agents.
func Crew(installed []string) *Form {
	return &Form{
		title: "New crew", verb: "start",
		says: "Agents as role:backend, or a recipe: review, debate, build, or one of your own.",
		fields: []field{
			line("Who", crewOf(installed), ""),
			area("Task", "a recipe's own without one; Enter on an empty last line starts it", ""),
		},
		make: func(values []string) (intent.Intent, string) {
			who := strings.TrimSpace(values[0])
			start := crews.CrewRunIn{Prompt: strings.TrimRight(values[1], "\n"), Background: true}
			switch {
			case who == "":
				return nil, "Name agents or a recipe."
			case !strings.Contains(who, ":"):
				start.Recipe = registry.NamedScript(who)
			case strings.TrimSpace(start.Prompt) == "":
				return nil, "Agents need a task."
			default:
				for word := range strings.SplitSeq(who, ",") {
					start.Agents = append(start.Agents, strings.TrimSpace(word))
				}
			}
			return intent.Act{Input: start, What: who}, ""
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
			return intent.Act{Input: crews.CrewSayIn{OfCrew: crews.OfCrew{Crew: w.ID}, Text: text}, What: w.ID}, ""
		},
	}
}
