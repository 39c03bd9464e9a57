package effect

import (
	"context"
	"io"
	"os/exec"
	"syscall"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"cupola/core"
	"cupola/tui/intent"
	"cupola/tui/terminal"
)

// Handover asks the root to hand the terminal over; Exec does it.
type Handover struct {
	Intent intent.Intent
	// Command is the program that borrows the terminal; nil if that is the shell.
	Command *exec.Cmd
	loan    loan
	// wrap says in an error what failed.
	wrap func(error) error
}

// Exec hands the terminal over and reports when it is back.
func (h Handover) Exec() tea.Cmd {
	return tea.Exec(h.loan, func(err error) tea.Msg {
		if err != nil {
			err = h.wrap(err)
		}
		return Done{Intent: h.Intent, Err: err, Lent: true}
	})
}

// loan lends the terminal, as a tea.ExecCommand: Bubble Tea reads no keys meanwhile.
type loan struct{ lend func() error }

// Run lends the terminal and returns once it is taken back.
func (l loan) Run() error { return l.lend() }

// SetStdin does nothing: what borrows the terminal has its files.
func (loan) SetStdin(io.Reader) {}

// SetStdout does nothing.
func (loan) SetStdout(io.Writer) {}

// SetStderr does nothing.
func (loan) SetStderr(io.Writer) {}

// lendTo hands the terminal over to a command, whose error wrap makes.
func lendTo(t *terminal.Terminal, wanted intent.Intent, cmd *exec.Cmd, wrap func(error) error) Handover {
	cmd.Stdin, cmd.Stdout, cmd.Stderr = t.Keys(), t.Display(), t.Display()
	return Handover{Intent: wanted, Command: cmd, wrap: wrap, loan: loan{func() error { return t.Lend(cmd.Run) }}}
}

// clientOf returns a command that gets SIGTERM when ctx ends.
func clientOf(ctx context.Context, argv []string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	return cmd
}

// recordings plays what was recorded of panes, and the demo.
type recordings struct {
	// playBack is the command that plays what was recorded of the pane with an address.
	playBack func(address string, session time.Time) (argv []string, err error)
	// demo is the command that shows a demo.
	demo     []string
	terminal *terminal.Terminal
}

// replay gives the terminal to a player of recordings, and takes it back when that ends.
func (r recordings) replay(ctx context.Context, w intent.Replay) tea.Msg {
	if r.playBack == nil {
		return nil
	}
	argv, err := r.playBack(w.Pane, w.Session)
	if err != nil {
		return Done{Intent: w, Err: err}
	}
	return lendTo(r.terminal, w, clientOf(ctx, argv), runError("the player"))
}

// runError returns what makes the error of a program.
func runError(program string) func(error) error {
	return func(err error) error {
		return &core.Error{Code: core.IOError, Message: program + ": " + err.Error(), Err: err}
	}
}

func attachError(err error) error {
	return &core.Error{Code: core.AttachFailed, Message: "attach: " + err.Error(), Err: err}
}
