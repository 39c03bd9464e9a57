// Package terminal is the user's terminal: its modes, its size, the frames painted on it, and lending it to another
// program. It paints when there is something to paint and does nothing otherwise: a timer that polls for frames, like
// that of Bubble Tea's renderer, wakes the processor 30 times a second while nothing happens.
package terminal

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"

	"cupola/core/system/process"
	"cupola/theme"
)

// The modes of a terminal while the dashboard has it: its title kept; the second screen without a cursor; pasted text
// in brackets; presses, releases and drags of the mouse.
const (
	takeModes = pushTitle + ansi.SetModeAltScreenSaveCursor + ansi.ResetModeTextCursorEnable +
		ansi.SetModeBracketedPaste +
		ansi.SetModeMouseButtonEvent + ansi.SetModeMouseExtSgr
	giveModes = ansi.ResetModeMouseExtSgr + ansi.ResetModeMouseButtonEvent + ansi.ResetModeBracketedPaste +
		ansi.SetModeTextCursorEnable + ansi.ResetModeAltScreenSaveCursor + popTitle
)

// The terminal keeps its title while the dashboard has one of its own (XTWINOPS).
const pushTitle, popTitle = "\x1b[22;2t", "\x1b[23;2t"

// borrowedModes resets the modes that a borrower leaves behind if it is killed: the scroll region, which moves the
// cursor, the keypad's and the arrows' own codes, reports of focus, colours.
const borrowedModes = "\x1b7\x1b[r\x1b8\x1b[?1l\x1b>\x1b[?1004l" + theme.Reset

// frameTime is the least time between two frames.
const frameTime = time.Second / 30

// ownStop is how long after SIGCONT the terminal is checked: a borrower has given it back by then.
const ownStop = 200 * time.Millisecond

// Terminal is a keyboard and a display. Its methods may be called by several goroutines.
type Terminal struct {
	keys *os.File
	out  io.Writer
	// changed has a token if there is something to paint.
	changed chan struct{}

	mu sync.Mutex
	// frame is the frame to paint, one line for each row; nil before the first. title is the terminal's; empty for the
	// one that it has.
	frame  []string
	cursor Cursor
	title  string
	// afresh is true if it is unknown what the display shows.
	afresh bool

	// writing is held while the display is written to, and guards what follows.
	writing sync.Mutex
	taken   bool
	painted []string
	pointed Cursor
	titled  string
	// before is the keyboard's state to restore; nil for one that is no terminal.
	before *term.State
}

// Cursor is a cell of the display, counted from 0, at which the terminal shows its cursor.
type Cursor struct{ X, Y int }

// NoCursor hides the cursor.
var NoCursor = Cursor{-1, -1}

// New returns the terminal of a keyboard and a display. Nothing is written to it before Take.
func New(keys *os.File, out io.Writer) *Terminal {
	return &Terminal{
		keys: keys, out: out, changed: make(chan struct{}, 1), cursor: NoCursor, pointed: NoCursor,
	}
}

// Take takes the terminal for the dashboard: keys are read as they are pressed, and the display is the dashboard's. The
// next frame is painted whole. It does nothing if the terminal is taken already.
func (t *Terminal) Take() error {
	t.writing.Lock()
	defer t.writing.Unlock()
	if t.taken {
		return nil
	}
	return t.take()
}

func (t *Terminal) take() error {
	if term.IsTerminal(t.keys.Fd()) {
		before, err := term.MakeRaw(t.keys.Fd())
		if err != nil {
			return err
		}
		t.before = before
	}
	t.taken = true
	_, err := io.WriteString(t.out, takeModes)
	t.Repaint()
	return err
}

// Give gives the terminal back as it was before Take. It does nothing if the terminal is not taken.
func (t *Terminal) Give() error {
	t.writing.Lock()
	defer t.writing.Unlock()
	if !t.taken {
		return nil
	}
	t.taken = false
	_, err := io.WriteString(t.out, giveModes)
	if t.before != nil {
		err = errors.Join(err, term.Restore(t.keys.Fd(), t.before))
	}
	return err
}

// Lend gives the terminal to a program while use runs, and takes it back in the state in which it was lent, even if the
// program left another.
func (t *Terminal) Lend(use func() error) error {
	if err := t.Give(); err != nil {
		return err
	}
	used := use()
	_, err := io.WriteString(t.out, borrowedModes)
	if t.before != nil {
		err = errors.Join(err, term.Restore(t.keys.Fd(), t.before))
	}
	return errors.Join(used, err, t.Take())
}

// Keys returns the keyboard, for a program that borrows the terminal.
func (t *Terminal) Keys() *os.File { return t.keys }

// Display returns the file on which such a program draws. It is never a copy through a pipe, with which a program may
// refuse to start.
func (t *Terminal) Display() io.Writer { return t.out }

// Size returns the size of the display in cells; known is false if the display is no terminal.
func (t *Terminal) Size() (width, height int, known bool) {
	file, is := t.out.(interface{ Fd() uintptr })
	if !is {
		return 0, 0, false
	}
	width, height, err := term.GetSize(file.Fd())
	return width, height, err == nil
}

// Stop stops the program as the shell's job control does, and returns when it is continued. Meanwhile the terminal is
// given back.
func (t *Terminal) Stop() error {
	return t.Lend(func() error {
		continued := make(chan os.Signal, 1)
		signal.Notify(continued, syscall.SIGCONT)
		defer signal.Stop(continued)
		if err := syscall.Kill(0, syscall.SIGTSTP); err != nil {
			return err
		}
		<-continued
		return nil
	})
}

// Entitle has the terminal show a title, with the next frame.
func (t *Terminal) Entitle(title string) {
	t.mu.Lock()
	t.title = title
	t.mu.Unlock()
}

// Show has a frame painted, a line for each row, and the cursor put into it; each line begins with the terminal's usual
// colours and is as wide as the display. Afresh paints it whole, whatever the display shows. Show does not wait: of
// frames that follow each other fast only the last is painted.
func (t *Terminal) Show(frame []string, cursor Cursor, afresh bool) {
	t.mu.Lock()
	t.frame, t.cursor, t.afresh = frame, cursor, t.afresh || afresh
	t.mu.Unlock()
	t.wake()
}

// Repaint has the whole frame painted again, whatever the display shows.
func (t *Terminal) Repaint() {
	t.mu.Lock()
	t.afresh = true
	t.mu.Unlock()
	t.wake()
}

func (t *Terminal) wake() {
	select {
	case t.changed <- struct{}{}:
	default: // it is awake
	}
}

// Run paints what is shown until ctx ends, and takes the terminal back after another process stopped the program.
func (t *Terminal) Run(ctx context.Context) {
	continued := make(chan os.Signal, 1)
	signal.Notify(continued, syscall.SIGCONT)
	defer signal.Stop(continued)
	t.run(ctx, continued)
}

func (t *Terminal) run(ctx context.Context, continued <-chan os.Signal) {
	var reclaim <-chan time.Time
	for {
		select {
		case <-ctx.Done():
			return
		case <-continued:
			reclaim = time.After(ownStop)
		case <-reclaim:
			reclaim = nil
			t.reclaim()
		case <-t.changed:
			t.paint()
			select {
			case <-time.After(frameTime):
			case <-ctx.Done():
				return
			}
		}
	}
}

// reclaim takes the terminal back if a shell has changed its modes, and paints what was written over. If that fails,
// painting fails too.
func (t *Terminal) reclaim() {
	t.writing.Lock()
	defer t.writing.Unlock()
	if !t.taken {
		return
	}
	if edits, err := process.EditsLines("/dev/tty"); err == nil && !edits {
		_ = t.take()
	}
	t.Repaint()
}

// paint writes what differs from the painted frame. A display that cannot be written to is gone: reading the keyboard
// reports that.
func (t *Terminal) paint() {
	t.writing.Lock()
	defer t.writing.Unlock()
	if !t.taken {
		return
	}
	t.mu.Lock()
	frame, cursor, title, afresh := t.frame, t.cursor, t.title, t.afresh
	t.afresh = t.afresh && frame == nil
	t.mu.Unlock()
	if frame == nil {
		return
	}
	text := changes(t.painted, frame, afresh)
	if text != "" || cursor != t.pointed {
		text += pointing(cursor, len(frame), t.pointed != NoCursor || afresh)
	}
	if title != "" && (afresh || title != t.titled) {
		text += ansi.SetWindowTitle(title)
	}
	if text != "" {
		_, _ = io.WriteString(t.out, text)
	}
	t.painted, t.pointed, t.titled = frame, cursor, title
}

// changes returns the text that turns one painted frame into another; afresh, whatever the display shows.
func changes(from, to []string, afresh bool) string {
	var text strings.Builder
	if afresh {
		from = nil
		text.WriteString(ansi.EraseEntireScreen)
	}
	for row, line := range to {
		if row >= len(from) || from[row] != line {
			text.WriteString(ansi.CursorPosition(1, row+1))
			text.WriteString(line)
		}
	}
	if len(from) > len(to) {
		text.WriteString(ansi.CursorPosition(1, len(to)+1))
		text.WriteString(ansi.EraseScreenBelow)
	}
	return text.String()
}

// pointing returns the text that shows the cursor or, if it was shown, hides it. A hidden one is in the last row, where
// a shell continues if the program is killed.
func pointing(cursor Cursor, rows int, shown bool) string {
	switch {
	case cursor != NoCursor:
		return ansi.CursorPosition(cursor.X+1, cursor.Y+1) + ansi.SetModeTextCursorEnable
	case shown:
		return ansi.ResetModeTextCursorEnable + ansi.CursorPosition(1, rows)
	}
	return ansi.CursorPosition(1, rows)
}
