package attach

import (
	"bytes"
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
	"cupola/core/cells"
	"cupola/core/engine"
	"cupola/core/engine/own"
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
}

// errNoTerminal means that there is no terminal to attach.
var errNoTerminal = errors.New("attach needs a terminal")

// leaves are the sequences that undo in the user's terminal what a program has switched: the alternate screen, the
// mouse, pasting in brackets, focus, the keyboard protocols, the cursor, the region, colours.
const leaves = "\x1b[?1049l" + quiet + "\x1b[?2026l\x1b[?1l\x1b>\x1b[>4;0m\x1b[r\x1b[?6l\x1b[4l\x1b[20l\x1b[?7h" +
	"\x1b[0 q\x1b[?25h" + ansi.ResetStyle + "\x1b(B\x0f\x1b]2;\x1b\\"

// quiet switches off what has a terminal send more than keys: the mouse, brackets around what is pasted, focus, and the
// keyboard protocol of kitty.
const quiet = "\x1b[?9;1000;1001;1002;1003;1005;1006;1015;1016l\x1b[?2004l\x1b[?1004l\x1b[<99u"

// Run shows a pane until the user leaves, the pane ends, or ctx does. The user's terminal is always restored.
func Run(ctx context.Context, opts Options) error {
	if !term.IsTerminal(opts.In.Fd()) || !term.IsTerminal(opts.Out.Fd()) {
		return errNoTerminal
	}
	opts.Leave, opts.LookBack = cmp.Or(opts.Leave, UsualLeave), cmp.Or(opts.LookBack, UsualLookBack)
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGTERM, syscall.SIGHUP)
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
	fmt.Fprint(opts.Out, begins)
	err = stay(ctx, viewing, &opts)
	fmt.Fprint(opts.Out, leaves)
	_ = term.Restore(opts.In.Fd(), before)
	var left *own.ErrLeft
	if errors.As(err, &left) {
		fmt.Fprintln(opts.Out, "cupola: "+left.Why)
		return nil
	}
	return err
}

// errGone means that the user's terminal is gone, or is not read any more.
var errGone = errors.New("the terminal is gone")

// errLookBack means that the user wants to see what scrolled off.
var errLookBack = errors.New("look back")

// stay shows panes, also those of a server that has taken the place of another, until the user leaves.
func stay(ctx context.Context, viewing *own.Viewing, opts *Options) error {
	var returned time.Time
	for {
		err := pass(ctx, viewing, opts)
		switch {
		case errors.Is(err, errLookBack):
			if opts.Pane, err = lookBack(ctx, opts); err != nil {
				return err
			}
			if _, err := term.MakeRaw(opts.In.Fd()); err != nil {
				return err
			}
			fmt.Fprint(opts.Out, begins)
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

// begins has everything shown on the alternate screen, so that what the user had comes back.
const begins = "\x1b[?1049h"

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
func pass(ctx context.Context, viewing *own.Viewing, opts *Options) error {
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
	out := &display{out: opts.Out}
	go func() { ended <- passOutput(viewing, out) }()
	hint := time.AfterFunc(hintAfter, func() {
		out.hint(opts)
		time.AfterFunc(hintFor, func() { _ = viewing.Show(opts.Session, opts.Pane) })
	})
	defer hint.Stop()
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
	mu  sync.Mutex
	out *os.File
}

func (d *display) Write(p []byte) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.out.Write(p)
}

// hint shows the keys of this program in the last line, and leaves the cursor where it is.
func (d *display) hint(opts *Options) {
	width, height, err := term.GetSize(d.out.Fd())
	if err != nil {
		return
	}
	text := cells.Cut("[ "+opts.Leave.String()+" leaves, "+opts.LookBack.String()+" looks back ]", width, "")
	fmt.Fprintf(d, "\x1b7\x1b[%d;1H%s%s\x1b8", height, ansi.ResetStyle, text)
}

func passOutput(viewing *own.Viewing, out io.Writer) error {
	for {
		shown, err := viewing.Output()
		if err != nil {
			return err
		}
		// A reset of the whole terminal would also leave the alternate screen, on which all is shown.
		if _, err := out.Write(bytes.ReplaceAll(shown, []byte("\x1bc"), []byte(clears))); err != nil {
			return errGone
		}
	}
}

// clears empties the screen and switches off what a program can have switched on.
const clears = "\x1b[!p" + quiet + ansi.ResetStyle + "\x1b[H\x1b[2J"

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
