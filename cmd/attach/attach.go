package attach

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"
	"github.com/muesli/cancelreader"

	"cupola/core"
	"cupola/core/engine"
	"cupola/core/engine/own"
	"cupola/core/term/cells"
)

// Options say what is shown where.
type Options struct {
	// Server has the session.
	Server  *own.Server
	Session core.SessionID
	// Pane is shown first; empty for the one that has the keyboard.
	Pane core.PaneID
	// In and Out are the user's terminal.
	In, Out *os.File
	// Leave is the key that leaves, LookBack the one that shows what scrolled off; the zero values are UsualLeave and
	// UsualLookBack.
	Leave, LookBack Key
	// Clipboard lets programs set the user's clipboard.
	Clipboard bool
}

// Run shows a pane until the user leaves, the pane ends, or ctx does. The user's terminal is always restored.
func Run(ctx context.Context, opts Options) error {
	if !term.IsTerminal(opts.In.Fd()) || !term.IsTerminal(opts.Out.Fd()) {
		return core.NeedsTerminal("attach")
	}
	opts.Leave, opts.LookBack = cmp.Or(opts.Leave, usualLeave), cmp.Or(opts.LookBack, usualLookBack)
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT)
	defer stop()
	width, height, err := term.GetSize(opts.Out.Fd())
	if err != nil {
		return err
	}
	viewing, err := opts.Server.View(ctx, opts.Session, opts.Pane, width, height)
	if err != nil {
		return err
	}
	before, err := term.MakeRaw(opts.In.Fd())
	if err != nil {
		return errors.Join(err, viewing.Close())
	}
	out := &display{out: opts.Out, filter: filter{clipboard: opts.Clipboard}}
	out.begin()
	err = stay(ctx, viewing, out, &opts)
	out.leave()
	_ = term.Restore(opts.In.Fd(), before)
	if out.filter.refused > 0 {
		fmt.Fprintln(opts.Out, clipboardRefused)
	}
	var left *own.ErrLeft
	if errors.As(err, &left) {
		fmt.Fprintln(opts.Out, "cupola: "+left.Why)
		return nil
	}
	return err
}

// clipboardRefused is printed when the user has left.
const clipboardRefused = "cupola: a program in the pane tried to set your clipboard, and was refused. " +
	"'cupola config set engine.clipboard allow' lets programs do that."

// errGone means that the user's terminal is gone, or is not read any more.
var errGone = errors.New("the terminal is gone")

// errLookBack means that the user wants to see what scrolled off.
var errLookBack = errors.New("look back")

// stay shows panes, also those of a server that has taken the place of another, until the user leaves.
func stay(ctx context.Context, viewing *own.Viewing, out *display, opts *Options) error {
	var returned time.Time
	for {
		err := pass(ctx, viewing, out, opts)
		switch {
		case errors.Is(err, errLookBack):
			out.leave()
			if opts.Pane, err = lookBack(ctx, opts); err != nil {
				return err
			}
			if _, err := term.MakeRaw(opts.In.Fd()); err != nil {
				return err
			}
			out.begin()
		case errors.Is(err, engine.ErrNoServer) && time.Since(returned) > returnsWithin:
			returned = time.Now() // the server was upgraded, or another one took its terminals
		default:
			return err
		}
		if viewing, err = viewAgain(ctx, opts); err != nil {
			return err
		}
	}
}

// returnsWithin is how long a server may take to come back.
const returnsWithin = 5 * time.Second

// viewAgain attaches to the server that has taken the place of one.
func viewAgain(ctx context.Context, opts *Options) (viewing *own.Viewing, err error) {
	for end := time.Now().Add(returnsWithin); time.Now().Before(end) && ctx.Err() == nil; {
		width, height, sizeErr := term.GetSize(opts.Out.Fd())
		if sizeErr != nil {
			return nil, sizeErr
		}
		if viewing, err = opts.Server.View(ctx, opts.Session, opts.Pane, width, height); err == nil {
			return viewing, nil
		}
		time.Sleep(50 * time.Millisecond)
	}
	return nil, err
}

// pass passes output, input and sizes on until one of them ends.
func pass(ctx context.Context, viewing *own.Viewing, out *display, opts *Options) error {
	input, err := cancelreader.NewReader(opts.In)
	if err != nil {
		return err
	}
	ended := make(chan error, 2)
	typing := make(chan struct{})
	go func() {
		defer close(typing)
		ended <- passInput(viewing, input, opts)
	}()
	redraw := func() { _ = viewing.Show(opts.Session, opts.Pane) }
	hint := func(text string) {
		out.hint(text)
		time.AfterFunc(hintFor, redraw)
	}
	go func() { ended <- passOutput(viewing, out, hint, redraw) }()
	keys := time.AfterFunc(hintAfter, func() {
		hint("[ " + opts.Leave.String() + " leaves, " + opts.LookBack.String() + " looks back ]")
	})
	defer keys.Stop()
	sizes := make(chan os.Signal, 1)
	signal.Notify(sizes, syscall.SIGWINCH)
	defer signal.Stop(sizes)
	for {
		select {
		case <-ctx.Done():
			err = nil
		case err = <-ended:
			if errors.Is(err, errGone) {
				err = nil
			}
		case <-sizes:
			if width, height, err := term.GetSize(opts.Out.Fd()); err == nil {
				_ = viewing.Resize(width, height)
			}
			continue
		}
		_ = viewing.Close()
		if input.Cancel() {
			<-typing
		}
		return err
	}
}

const (
	// hintAfter is when the keys of this program are shown, and hintFor how long.
	hintAfter, hintFor = 150 * time.Millisecond, 2500 * time.Millisecond
)

// display is the user's terminal.
type display struct {
	mu     sync.Mutex
	out    *os.File
	filter filter
	// shows is true between begin and leave; nothing else is written.
	shows bool
}

func (d *display) begin() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.shows = true
	fmt.Fprint(d.out, d.filter.begin())
}

// leave gives the terminal back as it was before begin.
func (d *display) leave() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.shows = false
	fmt.Fprint(d.out, d.filter.leave())
}

// show shows a piece of output. It reports whether the screen must be drawn anew, and whether the clipboard was
// refused for the first time.
func (d *display) show(piece []byte) (stale, refused bool, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.shows {
		return false, false, nil
	}
	before := d.filter.refused
	_, err = d.out.Write(d.filter.pass(piece))
	stale, d.filter.stale = d.filter.stale, false
	return stale, before == 0 && d.filter.refused > 0, err
}

// hint shows a text in the last line, and leaves the cursor where it is.
func (d *display) hint(text string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if width, height, err := term.GetSize(d.out.Fd()); err == nil && d.shows {
		fmt.Fprintf(d.out, "\x1b7\x1b[%d;1H%s%s\x1b8", height, ansi.ResetStyle, cells.Cut(text, width, ""))
	}
}

// passOutput shows what the program writes until there is nothing more.
func passOutput(viewing *own.Viewing, out *display, hint func(string), redraw func()) error {
	for {
		piece, err := viewing.Output()
		if err != nil {
			return err
		}
		stale, refused, err := out.show(piece)
		if err != nil {
			return errGone
		}
		if stale {
			redraw()
		}
		if refused {
			hint("[ a program here tried to set your clipboard: refused ]")
		}
	}
}

// passInput types what the user types until that is the key that leaves, or errLookBack for the other one.
func passInput(viewing *own.Viewing, in io.Reader, opts *Options) error {
	buffer := make([]byte, 4096)
	for {
		n, err := in.Read(buffer)
		if err != nil {
			return errGone
		}
		before, leaves := opts.Leave.cut(buffer[:n])
		before, looks := opts.LookBack.cut(before)
		if len(before) > 0 {
			if err := viewing.Type(before); err != nil {
				return err
			}
		}
		switch {
		case looks:
			return errLookBack
		case leaves:
			return nil
		}
	}
}
