package effect

import (
	"context"

	tea "github.com/charmbracelet/bubbletea"

	"cupola/core/system/shell"
	"cupola/tui/intent"
)

// Command runs a command of this program and returns what it printed for people, with colours, on a display of some
// size.
type Command func(ctx context.Context, words []string, width, height int) (string, error)

// CommandOutput is the output of a command; Err is the reason why it could not run, or its failure.
type CommandOutput struct {
	Intent intent.RunCommand
	Text   string
	Err    error
}

// commands runs commands of this program; a nil run runs none.
type commands struct{ run Command }

func (c *commands) show(ctx context.Context, w intent.RunCommand) tea.Msg {
	words, err := shell.Words(w.Line)
	if err != nil || c.run == nil {
		return CommandOutput{Intent: w, Err: err}
	}
	text, err := c.run(ctx, words, w.Width, w.Height)
	return CommandOutput{Intent: w, Text: text, Err: err}
}
