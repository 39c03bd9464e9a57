package tui

import (
	"fmt"
	"log/slog"
	"runtime/debug"

	tea "github.com/charmbracelet/bubbletea"

	"cupola/core"
	"cupola/tui/terminal"
)

// guard runs a model and shows its frames. A panic in it, or in one of its commands, ends the program after the
// terminal is restored.
type guard struct {
	model *model
	// show has a frame painted; with afresh the whole of it, whatever the display shows.
	show func(frame []string, cursor terminal.Cursor, afresh bool)
	// entitle has the terminal show a title.
	entitle func(title string)
	fault   *fault
}

// fault is a panic with its stack.
type fault struct {
	value any
	stack []byte
}

// Init returns the first commands.
func (g *guard) Init() tea.Cmd { return guarded(g.model.Init()) }

// Update handles one message. After a fault it ignores all.
func (g *guard) Update(msg tea.Msg) (_ tea.Model, cmd tea.Cmd) {
	if found, ok := msg.(*fault); ok && g.fault == nil {
		g.fault = found
	}
	if g.fault != nil {
		return g, tea.Quit
	}
	defer func() {
		if value := recover(); value != nil {
			g.fault = &fault{value, debug.Stack()}
			cmd = tea.Quit
		}
	}()
	cmd = g.model.Update(msg)
	_, resized := msg.(tea.WindowSizeMsg)
	g.entitle(terminalTitle(&g.model.world, g.model.choice))
	g.show(g.model.shown.Sent, g.model.shown.Cursor, resized)
	return g, guarded(cmd)
}

// View returns nothing: Update shows what it drew.
func (*guard) View() string { return "" }

// guarded turns a panic of a command into a message.
func guarded(cmd tea.Cmd) tea.Cmd {
	if cmd == nil {
		return nil
	}
	return func() (msg tea.Msg) {
		defer func() {
			if value := recover(); value != nil {
				msg = &fault{value, debug.Stack()}
			}
		}()
		msg = cmd()
		if batch, ok := msg.(tea.BatchMsg); ok {
			for i := range batch {
				batch[i] = guarded(batch[i])
			}
		}
		return msg
	}
}

// report logs the fault, and returns the error that is printed.
func (f *fault) report(log *slog.Logger) error {
	log.Error("panic", "value", f.value, "stack", string(f.stack))
	return &core.Error{Code: core.InternalError, Message: fmt.Sprintf("the dashboard failed: %v", f.value)}
}
