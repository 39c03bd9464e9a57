package effect

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"syscall"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/term"

	"cupola/core"
	"cupola/theme"
	"cupola/tui/intent"
)

// Handover asks the root to hand the terminal over; Exec does it.
type Handover struct {
	Intent intent.Intent
	client client
}

// Exec hands the terminal over and reports when it is back.
func (h Handover) Exec() tea.Cmd {
	return tea.Exec(&h.client, func(err error) tea.Msg {
		switch h.Intent.(type) {
		case intent.Edit:
			err = runError("the editor", err)
		case intent.Replay:
			err = runError("the player", err)
		case intent.Demo:
			err = runError("the demo", err)
		default:
			err = attachError(err)
		}
		return Done{Intent: h.Intent, Err: err}
	})
}

// client is a program that is given the terminal, as a tea.ExecCommand.
type client struct {
	*exec.Cmd
	// keys is the keyboard itself: the input of Bubble Tea is no terminal.
	keys *os.File
}

// clientOf runs a command that is given the terminal.
func clientOf(ctx context.Context, argv []string, keys *os.File) client {
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	return client{Cmd: cmd, keys: keys}
}

// recordings plays what was recorded of panes, and the demo.
type recordings struct {
	// playBack is the command that plays what was recorded of the pane with an address.
	playBack func(address string, session time.Time) (argv []string, err error)
	// demo is the command that shows a demo.
	demo []string
	keys *os.File
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
	return Handover{Intent: w, client: clientOf(ctx, argv, r.keys)}
}

// resetModes resets the modes that a client leaves behind if its server is killed: the scroll
// region, which moves the cursor, the keypad's and the arrows' own codes, reports of focus,
// colours.
const resetModes = "\x1b7\x1b[r\x1b8\x1b[?1l\x1b>\x1b[?1004l" + theme.Reset

// Run runs the program on the terminal and restores its modes, even if the client did not.
func (c *client) Run() error {
	before, err := term.GetState(c.keys.Fd())
	if err != nil {
		return err
	}
	ran := c.Cmd.Run()
	_, err = io.WriteString(c.Stdout, resetModes)
	return errors.Join(ran, term.Restore(c.keys.Fd(), before), err)
}

// SetStdin gives it the keyboard.
func (c *client) SetStdin(io.Reader) { c.Stdin = c.keys }

// SetStdout sets where it draws: on the terminal itself if w has one, for a program that is given a pipe instead may
// refuse to start.
func (c *client) SetStdout(w io.Writer) {
	c.Stdout = w
	if shown, is := w.(interface{ Terminal() *os.File }); is && shown.Terminal() != nil {
		c.Stdout = shown.Terminal()
	}
}

// SetStderr sets where it writes errors.
func (c *client) SetStderr(w io.Writer) { c.Stderr = w }

func runError(program string, err error) error {
	if err == nil {
		return nil
	}
	return &core.Error{Code: core.IOError, Message: program + ": " + err.Error(), Err: err}
}

func attachError(err error) error {
	if err == nil {
		return nil
	}
	return &core.Error{Code: core.AttachFailed, Message: "attach: " + err.Error(), Err: err}
}
