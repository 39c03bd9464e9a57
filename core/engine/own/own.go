// Package own is the client of Cupola's own terminal server. It starts the server with the first session; the server is
// this program, run with words of its own.
package own

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"cupola/core"
	"cupola/core/engine"
	"cupola/core/engine/own/wire"
	"cupola/core/system/process"
)

// Transport is how clients communicate with the server.
const Transport = "socket"

// Program is the name of the server's program in engine.Info.
const Program = "cupola"

// answersWithin is how long a server may usually take to answer.
const answersWithin = 5 * time.Second

// Options select the server.
type Options struct {
	// Socket is the path of its socket.
	Socket string
	// Note is the file that says where the server is that was started last; empty notes and reads nothing. A living
	// server that it names is used where none has Socket, so that programs with another $XDG_RUNTIME_DIR find it, and
	// start no second one.
	Note string
	// Version is the version of this program, Build distinguishes its builds.
	Version, Build string
	// Start is the command line that starts a server; the path of the socket is added. Empty starts none: Create is
	// then an error without a server.
	Start []string
	// Scope is the command line that runs a program in a scope of the user's systemd; the program is added. Empty for
	// none.
	Scope []string
	// Attach is the command line of the client that attaches a terminal; the socket, the session and the pane are
	// added.
	Attach []string
	// Environ is the environment of servers that are started and, without what describes a terminal, of programs in
	// panes; nil is this process's own.
	Environ []string
	// Timeout is how long to wait for an answer before engine.ErrSilent; 0 is 5 s. What starts programs may take twelve
	// times as long.
	Timeout time.Duration
}

// Server is the client of one server. All its methods may be called concurrently.
type Server struct {
	opts Options
	// idle holds the connections that no request uses.
	idle chan *connection
}

// Open returns the client of a server. It starts nothing and sends no request.
func Open(opts Options) *Server {
	if opts.Environ == nil {
		opts.Environ = os.Environ()
	}
	opts.Timeout = cmp.Or(opts.Timeout, answersWithin)
	opts.Socket = Usual(opts.Socket, opts.Note)
	return &Server{opts: opts, idle: make(chan *connection, mostIdle)}
}

// SocketPath returns the path of the server's socket, which names the server.
func (s *Server) SocketPath() string { return s.opts.Socket }

// Overlaps returns true: the server answers each connection for itself.
func (s *Server) Overlaps() bool { return true }

// Processes returns those of this machine.
func (s *Server) Processes() process.Source { return process.Local{} }

// Info returns what the server is, or what this program would start.
func (s *Server) Info(ctx context.Context) (engine.Info, error) {
	hello, err := s.Hello(ctx)
	if errors.Is(err, engine.ErrNoServer) {
		hello, err = wire.Hello{Program: s.opts.Version, Build: s.opts.Build}, nil
	}
	return infoOf(s, hello), err
}

// Hello returns what the server says of itself now. A connection that was kept has heard what it said once.
func (s *Server) Hello(ctx context.Context) (wire.Hello, error) {
	c, err := s.dial(ctx)
	if err != nil {
		return wire.Hello{}, err
	}
	defer keep(s, c)
	return c.hello, nil
}

// List returns every session with its panes.
func (s *Server) List(ctx context.Context, detail engine.Detail) (engine.Listing, error) {
	reply, err := s.ask(ctx, "list panes", s.opts.Timeout, wire.Request{Op: wire.List, Detail: detail})
	if err != nil || reply.Listing == nil {
		return engine.Listing{}, err
	}
	return wire.MapListing(*reply.Listing, wire.Unpack), nil
}

// Capture returns the screens of panes.
func (s *Server) Capture(ctx context.Context, asks ...engine.Ask) ([]core.Screen, error) {
	reply, err := s.ask(ctx, "capture panes", s.opts.Timeout, wire.Request{Op: wire.Capture, Asks: asks})
	return reply.Screens, err
}

// Create makes a session, window or pane. The first one starts the server.
func (s *Server) Create(ctx context.Context, launch engine.Launch) (engine.Location, error) {
	op := "create session"
	switch {
	case launch.Split != "":
		op = "create pane"
	case launch.Into != "":
		op = "create window"
	}
	if err := engine.CheckEngine(launch, engine.Own); err != nil {
		return engine.Location{}, fmt.Errorf("%s: %w", op, err)
	}
	if launch.Into == "" {
		if err := core.CheckSessionName(launch.Session); err != nil {
			return engine.Location{}, err
		}
		if launch.Dir == "" {
			launch.Dir = workingDir()
		}
	}
	if err := engine.CheckProgram(launch); err != nil {
		return engine.Location{}, fmt.Errorf("%s: %w", op, err)
	}
	request := s.starting(wire.Request{Op: wire.Create}, launch)
	return launched(ctx, s, op, request, launch.Into == "")
}

// starting adds to a request what it starts.
func (s *Server) starting(request wire.Request, launch engine.Launch) wire.Request {
	environ := launch.Environ
	if environ == nil {
		environ = s.opts.Environ
	}
	launch.Environ = nil // the request has it
	packed := wire.PackLaunch(launch)
	request.Launch, request.Environ = &packed, core.Map(environ, wire.Pack)
	return request
}

// launched asks for a program to be started, if need be of a server that is started first.
func launched(ctx context.Context, s *Server, op string, request wire.Request, starts bool) (engine.Location, error) {
	const startsWithin = 12
	limit := startsWithin * s.opts.Timeout
	unanswered, started := false, time.Now()
	for end := time.Now().Add(limit); ; {
		reply, err := s.ask(ctx, op, limit, request)
		switch {
		case starts && errors.Is(err, errUnanswered) && time.Now().Before(end):
			unanswered = true // if it was made, it has the name now
			continue
		case unanswered && errors.Is(err, engine.ErrDuplicate):
			return createdSince(ctx, s, wire.UnpackLaunch(*request.Launch).Session, started, err)
		case err == nil && reply.Place != nil:
			return *reply.Place, nil
		case !starts || !errors.Is(err, engine.ErrNoServer) || time.Now().After(end):
			return engine.Location{}, err
		}
		// Also a server that has lost its last session says that there is none, and did nothing.
		if err := start(ctx, s); err != nil {
			return engine.Location{}, fmt.Errorf("%s: %w", op, err)
		}
	}
}

// createdSince is where a session is that was made since some time. Without one it returns the error.
func createdSince(ctx context.Context, s *Server, name string, since time.Time, taken error) (engine.Location, error) {
	l, err := s.List(ctx, 0)
	if err != nil {
		return engine.Location{}, err
	}
	for _, one := range l.Sessions {
		for i := range l.Panes {
			if p := &l.Panes[i]; one.Name == name && p.Session == one.ID && one.Created.After(since) {
				return engine.Location{Session: one.ID, Window: p.Window.ID, Pane: p.ID, PID: p.Process.PID}, nil
			}
		}
	}
	return engine.Location{}, taken
}

// workingDir is where new sessions are that say no other place.
func workingDir() string {
	dir, err := os.Getwd()
	if err != nil {
		return "/"
	}
	return dir
}

// Respawn starts another program in a pane. The old one gets SIGHUP, as when its terminal closes.
func (s *Server) Respawn(ctx context.Context, pane core.PaneID, launch engine.Launch) (engine.Location, error) {
	const op = "respawn pane"
	if err := engine.CheckProgram(launch); err != nil {
		return engine.Location{}, fmt.Errorf("%s: %w", op, err)
	}
	return launched(ctx, s, op, s.starting(wire.Request{Op: wire.Respawn, Pane: pane}, launch), false)
}

// Paste types text into a pane, bracketed where the program understands it. Newlines arrive as carriage returns.
func (s *Server) Paste(ctx context.Context, pane core.PaneID, text []byte) error {
	if len(text) == 0 {
		return nil
	}
	return call(ctx, s, "paste", wire.Request{Op: wire.Paste, Pane: pane, Text: text})
}

// Press sends named keys in one request.
func (s *Server) Press(ctx context.Context, pane core.PaneID, keys ...string) error {
	if len(keys) == 0 {
		return nil
	}
	for _, key := range keys {
		if err := engine.CheckKey(key); err != nil {
			return fmt.Errorf("press keys: %w", err)
		}
	}
	return call(ctx, s, "press keys", wire.Request{Op: wire.Press, Pane: pane, Keys: keys})
}

// KillPane ends a pane.
func (s *Server) KillPane(ctx context.Context, pane core.PaneID) error {
	return call(ctx, s, "kill pane", wire.Request{Op: wire.KillPane, Pane: pane})
}

// KillSession ends a session with all its panes.
func (s *Server) KillSession(ctx context.Context, session core.SessionID) error {
	return call(ctx, s, "kill session", wire.Request{Op: wire.KillSession, Session: session})
}

// Rename gives a session another name.
func (s *Server) Rename(ctx context.Context, session core.SessionID, name string) error {
	return call(ctx, s, "rename session", wire.Request{Op: wire.Rename, Session: session, Name: name})
}

// Resize sets the size of the window that holds a pane, and of all its panes.
func (s *Server) Resize(ctx context.Context, pane core.PaneID, width, height int) error {
	return call(ctx, s, "resize window", wire.Request{Op: wire.Resize, Pane: pane, Width: width, Height: height})
}

// Tag sets or removes tags: all of them, or none.
func (s *Server) Tag(ctx context.Context, tags ...engine.Tag) error {
	if len(tags) == 0 {
		return nil
	}
	packed := make([]engine.Tag, len(tags))
	for i, tag := range tags {
		tag.Value = wire.Pack(tag.Value)
		packed[i] = tag
	}
	return call(ctx, s, "tag", wire.Request{Op: wire.Tag, Tags: packed})
}

// Upgrade has the server run the program at a path in its place. Sessions, screens and what runs in panes stay. It
// returns once the new program answers.
func (s *Server) Upgrade(ctx context.Context, path string) (engine.Upgraded, error) {
	fail := func(err error) (engine.Upgraded, error) {
		return engine.Upgraded{}, fmt.Errorf("upgrade the terminal server: %w", err)
	}
	c, err := s.dial(ctx)
	if err != nil {
		return fail(err)
	}
	reply, err := c.ask(ctx, upgradesWithin, wire.Request{Op: wire.Upgrade, Path: path})
	_ = c.Close()
	switch {
	case err == nil && reply.Fault != nil:
		return fail(reply.Fault.Err())
	case err != nil && !errors.Is(err, engine.ErrNoServer):
		return fail(err)
	}
	// The connection ended with the old program. The next one is answered by the new.
	hello, err := s.Hello(ctx)
	if err != nil {
		return fail(err)
	}
	return engine.Upgraded{
		Before: infoOf(s, c.hello), After: infoOf(s, hello), PID: hello.PID, Panes: hello.Panes,
	}, nil
}

// infoOf returns a server's description from its greeting.
func infoOf(s *Server, hello wire.Hello) engine.Info {
	info := engine.Info{Program: Program, Version: hello.Program, Socket: s.opts.Socket, Transport: Transport}
	if hello.Program != s.opts.Version || hello.Build != s.opts.Build {
		info.Note = "the server runs another build of the program than this one"
	}
	if hello.Note != "" {
		info.Note = hello.Note
	}
	return info
}

// upgradesWithin is how long an upgrade may take, with all screens of all panes.
const upgradesWithin = time.Minute

// Shutdown ends all sessions, and with them the server.
func (s *Server) Shutdown(ctx context.Context) error {
	return call(ctx, s, "end the terminal server", wire.Request{Op: wire.Shutdown})
}

// Attach returns the command line that attaches a terminal to a session, and to a pane of it unless it is empty.
func (s *Server) Attach(session core.SessionID, pane core.PaneID) []string {
	argv := append(append([]string{}, s.opts.Attach...), s.opts.Socket, string(session))
	if pane != "" {
		argv = append(argv, string(pane))
	}
	return argv
}

// Lost says which sessions ended with the server and the holder of a socket, if both were killed and no server has been
// started since, and when they were last seen; empty otherwise.
func Lost(socket string) (said string, at time.Time) {
	lost, at, is := wire.ReadLost(socket)
	if !is {
		return "", time.Time{}
	}
	names := make([]string, 0, len(lost.Sessions))
	for _, name := range slices.Sorted(maps.Keys(lost.Sessions)) {
		panes := "panes"
		if lost.Sessions[name] == 1 {
			panes = "pane"
		}
		names = append(names, fmt.Sprintf("%s (%d %s)", wire.Unpack(name), lost.Sessions[name], panes))
	}
	return fmt.Sprintf("Cupola's terminal server and its holder were killed after %s, and with them what ran in %s",
		at.UTC().Format(time.RFC3339), strings.Join(names, ", ")), at
}

// Made reports whether a server of this kind has listened on a socket: it leaves its lock there.
func Made(socket string) bool {
	_, err := os.Stat(wire.LockPath(socket))
	return err == nil
}

// Is reports whether an id is one that this server gives.
func Is(id string) bool { return len(id) > 1 && strings.HasPrefix(id[1:], "o") }

var (
	_ engine.Engine   = (*Server)(nil)
	_ engine.Upgrader = (*Server)(nil)
)
