// Package server is Cupola's own terminal server: sessions, windows and panes, a pseudo-terminal and a terminal core
// for each pane, and the clients that list, capture, type, watch and attach.
//
// One server serves a user and a socket. It starts with the first session and ends with the last. The socket is the
// user's alone, and a peer of another user is refused.
//
// The tree has the sessions, windows and panes, under one lock, and reports changes to the server. The watchers collect
// these for clients, the keeper for the holder; the reaper waits for programs, a viewer shows one pane to one terminal,
// and the upgrader has the things that the next program inherits: the socket and its lock.
//
// Every pane has the size of its window: splitting a window makes a further pane of that size, not smaller ones as in
// tmux.
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
	// Version is the version of the program; Build distinguishes its builds.
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
	if errors.Is(err, errRunning) {
		opts.Ready()
		return nil
	}
	return err
}

// errRunning means that another server listens on the socket.
var errRunning = errors.New("a terminal server runs already")

const (
	// firstWithin is how long a server waits for its first session.
	firstWithin = 30 * time.Second
	// lockWithin is how long it waits for a former server on its socket to end.
	lockWithin = 10 * time.Second
	// checkSocketEvery is how often a server looks whether its socket is still there.
	checkSocketEvery = 30 * time.Second
	// answersWithin is how long an ending server may still answer what it was asked.
	answersWithin = 2 * time.Second
)

// server is a terminal server.
type server struct {
	opts    Options
	started time.Time
	// ctx ends with the server.
	ctx context.Context //nolint:containedctx // what is asked over connections is bounded by it

	tree     *tree
	watchers watchers
	keeper   keeper
	reaper   reaper
	upgrader upgrader
	// archive is the memory of the journals of panes; nil for none. saving has buffers for saved panes.
	archive *archive
	saving  sync.Pool
	// note is a message about this server for its clients; empty for none.
	note string
	// clients are the connections of clients; tree.mu guards them.
	clients map[*connection]bool
	// asked counts the requests that are being answered.
	asked sync.WaitGroup
}

// Run serves until the last session is gone, a signal ends it, or ctx does. It returns ErrRunning if another server
// does this already.
func Run(ctx context.Context, opts Options) error {
	if opts.Log == nil {
		opts.Log = slog.New(slog.DiscardHandler)
	}
	s := newServer(ctx, opts)
	if fd := inherited(ResumeVariable); fd != 0 {
		return s.upgrader.runOn(ctx, fd)
	}
	err := awaitHeld(ctx, opts.Socket)
	if err != nil {
		return err
	}
	if s.upgrader.lock, err = lockSocket(ctx, opts.Socket); err != nil {
		return err
	}
	if s.upgrader.listener, err = listen(opts.Socket); err != nil {
		return err
	}
	s.openArchive()
	go s.keeper.start()
	return s.run(ctx)
}

// runOn serves on with what another server has left in a descriptor.
func (u *upgrader) runOn(ctx context.Context, fd int) error {
	st, screens, err := readState(fd)
	if err != nil {
		return err
	}
	if st.Lock != 0 {
		unix.CloseOnExec(st.Lock)
		u.lock = os.NewFile(uintptr(st.Lock), "lock") // the lock belongs to the open file
	} else if u.lock, err = lockSocket(ctx, u.server.opts.Socket); err != nil {
		return err
	}
	// Who asks waits for a server that has the lock.
	if err := u.restore(st, screens); err != nil {
		return err
	}
	if st.Listener != 0 {
		u.listener, err = listenerOf(st.Listener)
	} else {
		u.listener, err = listen(u.server.opts.Socket)
	}
	if err != nil {
		return err
	}
	if st.HolderPID != 0 {
		u.server.reaper.collected[st.HolderPID] = true // it ends now, and nothing else waits for it
	}
	u.resumeHolder(st.Holder, st.Listener != 0)
	u.resumePanes()
	return u.server.run(ctx)
}

// resumeHolder talks to the holder over an inherited descriptor, or starts one. After an upgrade the holder is of the
// old program, and another takes its place.
func (u *upgrader) resumeHolder(fd int, upgraded bool) {
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
		ctx:      ctx,
		opts:     opts,
		started:  time.Now(),
		clients:  map[*connection]bool{},
		watchers: watchers{all: map[*watcher]bool{}, first: make(chan struct{}, 1)},
	}
	s.tree = newTree(s)
	s.reaper = reaper{tree: s.tree, watchers: &s.watchers, collected: map[int]bool{}}
	s.upgrader.server = s
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

// run serves until the server ends.
func (s *server) run(ctx context.Context) error {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT)
	defer signal.Stop(signals)
	handOnDefaults()
	reaping, stop := context.WithCancel(ctx)
	defer stop()
	go s.reaper.reap(reaping)
	go s.reaper.pollPrograms(reaping)
	go s.accept(s.upgrader.listener)
	first := time.AfterFunc(firstWithin, s.tree.endIfEmpty)
	defer first.Stop()
	if s.opts.Ready != nil {
		s.opts.Ready()
	}
	ticks := time.NewTicker(checkSocketEvery)
	defer ticks.Stop()
	for ended := false; !ended; {
		ended = true
		select {
		case <-s.tree.ended:
		case <-signals:
			s.tree.endAll()
		case <-ctx.Done():
			s.tree.endAll()
		case <-ticks.C:
			s.upgrader.listenAgain()
			ended = false
		}
	}
	s.keeper.end()
	_ = os.Remove(s.opts.Socket)
	_ = s.upgrader.listener.Close()
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

// listenAgain makes the socket anew if it was removed: at logout with the user's folder for sockets, or by a program
// that tidies temporary folders. Otherwise no client could reach the sessions, which keep running.
func (u *upgrader) listenAgain() {
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
	u.server.tree.mu.Lock()
	former := u.listener
	u.listener = listener
	u.server.tree.mu.Unlock()
	former.SetUnlinkOnClose(false) // the path now belongs to the new one
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
		return errRunning
	}
	select {
	case <-time.After(5 * time.Millisecond):
		return nil
	case <-limit:
		return fmt.Errorf("%w, and does not answer", errRunning)
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

// restructured notifies watchers and the holder that sessions, windows or panes have changed, and which screens are
// new.
func (s *server) restructured(dirty ...core.PaneID) {
	s.watchers.restructured(dirty...)
	s.keeper.changed()
}

// gone has the program of a pane waited for, and the holder forget its terminal; tree.mu is held.
func (s *server) gone(id core.PaneID, pid int) {
	if pid != 0 {
		s.reaper.collected[pid] = true
	}
	if s.tree.panes[id] != nil {
		s.keeper.sendStructure() // the holder leaves out living panes without a terminal
	}
	s.keeper.forget(id)
}

// hello returns the server's greeting.
func (s *server) hello() wire.Hello {
	s.tree.mu.Lock()
	defer s.tree.mu.Unlock()
	return wire.Hello{
		Version: wire.Version,
		Oldest:  wire.Oldest,
		Program: s.opts.Version,
		Build:   s.opts.Build,
		PID:     os.Getpid(),
		Started: s.started,
		Panes:   len(s.tree.panes),
		Note:    s.note,
	}
}
