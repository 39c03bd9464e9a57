package engines

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"cupola/core/engine"
	"cupola/core/engine/own"
	"cupola/core/engine/tmux"
	"cupola/core/system/private/socket"
	"cupola/core/system/process"
)

// Auto is the kind that uses tmux where it is installed or its server runs, with the sessions of Cupola's own server
// beside, and else that alone. The other kinds are the names of engines.
const Auto = "auto"

// Options say which engine is opened.
type Options struct {
	// Kind is Auto, engine.Tmux or engine.Own; Auto if empty.
	Kind string
	// Tmux are the options of tmux. Its Socket is also that of Cupola's own server, if the kind is engine.Own.
	Tmux tmux.Options
	// Own are the options of Cupola's own server. Its Socket is used unless Tmux has one and the kind is engine.Own.
	Own own.Options
}

// Engine is an engine that knows its server before it is asked.
type Engine interface {
	engine.Engine
	// SocketPath returns the path of the server's socket, which names the server.
	SocketPath() string
}

// SocketIn returns the path of the socket of Cupola's own server in the user's folder for sockets.
func SocketIn(runtime string) string { return filepath.Join(runtime, "terminals.sock") }

// Open returns the engine that the options name. It starts nothing. It returns an error for a kind that there is not,
// and those of tmux.Open.
func Open(opts Options) (Engine, error) {
	if opts.Own.Environ == nil {
		opts.Own.Environ = opts.Tmux.Environ
	}
	switch opts.Kind {
	case engine.Tmux:
		return openTmux(opts)
	case engine.Own:
		if opts.Tmux.Socket != "" {
			opts.Own.Socket, opts.Own.Note = opts.Tmux.Socket, ""
		}
		return own.Open(opts.Own), nil
	case "", Auto:
	default:
		return nil, fmt.Errorf("no engine %q", opts.Kind)
	}
	inside := engine.InsideOf(lookup(opts.Own.Environ))
	if inside.Engine == engine.Own {
		opts.Own.Socket, opts.Own.Note = inside.Socket, ""
	}
	if Usual(opts.Tmux) == engine.Own {
		if opts.Tmux.Socket != "" {
			opts.Own.Socket, opts.Own.Note = opts.Tmux.Socket, ""
		}
		return own.Open(opts.Own), nil
	}
	server, err := openTmux(opts)
	if err != nil || opts.Own.Socket == "" {
		return server, err
	}
	return &both{tmux: server, own: own.Open(opts.Own), makes: inside.Engine}, nil
}

// lookup returns a getenv over an environment, in which the last of a name counts; nil is this process's own.
func lookup(environ []string) func(string) string {
	if environ == nil {
		return os.Getenv
	}
	return func(name string) string { return process.Variable(environ, name) }
}

func openTmux(opts Options) (Engine, error) {
	server, err := tmux.Open(opts.Tmux)
	if err != nil {
		return nil, err
	}
	return server, nil
}

// Usual is the engine that Auto uses first: tmux where it is installed or a server of it is where the options look for
// one, and else Cupola's own. A socket that Cupola's own server has made is its own everywhere.
func Usual(opts tmux.Options) string {
	if opts.Socket != "" && own.Made(opts.Socket) {
		return engine.Own
	}
	binary := cmp.Or(opts.Binary, engine.Tmux)
	if _, err := exec.LookPath(binary); err == nil {
		return engine.Tmux
	}
	if server, err := tmux.Open(opts); err == nil && socket.Listens(server.SocketPath()) {
		return engine.Tmux
	}
	return engine.Own
}
