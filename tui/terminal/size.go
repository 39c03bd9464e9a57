package terminal

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	tea "github.com/charmbracelet/bubbletea"
)

// Measure returns the size of the display as a message; nil if it has none.
func (t *Terminal) Measure() tea.Msg {
	width, height, known := t.Size()
	if !known {
		return nil
	}
	return tea.WindowSizeMsg{Width: width, Height: height}
}

// Follow reports each new size of the display until ctx ends.
func (t *Terminal) Follow(ctx context.Context, send func(tea.Msg)) {
	changed := make(chan os.Signal, 1)
	signal.Notify(changed, syscall.SIGWINCH)
	defer signal.Stop(changed)
	for {
		select {
		case <-changed:
			if size := t.Measure(); size != nil {
				send(size)
			}
		case <-ctx.Done():
			return
		}
	}
}
