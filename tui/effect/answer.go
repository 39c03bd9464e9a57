package effect

import (
	tea "github.com/charmbracelet/bubbletea"

	"cupola/core"
	"cupola/core/fleet/deliver"
	"cupola/core/fleet/resolve"
	"cupola/tui/intent"
)

// question reads the dialog of an agent without answering it.
func (e *Effects) question(w intent.Question) tea.Cmd {
	return func() tea.Msg {
		if to := e.others.at(w.Target); to != nil {
			return to.question(e.ctx, w)
		}
		read, err := e.fleet.sender.Answer(e.ctx,
			deliver.AnswerRequest{Target: resolve.Target{Session: word(w.Target)}, Act: core.ActDeny, DryRun: true})
		if len(read) == 0 {
			return Questioned{Intent: w, Err: err}
		}
		return Questioned{
			Intent: w, Reason: read[0].Before.Reason, Asked: read[0].Asked,
			Runs: read[0].AsksToRun, Options: read[0].Options,
		}
	}
}
