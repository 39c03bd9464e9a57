// Package server is Cupola's own terminal server: sessions, windows and panes, a pseudo-terminal and a terminal core
// for each pane, and the clients that list, capture, type, watch and attach.
//
// One server serves a user and a socket. It starts with the first session and ends with the last. The socket is the
// user's alone, and a peer of another user is refused.
//
// Every pane has the size of its window: what splits a window in tmux makes a further pane here, not a smaller one.
package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"cupola/core"
	"cupola/core/engine/own/wire"
	"cupola/core/system/private"
	"cupola/core/system/private/socket"
)

// Options say where a server listens and what it is.
type Options struct {
	// Socket is the path of the socket. A file beside it, with .lock behind its name, is locked while the server runs.
	Socket string
	// Version is that of the program; Build tells one build of it from another.
	Version, Build string
	// Holder is the command line of the process that keeps terminals through a crash of this one; the socket is added.
	// Empty for none.
	Holder []string
	// Log takes what goes wrong; nil for nothing.
	Log *slog.Logger
	// Ready is called once the server listens; nil for none.
	Ready func()
}

// Main is a program that is a server, started by a client that reads what it says: that it listens, or which states it
// reads if the socket is StatesWord. quiet is called when there is nothing more to say.
func Main(ctx context.Context, opts Options, says io.Writer, quiet func()) error {
	if opts.Socket == StatesWord {
		_, err := fmt.Fprintln(says, StateVersion)
		return err
	}
	opts.Ready = func() {
		_, _ = io.WriteString(says, wire.Listens) // who started this may be gone
		quiet()
	}
	err := Run(ctx, opts)
	if errors.Is(err, ErrRunning) {
		opts.Ready()
		return nil
	}
	return err
}

// ErrRunning means that another server listens on the socket.
var ErrRunning = errors.New("a terminal server runs already")

const (
	// firstWithin is how long a server waits for its first session.
	firstWithin = 30 * time.Second
	// lockWithin is how long it waits for a former server on its socket to end.
	lockWithin = 10 * time.Second
	// looksAtSocket is how often a server looks whether its socket is still there.
	looksAtSocket = 30 * time.Second
	// answersWithin is how long an ending server may still answer what it was asked.
	answersWithin = 2 * time.Second
)

// server is a terminal server.
type server struct {
	opts    Options
	started time.Time
	// ctx ends with the server.
	ctx context.Context //nolint:containedctx // what is asked over connections is bounded by it

	// mu guards what follows, and what of sessions, windows and panes says so.
	mu       sync.Mutex
	sessions map[core.SessionID]*session
	panes    map[core.PaneID]*pane
	// collected are the pids of panes that are gone, until they are waited for.
	collected map[int]bool
	upcoming  ids
	ending    bool
	// ended is closed once the last session is gone.
	ended chan struct{}

	watchers watchers
	keeper   keeper
	// archive is the memory of the journals of panes; nil for none. saving has buffers for saved panes.
	archive  *archive
	saving   sync.Pool
	listener *net.UnixListener
	// lock is the open file that is locked while the server runs.
	lock *os.File
	// note is what clients are told of this server; empty for nothing.
	note string
	// upgrading is true while another program is about to take this one's place.
	upgrading bool
	// clients are the connections of clients; mu guards them.
	clients map[*connection]bool
	// asked counts the requests that are being answered.
	asked sync.WaitGroup
}

// ids are the numbers that are given next.
type ids struct{ session, window, pane, slot int }

// Run serves until the last session is gone, a signal ends it, or ctx does. It returns ErrRunning if another server
// does this already.
func Run(ctx context.Context, opts Options) error {
	if opts.Log == nil {
		opts.Log = slog.New(slog.DiscardHandler)
	}
	s := newServer(ctx, opts)
	if fd := inherited(ResumeVariable); fd != 0 {
		return upgrader{s}.runOn(ctx, fd)
	}
	err := awaitHeld(ctx, opts.Socket)
	if err != nil {
		return err
	}
	if s.lock, err = lockSocket(ctx, opts.Socket); err != nil {
		return err
	}
	if s.listener, err = listen(opts.Socket); err != nil {
		return err
	}
	s.openArchive()
	go s.keeper.start()
	return s.run(ctx)
}

// runOn serves on with what another server has left in a descriptor.
func (u upgrader) runOn(ctx context.Context, fd int) error {
	st, screens, err := readState(fd)
	if err != nil {
		return err
	}
	if st.Lock != 0 {
		unix.CloseOnExec(st.Lock)
		u.server.lock = os.NewFile(uintptr(st.Lock), "lock") // the lock belongs to the open file
	} else if u.server.lock, err = lockSocket(ctx, u.server.opts.Socket); err != nil {
		return err
	}
	// Who asks waits for a server that has the lock.
	if err := u.restore(st, screens); err != nil {
		return err
	}
	if st.Listener != 0 {
		u.server.listener, err = listenerOf(st.Listener)
	} else {
		u.server.listener, err = listen(u.server.opts.Socket)
	}
	if err != nil {
		return err
	}
	if st.HolderPID != 0 {
		u.server.collected[st.HolderPID] = true // it ends now, and nothing else waits for it
	}
	u.resumeHolder(st.Holder, st.Listener != 0)
	u.resumePanes()
	return u.server.run(ctx)
}

// resumeHolder talks to the holder over an inherited descriptor, or starts one. After an upgrade the holder is of the
// old program, and another takes its place.
func (u upgrader) resumeHolder(fd int, upgraded bool) {
	if fd != 0 {
		unix.CloseOnExec(fd)
		file := os.NewFile(uintptr(fd), "holder")
		conn, err := unixConn(file)
		_ = file.Close()
		switch {
		case err != nil:
		default:
			u.server.keeper.use(conn, 0)
			u.server.keeper.changed()
			if !upgraded {
				return
			}
		}
	}
	go u.server.keeper.start()
}

func newServer(ctx context.Context, opts Options) *server {
	s := &server{
		ctx:       ctx,
		opts:      opts,
		started:   time.Now(),
		sessions:  map[core.SessionID]*session{},
		panes:     map[core.PaneID]*pane{},
		collected: map[int]bool{}, clients: map[*connection]bool{},
		ended:    make(chan struct{}),
		watchers: watchers{all: map[*watcher]bool{}, first: make(chan struct{}, 1)},
	}
	s.keeper.server, s.keeper.command = s, opts.Holder
	s.saving.New = func() any { return new([]byte) }
	return s
}

// openArchive makes the memory of journals. Without it panes are drawn anew after a crash.
func (s *server) openArchive() {
	var err error
	if s.archive, err = newArchive(); err != nil {
		s.opts.Log.Error("make the memory of journals", "error", err)
	}
}

// nextSlot is the number of another journal; mu is held.
func (s *server) nextSlot() int {
	s.upcoming.slot++
	return s.upcoming.slot
}

// run serves until the server ends.
func (s *server) run(ctx context.Context) error {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT)
	defer signal.Stop(signals)
	handOnDefaults()
	reaping, stop := context.WithCancel(ctx)
	defer stop()
	go reaper{s}.reap(reaping)
	go reaper{s}.lookAtPrograms(reaping)
	go s.accept(s.listener)
	first := time.AfterFunc(firstWithin, s.endIfEmpty)
	defer first.Stop()
	if s.opts.Ready != nil {
		s.opts.Ready()
	}
	looks := time.NewTicker(looksAtSocket)
	defer looks.Stop()
	for ended := false; !ended; {
		ended = true
		select {
		case <-s.ended:
		case <-signals:
			s.endAll()
		case <-ctx.Done():
			s.endAll()
		case <-looks.C:
			upgrader{s}.listenAgain()
			ended = false
		}
	}
	s.keeper.end()
	_ = os.Remove(s.opts.Socket)
	_ = s.listener.Close()
	waitAtMost(&s.asked, answersWithin)
	return nil
}

// handOnDefaults lets programs in panes have the usual actions of signals, whatever this process was started to ignore:
// who handles a signal hands on its default. A terminal that hangs up does not end the server.
func handOnDefaults() {
	taken := make(chan os.Signal, 1)
	signal.Notify(taken, syscall.SIGHUP)
	for _, s := range []os.Signal{
		syscall.SIGQUIT, syscall.SIGTSTP, syscall.SIGTTIN, syscall.SIGTTOU, syscall.SIGPIPE, syscall.SIGALRM,
		syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGWINCH, syscall.SIGCHLD,
	} {
		if signal.Ignored(s) {
			signal.Notify(taken, s)
		}
	}
}

// listenAgain makes the socket anew if it was removed, as with the user's folder for sockets when the user logs out, or
// by what tidies temporary folders. Else no client could reach what goes on running.
func (u upgrader) listenAgain() {
	if _, err := os.Lstat(u.server.opts.Socket); !errors.Is(err, fs.ErrNotExist) {
		return
	}
	err := private.MakeFolder(filepath.Dir(u.server.opts.Socket))
	var listener *net.UnixListener
	if err == nil {
		listener, err = listen(u.server.opts.Socket)
	}
	if err != nil {
		u.server.opts.Log.Error("make the socket anew", "error", err)
		return
	}
	u.server.mu.Lock()
	former := u.server.listener
	u.server.listener = listener
	u.server.mu.Unlock()
	former.SetUnlinkOnClose(false) // the path is that of the new one
	_ = former.Close()
	go u.server.accept(listener)
}

// waitAtMost waits until a group is done, or some time has passed.
func waitAtMost(group *sync.WaitGroup, limit time.Duration) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		group.Wait()
	}()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-done:
	case <-timer.C:
	}
}

// lockSocket takes the lock of a socket. A server that holds it and answers is ErrRunning; one that is about to end is
// waited for.
func lockSocket(ctx context.Context, socket string) (*os.File, error) {
	if err := private.MakeFolder(filepath.Dir(socket)); err != nil {
		return nil, err
	}
	// The lock belongs to the open file, so that another program that runs on in this process can inherit it.
	lock, err := os.OpenFile(wire.LockPath(socket), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	limit := time.NewTimer(lockWithin)
	defer limit.Stop()
	for {
		err := unix.Flock(int(lock.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if err == nil {
			return lock, nil
		}
		if errors.Is(err, unix.EWOULDBLOCK) {
			err = awaitOther(ctx, socket, limit.C)
		}
		if err != nil {
			_ = lock.Close()
			return nil, fmt.Errorf("lock the terminal server's socket: %w", err)
		}
	}
}

// awaitHeld waits for the server that a holder on this socket starts, if there is one: a server beside it would hide
// the terminals that are kept. It returns ErrRunning once that server answers.
func awaitHeld(ctx context.Context, socket string) error {
	limit := time.NewTimer(lockWithin)
	defer limit.Stop()
	for {
		held, is := wire.ReadHeld(socket)
		if !is {
			return nil
		}
		if err := awaitOther(ctx, socket, limit.C); err != nil {
			return fmt.Errorf("process %d keeps terminals on this socket: %w", held.PID, err)
		}
	}
}

// awaitOther waits a moment for another server to end. One that answers is ErrRunning.
func awaitOther(ctx context.Context, path string, limit <-chan time.Time) error {
	if conn, err := socket.Dial(ctx, path, 0); err == nil {
		_ = conn.Close()
		return ErrRunning
	}
	select {
	case <-time.After(5 * time.Millisecond):
		return nil
	case <-limit:
		return fmt.Errorf("%w, and does not answer", ErrRunning)
	case <-ctx.Done():
		return ctx.Err()
	}
}

// listen makes the socket anew. Who has the lock finds at most one that a server left behind.
func listen(socket string) (*net.UnixListener, error) {
	if info, err := os.Lstat(socket); err == nil && info.Mode().Type() != fs.ModeSocket {
		return nil, fmt.Errorf("%s is no socket", socket)
	}
	if err := os.Remove(socket); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	old := syscall.Umask(0o177)
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: socket, Net: "unix"})
	syscall.Umask(old)
	if err != nil {
		return nil, fmt.Errorf("listen on the terminal server's socket: %w", err)
	}
	return listener, nil
}

// accept serves each connection until the listener closes.
func (s *server) accept(listener *net.UnixListener) {
	for {
		conn, err := listener.AcceptUnix()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil { // too many files, most likely
			s.opts.Log.Error("accept", "error", err)
			time.Sleep(50 * time.Millisecond)
			continue
		}
		go newConnection(s, conn).serve()
	}
}

// restructured tells watchers and the holder that sessions, windows or panes are not what they were, and which screens
// are new.
func (s *server) restructured(dirty ...core.PaneID) {
	s.watchers.restructured(dirty...)
	s.keeper.changed()
}

// hello is what the server says of itself.
func (s *server) hello() wire.Hello {
	s.mu.Lock()
	defer s.mu.Unlock()
	return wire.Hello{
		Version: wire.Version,
		Oldest:  wire.Oldest,
		Program: s.opts.Version,
		Build:   s.opts.Build,
		PID:     os.Getpid(),
		Started: s.started,
		Panes:   len(s.panes),
		Note:    s.note,
	}
}

// endIfEmpty ends a server that has no session.
func (s *server) endIfEmpty() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.endIfUnused()
}

// endIfUnused ends a server without sessions; mu is held.
func (s *server) endIfUnused() {
	if len(s.sessions) == 0 && !s.ending {
		s.ending = true
		close(s.ended)
	}
}

// endAll ends all sessions.
func (s *server) endAll() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, session := range s.sessions {
		s.endSession(session)
	}
	s.endIfUnused()
}
