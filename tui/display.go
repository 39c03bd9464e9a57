package tui

import (
	"context"
	"io"
	"os"
	"os/signal"
	"syscall"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/term"
)

// display is the output. It hides from Bubble Tea that it is a terminal, which would read
// its size in one goroutine while another reopens it.
type display struct {
	io.Writer
	// terminal is nil for a display that has no size of its own.
	terminal interface{ Fd() uintptr }
}

func newDisplay(out io.Writer) *display {
	terminal, _ := out.(interface{ Fd() uintptr })
	return &display{out, terminal}
}

// Terminal returns the terminal, for a program that takes it over; nil if there is none.
func (d *display) Terminal() *os.File {
	file, _ := d.Writer.(*os.File)
	return file
}

// measure returns the size of the display as a message; nil if it has none.
func (d *display) measure() tea.Msg {
	if d.terminal == nil {
		return nil
	}
	width, height, err := term.GetSize(d.terminal.Fd())
	if err != nil {
		return nil
	}
	return tea.WindowSizeMsg{Width: width, Height: height}
}

// follow reports each new size until ctx ends.
func (d *display) follow(ctx context.Context, send func(tea.Msg)) {
	onSignal(ctx, syscall.SIGWINCH, func() {
		if size := d.measure(); size != nil {
			send(size)
		}
	})
}

// onSignal acts on each signal of a kind until ctx ends.
func onSignal(ctx context.Context, kind os.Signal, act func()) {
	came := make(chan os.Signal, 1)
	signal.Notify(came, kind)
	defer signal.Stop(came)
	for {
		select {
		case <-came:
			act()
		case <-ctx.Done():
			return
		}
	}
}
