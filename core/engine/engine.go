package engine

import (
	"context"

	"cupola/core"
)

// Engine is one terminal server. All methods may be called concurrently. They
// return the sentinels of this package, wrapped; an answer that is cut short by
// ctx returns its error.
type Engine interface {
	// Info says which program and server this is, without starting one.
	Info(ctx context.Context) (Info, error)

	// List returns every session with its panes in one question. Without a
	// running server it returns ErrNoServer.
	List(ctx context.Context, detail Detail) (Listing, error)

	// Capture returns the screens of several panes, in one question where the
	// transport allows it. A pane that is gone is left out of the answer.
	Capture(ctx context.Context, asks ...Ask) ([]core.Screen, error)

	// Overlaps reports whether several questions at once are answered one by one, so
	// that the first answers can be read while the server works on the others, at
	// little more than the price of one. It is false where each starts a process.
	Overlaps() bool

	// Create makes a session, or a window or pane in one, and starts its program.
	Create(ctx context.Context, launch Launch) (Place, error)

	// Respawn ends the program of a pane and starts another in its place. Of the
	// launch only Dir, Argv, Env and Tags count; an empty Argv starts what the pane
	// was made with. Tags that it does not name stay, as do the pane's id, place
	// and size. What the pane showed is gone.
	Respawn(ctx context.Context, pane core.PaneID, launch Launch) (Place, error)

	// Paste types text into a pane through a private buffer, bracketed where the
	// program understands it. The text may be of any size and hold any bytes.
	Paste(ctx context.Context, pane core.PaneID, text []byte) error

	// Press sends named keys ("Enter", "Escape", "C-c", "a"), one after another.
	// An unknown name is an ErrBadKey and nothing is sent.
	Press(ctx context.Context, pane core.PaneID, keys ...string) error

	// KillPane ends a pane, KillSession a session with all its panes.
	KillPane(ctx context.Context, pane core.PaneID) error
	KillSession(ctx context.Context, session core.SessionID) error

	// Rename gives a session another name.
	Rename(ctx context.Context, session core.SessionID, name string) error

	// Resize sets the size, in cells, of the window that holds a pane.
	Resize(ctx context.Context, pane core.PaneID, width, height int) error

	// Tag sets or, with an empty value, removes user options on panes and
	// sessions, all in one question. Tags live as long as what they are on.
	Tag(ctx context.Context, tags ...Tag) error

	// Watch starts a change feed that ends with ctx.
	Watch(ctx context.Context) Feed

	// Attach returns the command line with which a human's terminal shows a
	// session, selecting pane where it is not empty. Inside another session of
	// the same server it switches that client instead.
	Attach(session core.SessionID, pane core.PaneID) []string

	// Close releases what the engine holds. It ends nothing on the server.
	Close() error
}

// Info is what is known of a server program.
type Info struct {
	// Program and its Version, such as "tmux" and "3.3a".
	Program string
	Version string
	// Socket is the path of the server's socket.
	Socket string
	// Transport is how it is spoken to: "socket" or "exec". Note says why a
	// fallback was taken; empty if none was.
	Transport string
	Note      string
}

// Detail says which fields a listing fills. Zero fills all but the program and
// its folder, which cost as much as everything else together.
type Detail uint8

const (
	// WithCommand fills Process.Command.
	WithCommand Detail = 1 << iota
	// WithDir fills Process.Dir.
	WithDir
	// Brief leaves out Window, TTY and View. Every field costs the server time.
	Brief
	// WithActivity fills Activity and Alone in a brief listing, too, for panes that
	// have tags.
	WithActivity
)
