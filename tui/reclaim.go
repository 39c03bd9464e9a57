package tui

import (
	"context"
	"syscall"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"cupola/core/process"
)

// ownStop is how long after SIGCONT the terminal is checked: Bubble Tea has ended a stop of
// its own by then.
const ownStop = 200 * time.Millisecond

// terminal is the part of *tea.Program that reclaim needs.
type terminal interface {
	ReleaseTerminal() error
	RestoreTerminal() error
	Send(tea.Msg)
}

// reclaim takes the terminal back after another process stopped the program, until ctx ends:
// meanwhile the shell may have changed its modes and written to it.
func reclaim(ctx context.Context, program terminal) {
	onSignal(ctx, syscall.SIGCONT, func() {
		select {
		case <-time.After(ownStop):
		case <-ctx.Done():
			return
		}
		if edits, err := process.EditsLines("/dev/tty"); err != nil || edits {
			program.Send(tea.ClearScreen())
			return
		}
		// If that fails, drawing fails too and reports it.
		if program.ReleaseTerminal() == nil {
			_ = program.RestoreTerminal()
		}
	})
}
