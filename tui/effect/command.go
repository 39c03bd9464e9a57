package effect

import (
	tea "github.com/charmbracelet/bubbletea"

	"cupola/core/shell"
	"cupola/tui/intent"
)

// Printed is what a command printed; Err says why it could not run, or how it failed.
type Printed struct {
	Intent intent.RunCommand
	Text   string
	Err    error
}

// run runs a command of this program.
func (e *Effects) run(w intent.RunCommand) tea.Msg {
	words, err := shell.Words(w.Line)
	if err != nil || e.command == nil {
		return Printed{Intent: w, Err: err}
	}
	text, err := e.command(e.ctx, words, w.Width)
	return Printed{Intent: w, Text: text, Err: err}
}
