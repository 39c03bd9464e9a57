package tui

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"cupola/core/process"
)

// ownStop is how long after the program goes on the terminal is looked at: a stop that
// it asked for itself is undone by then.
const ownStop = 200 * time.Millisecond

// terminal is what is drawn on; *tea.Program is one.
type terminal interface {
	ReleaseTerminal() error
	RestoreTerminal() error
	Send(tea.Msg)
}

// reclaim takes the terminal again after another process stopped the program, until ctx
// ends: the shell may have given it modes of its own meanwhile, and has written to it.
func reclaim(ctx context.Context, program terminal) {
	continued := make(chan os.Signal, 1)
	signal.Notify(continued, syscall.SIGCONT)
	defer signal.Stop(continued)
	for {
		select {
		case <-continued:
		case <-ctx.Done():
			return
		}
		select {
		case <-time.After(ownStop):
		case <-ctx.Done():
			return
		}
		if edits, err := process.EditsLines("/dev/tty"); err != nil || edits {
			program.Send(tea.ClearScreen())
			continue
		}
		// Where it cannot be taken back, drawing fails and says so.
		if program.ReleaseTerminal() == nil {
			_ = program.RestoreTerminal()
		}
	}
}
