package scripted

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"

	"cupola/core"
)

const (
	defaultColumns  = 80
	defaultLines    = 24
	inputBufferSize = 4096
)

// terminal is the tty of this process, in raw mode until it is closed.
type terminal struct {
	in, out *os.File
	saved   *term.State
	full    bool
	titled  bool
}

// openTerminal takes the terminal over.
func openTerminal(o Options) (*terminal, error) {
	t := &terminal{in: os.Stdin, out: os.Stdout, full: o.fullScreen, titled: o.title}
	if !term.IsTerminal(t.in.Fd()) || !term.IsTerminal(t.out.Fd()) {
		return nil, core.NeedsTerminal("scripted")
	}
	saved, err := term.MakeRaw(t.in.Fd())
	if err != nil {
		return nil, fmt.Errorf("set raw mode: %w", err)
	}
	t.saved = saved
	modes := ansi.SetModeBracketedPaste + ansi.ResetModeAutoWrap
	if t.full {
		modes = ansi.SetModeAltScreenSaveCursor + modes
	}
	if _, err := io.WriteString(t.out, modes); err != nil {
		return nil, errors.Join(fmt.Errorf("set terminal modes: %w", err), t.close())
	}
	return t, nil
}

// close gives the terminal back as it was found.
func (t *terminal) close() error {
	modes := sgrReset + ansi.SetModeAutoWrap + ansi.ResetModeBracketedPaste + ansi.ShowCursor
	if t.titled {
		modes += ansi.SetWindowTitle("")
	}
	if t.full {
		modes += ansi.ResetModeAltScreenSaveCursor
	}
	_, err := io.WriteString(t.out, modes)
	return errors.Join(err, term.Restore(t.in.Fd(), t.saved))
}

// size is the terminal's size in cells, or the usual one where it has none.
func (t *terminal) size() (columns, lines int) {
	columns, lines, err := term.GetSize(t.out.Fd())
	if err != nil || columns <= 0 || lines <= 0 {
		return defaultColumns, defaultLines
	}
	return columns, lines
}

// read hands out what is typed until the terminal is gone or done is closed,
// and closes its channel then.
func (t *terminal) read(done <-chan struct{}) <-chan []byte {
	input := make(chan []byte)
	go func() {
		defer close(input)
		buf := make([]byte, inputBufferSize)
		for {
			n, err := t.in.Read(buf)
			if n > 0 {
				select {
				case input <- append([]byte(nil), buf[:n]...):
				case <-done:
					return
				}
			}
			if err != nil {
				return
			}
		}
	}()
	return input
}
