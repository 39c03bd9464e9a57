package tmux

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"cupola/core/engine"
	"cupola/core/engine/tmux/wire"
	"cupola/core/system/process"
)

// The values of Options.Transport.
const (
	// Auto uses the socket if that is safe, and exec otherwise.
	Auto = "auto"
	// Socket never falls back to exec; a server that it cannot speak to is an error.
	Socket = "socket"
	// Exec runs a tmux process for every request.
	Exec = "exec"
)

// Options select the server and configure the requests to it. The zero value is the server
// that tmux itself would choose in this process's environment.
type Options struct {
	// Binary is the tmux program, a path or a name to look up; "tmux" if empty.
	Binary string
	// Socket is the path of the server's socket, as tmux's -S.
	Socket string
	// Label names a socket in tmux's own folder, as its -L. Socket wins over it,
	// and both win over $TMUX.
	Label string
	// ConfigFile is the file that a server started by this process reads instead of tmux's own files, as its -f; with
	// os.DevNull it reads none. It has no effect on a running server. Empty means tmux's own files.
	ConfigFile string
	// Note is the file that says where the server is on which a session was made last; empty notes and reads nothing.
	// Where that lives and none is where this client looks, none is started. Servers with a Socket, a Label or $TMUX
	// are neither noted nor looked for.
	Note string
	// Transport is Auto, Socket or Exec; Auto if empty.
	Transport string
	// Timeout is how long to wait for the answer to a read before engine.ErrSilent; 0 is 5
	// s. Requests that change something may take three times as long, those that start
	// programs twelve times.
	Timeout time.Duration
	// Over returns the command line that runs another one on the machine of the server; nil is this machine. Over
	// another one, the transport is Exec, Binary, Socket and ConfigFile are on the other one, and listings have no
	// folders and no terminals.
	Over func(argv ...string) []string
	// Processes reads the processes of the server's machine; nil is this machine.
	Processes process.Source
	// Environ is the environment of tmux processes, also for TMUX and TMUX_TMPDIR; nil is
	// this process's own.
	Environ []string
	// Now is the clock; time.Now if nil.
	Now func() time.Time
}

// timeout is how long a server may usually take to answer.
const timeout = 5 * time.Second

// Open returns the server that the options name. It starts nothing and sends no request. It
// returns an error for an unknown transport, and for a socket folder into which other users
// could have put a socket.
func Open(opts Options) (*Server, error) {
	switch opts.Transport {
	case "":
		opts.Transport = Auto
	case Auto, Socket, Exec:
	default:
		return nil, fmt.Errorf("open tmux: unknown transport %q", opts.Transport)
	}
	opts.Binary = cmp.Or(opts.Binary, "tmux")
	if opts.Environ == nil {
		opts.Environ = os.Environ()
	}
	if opts.Now == nil {
		opts.Now = time.Now
	}
	opts.Timeout = cmp.Or(opts.Timeout, timeout)
	if opts.Processes == nil {
		opts.Processes = process.Local{}
	}
	if opts.Over != nil {
		return &Server{
			binary: opts.Binary, now: opts.Now, timeout: opts.Timeout,
			address: address{path: opts.Socket, processes: opts.Processes},
			process: &processes{
				binary: opts.Binary, socket: opts.Socket, config: opts.ConfigFile, environ: opts.Environ,
				over: opts.Over,
			},
		}, nil
	}
	getenv := func(name string) string { return process.Variable(opts.Environ, name) }
	path, err := wire.SocketPath(opts.Socket, opts.Label, getenv, resolve)
	if err != nil {
		return nil, fmt.Errorf("open tmux: %w", err)
	}
	s := &Server{
		address: address{
			path: path, made: inOwnFolder(path), inside: getenv("TMUX"), processes: opts.Processes,
		},
		binary:  opts.Binary,
		now:     opts.Now,
		timeout: opts.Timeout,
		seeks:   newSeeker(path, &opts, getenv),
		auto:    opts.Transport == Auto,
		process: &processes{binary: opts.Binary, socket: path, config: opts.ConfigFile, environ: opts.Environ},
	}
	if opts.Transport != Exec {
		s.direct = wire.New(path, opts.Timeout)
	}
	return s, nil
}

// inOwnFolder reports whether a socket is in a folder of tmux's own, which may have to be made.
func inOwnFolder(path string) bool { return filepath.Base(filepath.Dir(path)) == folderOf(os.Getuid()) }

// resolve returns path absolute and without links, or as it is if it is nowhere.
func resolve(path string) string {
	resolved, err := filepath.EvalSymlinks(path)
	if err != nil {
		return path
	}
	if absolute, err := filepath.Abs(resolved); err == nil {
		return absolute
	}
	return resolved
}

var _ engine.Engine = (*Server)(nil)
