package effect

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"cupola/core/system/shell"
	"cupola/core/term/cells"
	"cupola/tui/intent"
)

// Command runs a command of this program and returns what it printed for people, with colours, on a display of some
// width.
type Command func(ctx context.Context, words []string, width int) (string, error)

// CommandOutput is what a command printed; Err says why it could not run, or how it failed.
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
	text, err := c.run(ctx, words, w.Width)
	return CommandOutput{Intent: w, Text: text, Err: err}
}

// set sets a setting, or takes the user's value of it away.
func (c *commands) set(ctx context.Context, w intent.SetOption) (string, error) {
	if c.run == nil {
		return "", nil
	}
	const width = 80
	words := []string{"config", "set", w.Key}
	switch {
	case w.Reset:
		words = append(words, "--unset")
	case w.List:
		items, err := shell.Words(w.Value)
		if err != nil {
			return "", err
		}
		words = append(words, items...)
	default:
		words = append(words, w.Value)
	}
	text, err := c.run(ctx, words, width)
	if err != nil {
		return "", fmt.Errorf("%s was not set: %s", w.Key, strings.TrimSpace(cells.Strip(text)))
	}
	said := cmp.Or(w.Said, w.Key+" is "+w.Value)
	if w.Reset {
		said = w.Key + " has its usual value"
	}
	if !w.Live {
		said += ", for all that starts from now on"
	}
	return said, nil
}
