// Package engine is the interface of a terminal server: list everything, capture screens,
// create and end sessions and panes, type into them, tag them, watch for changes, and
// attach a user's terminal.
//
// It holds the interface, the values that cross it and the sentinels that an
// implementation returns. It knows no agents and no implementation. The
// contract that each implementation must pass is in enginetest.
package engine

import (
	"context"

	"cupola/core"
	"cupola/core/system/process"
)

// Engine is one terminal server. All methods may be called concurrently. They return the
// sentinels of this package, wrapped, or ctx's error if it ends first.
type Engine interface {
	// Info returns which program and server this is. It starts no server.
	Info(ctx context.Context) (Info, error)

	// List returns every session with its panes, in one request. Without a running server
	// it returns ErrNoServer.
	List(ctx context.Context, detail Detail) (Listing, error)

	// Capture returns the screens of several panes, in one request if the transport allows
	// that. It omits panes that do not exist.
	Capture(ctx context.Context, asks ...Ask) ([]core.Screen, error)

	// Overlaps reports whether concurrent requests cost little more than one, so that the
	// first answer can be processed while the server works on the others. It is false if
	// each request starts a process.
	Overlaps() bool

	// Create makes a session, or a window or pane in one, and starts its program.
	Create(ctx context.Context, launch Launch) (Location, error)

	// Respawn ends the program of a pane and starts another in its place. It uses only Dir,
	// Argv, Env and Tags of the launch; an empty Argv starts the program that the pane was
	// created with. Other tags stay, as do the pane's id, place and size. The pane's screen
	// and history are cleared.
	Respawn(ctx context.Context, pane core.PaneID, launch Launch) (Location, error)

	// Paste types text into a pane through a private buffer, bracketed where the
	// program understands it. The text may be of any size and hold any bytes.
	Paste(ctx context.Context, pane core.PaneID, text []byte) error

	// Press sends named keys ("Enter", "Escape", "C-c", "a", EscapeU), one after another. It returns
	// ErrBadKey for an unknown name, and sends nothing.
	Press(ctx context.Context, pane core.PaneID, keys ...string) error

	// KillPane ends a pane, KillSession a session with all its panes.
	KillPane(ctx context.Context, pane core.PaneID) error
	KillSession(ctx context.Context, session core.SessionID) error

	// Rename gives a session another name.
	Rename(ctx context.Context, session core.SessionID, name string) error

	// Resize sets the size, in cells, of the window that holds a pane.
	Resize(ctx context.Context, pane core.PaneID, width, height int) error

	// Tag sets or, with an empty value, removes tags on panes and sessions, in one request.
	// Tags live as long as their pane or session.
	Tag(ctx context.Context, tags ...Tag) error

	// Watch starts a change feed that ends with ctx.
	Watch(ctx context.Context) Feed

	// Attach returns the command line that attaches a terminal to a session, and selects
	// pane unless it is empty. Inside another session of the same server, it switches that
	// client instead.
	Attach(session core.SessionID, pane core.PaneID) []string

	// Processes returns the processes of the machine on which the panes run: the pids of panes are among them.
	Processes() process.Source

	// Close releases the engine's resources. It ends nothing on the server.
	Close() error
}

// Info describes a server and its program.
type Info struct {
	// Program and Version name the server program, such as "tmux" and "3.3a".
	Program string
	Version string
	// Socket is the path of the server's socket.
	Socket string
	// Transport is how the engine communicates with the server: "socket" or "exec". Note
	// says why a fallback is in use; empty if none is.
	Transport string
	Note      string
	// Beside is another server whose sessions are part of the picture; nil for none.
	Beside *Info
}

// SecondServer is an engine that drives Cupola's own server beside another one.
type SecondServer interface {
	// SecondSocket returns the socket of that server, which need not run.
	SecondSocket() string
}

// EndNoter is an engine whose server notes how it ends.
type EndNoter interface {
	// NoteEnd has the server write an empty file at an absolute path whenever it ends because its last session ended,
	// and not where it is killed. It replaces the path of an earlier call.
	NoteEnd(ctx context.Context, path string) error
}

// Upgrader is an engine whose server can run another program in its place, while sessions and programs stay.
type Upgrader interface {
	// Upgrade has the server run the program at an absolute path. It returns ErrNoServer if no such server runs.
	Upgrade(ctx context.Context, program string) (Upgraded, error)
}

// Upgraded is the result of an upgrade.
type Upgraded struct {
	Before, After Info
	// PID is the process, which is the same as before, and Panes counts what lives on in it.
	PID   int
	Panes int
}

// The names of the engines, as settings and answers have them.
const (
	Tmux = core.TmuxEngine
	Own  = core.OwnEngine
)

// Detail selects the fields that a listing fills. Zero fills all except Process.Command and
// Process.Dir, which cost as much as all others together.
type Detail uint8

const (
	// WithCommand fills Process.Command.
	WithCommand Detail = 1 << iota
	// WithDir fills Process.Dir.
	WithDir
	// Brief leaves out Window, TTY and View. Every field costs the server time.
	Brief
	// WithActivity also fills Activity and Alone in a brief listing, for panes that have
	// tags.
	WithActivity
)
