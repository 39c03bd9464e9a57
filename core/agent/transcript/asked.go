package transcript

import (
	"strings"

	"cupola/core"
	"cupola/core/agent"
)

// askedMost bounds how many prompts identify the owner of a record.
const askedMost = 20

// asked returns the prompts that the agent is known to have taken, the newest first, as all agents write them.
func (p *Subject) asked() []core.TakenPrompt {
	if p.Asked == nil {
		return nil
	}
	var list []core.TakenPrompt
	for _, prompt := range p.Asked() {
		if agent.Squeeze(prompt.Text) != "" && len(list) < askedMost {
			list = append(list, prompt)
		}
	}
	return list
}

// tellsOf reports whether a prompt of a record is one that was sent. A short one must be
// all of it.
func tellsOf(text, prompt string) bool {
	const short = 12
	return text == prompt || len(prompt) >= short && strings.Contains(text, prompt)
}

// Tells reports whether a prompt that an agent recorded as text is the prompt that was
// sent.
func Tells(text, prompt string) bool {
	text, prompt = agent.Squeeze(text), agent.Squeeze(prompt)
	return prompt != "" && tellsOf(text, prompt)
}
