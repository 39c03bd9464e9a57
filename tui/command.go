package tui

import (
	tea "github.com/charmbracelet/bubbletea"

	"cupola/tui/effect"
	"cupola/tui/intent"
	"cupola/tui/screen/command"
)

// runCommand runs a command of the program, and opens a screen for what it prints.
func (m *model) runCommand(w intent.RunCommand) tea.Cmd {
	w.Width, w.Height = m.size.W, m.body.H-1 // below its title
	m.stack = append(m.stack, opened{command.New(w.Line), &command.Entry})
	return m.act.Do(w)
}

// takeOutput shows what a command printed, if its screen is still open.
func (m *model) takeOutput(msg effect.CommandOutput) {
	for _, open := range m.stack {
		if shown, is := open.shown.(*command.Screen); is && shown.Line() == msg.Intent.Line {
			wrong := ""
			if msg.Err != nil {
				wrong = m.advise(msg.Err).Error()
			}
			shown.Take(msg.Text, wrong)
		}
	}
}
