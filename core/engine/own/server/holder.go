package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"cupola/core"
	"cupola/core/engine/own/wire"
)

const (
	// restsAtFirst is how long a holder waits before it starts a server once more, and restsAtLast after many tries.
	restsAtFirst = 20 * time.Millisecond
	restsAtLast  = 5 * time.Second
	// servesWell is how long a server must have served to be no longer taken for one that crashes at once.
	servesWell = 10 * time.Second
	// heldWithin is how long a holder waits for another one on its socket to end. One that stays starts the server.
	heldWithin = 2 * time.Second
	// spareFiles are descriptors that a holder keeps for the start of a server.
	spareFiles = 8
)

// holder is the process that keeps terminals through a crash of their server.
type holder struct {
	// opts are the options of the server that this process becomes if no other can be started.
	opts Options
	// start is the command line that starts a server; the socket is added.
	start []string

	state []byte
	// masters are the descriptors of terminals, archive is the descriptor of the journals' memory, 0 for none; files
	// are received descriptors that are not assigned yet. spare are descriptors that are closed for the start of a
	// server.
	masters map[core.PaneID]int
	archive int
	files   []int
	spare   []int
	held    *held
	// sessions are the sessions that the file names.
	sessions map[string]int
	// silent counts the programs in a row that were started as a server and ended before they said anything, and why is
	// the last reason why none serves.
	silent int
	why    error
}

var (
	errEndsAtOnce = errors.New("the server ends as soon as it is started")
	errNoState    = errors.New("nothing is known of the terminals that are kept")
)

// Hold keeps terminals until their server ends as it should. It needs the descriptor that HolderVariable names, and
// start, the command line that starts a server, to which the socket is added. It never lets go of a terminal: where no
// server can be started, this process becomes it, with opts, and where that fails too, all is tried again.
func Hold(ctx context.Context, opts Options, start []string) error {
	fd := inherited(HolderVariable)
	if fd == 0 {
		return fmt.Errorf("%s is for terminal servers", HolderWord)
	}
	ignored := make(chan os.Signal, 1)
	signal.Notify(ignored, syscall.SIGHUP, syscall.SIGINT, syscall.SIGTERM)
	unix.CloseOnExec(fd)
	file := os.NewFile(uintptr(fd), "holder")
	conn, err := unixConn(file)
	_ = file.Close()
	if err != nil {
		return err
	}
	h := holder{opts: opts, start: start, masters: map[core.PaneID]int{}, held: hold(opts.Socket)}
	for crashes := 0; conn != nil; {
		h.keepSpare()
		began := time.Now()
		ended, spoke := h.serve(conn)
		_ = conn.Close()
		if ended || len(h.masters) == 0 {
			return nil
		}
		if spoke {
			h.silent = 0
		} else {
			h.silent++
			h.why = errEndsAtOnce
		}
		if time.Since(began) > servesWell {
			crashes = 0
		}
		if crashes > 0 {
			time.Sleep(backedOff(restsAtFirst, restsAtLast, crashes))
		}
		crashes++
		if !h.held.mine(heldWithin) {
			return nil // another holder has the same terminals, and starts the server
		}
		if conn, err = h.another(ctx); err != nil {
			return err
		}
	}
	return nil
}

// another starts another server, and returns the connection to it. It returns nil if this process has been the server,
// and that has ended.
func (h *holder) another(ctx context.Context) (*net.UnixConn, error) {
	for tries := 1; ; tries++ {
		for candidates := programs(h.start[0]); h.silent < len(candidates); h.silent++ {
			conn, err := h.startServer(candidates[h.silent])
			if err == nil || errors.Is(err, errNoState) {
				return conn, err
			}
			h.why = err
		}
		h.silent = 0
		served, err := h.serveHere(ctx)
		if served {
			return nil, err
		}
		h.why = errors.Join(h.why, err)
		h.held.write(func(says *wire.Held) {
			says.Panes, says.Tries, says.Why = len(h.masters), tries, h.why.Error()
		})
		time.Sleep(backedOff(restsAtFirst, restsAtLast, tries))
	}
}

// serveHere is the server itself. It reports whether it was, until its end.
func (h *holder) serveHere(ctx context.Context) (served bool, err error) {
	st, err := h.structure()
	if err != nil {
		return false, err
	}
	h.closeSpare()
	s := newServer(ctx, h.opts)
	s.note = fmt.Sprintf("it runs in its holder: no other process can be started (%v)", h.why)
	if s.upgrader.lock, err = lockSocket(ctx, h.opts.Socket); err != nil {
		return false, err
	}
	if s.upgrader.listener, err = listen(h.opts.Socket); err != nil {
		_ = s.upgrader.lock.Close()
		return false, err
	}
	st.Files, st.Archive = h.masters, h.archive
	st.prune()
	if err := s.upgrader.restore(st, nil); err != nil {
		return true, err
	}
	h.held.release()
	s.upgrader.resumePanes()
	time.AfterFunc(startsAtLast, s.keeper.start)
	return true, s.run(ctx)
}

// structure returns the server's latest description of its sessions, or errNoState.
func (h *holder) structure() (*state, error) {
	st := &state{}
	if err := json.Unmarshal(h.state, st); err != nil {
		return nil, errNoState
	}
	return st, nil
}

// keepSpare opens descriptors, and closeSpare closes them.
func (h *holder) keepSpare() {
	for len(h.spare) < spareFiles {
		fd, err := unix.Open(os.DevNull, unix.O_RDONLY|unix.O_CLOEXEC, 0)
		if err != nil {
			return
		}
		h.spare = append(h.spare, fd)
	}
}

func (h *holder) closeSpare() {
	for _, fd := range h.spare {
		_ = unix.Close(fd)
	}
	h.spare = nil
}

// serve takes what a server sends, and reports whether the server ended as it should, and whether it said anything.
func (h *holder) serve(conn *net.UnixConn) (ended, spoke bool) {
	buffer, rights := make([]byte, 64<<10), make([]byte, 4096)
	var pending []byte
	for {
		n, oob, _, _, err := conn.ReadMsgUnix(buffer, rights)
		if oob > 0 {
			h.files = append(h.files, filesOf(rights[:oob])...)
		}
		pending = append(pending, buffer[:n]...)
		for {
			kind, body, rest, whole := wire.CutFrame(pending)
			if !whole {
				break
			}
			spoke = true
			if pending = rest; h.handle(conn, kind, body) {
				return true, spoke
			}
		}
		if err != nil || n == 0 {
			return false, spoke
		}
	}
}

func filesOf(oob []byte) []int {
	var files []int
	messages, err := unix.ParseSocketControlMessage(oob)
	if err != nil {
		return nil
	}
	for i := range messages {
		fds, err := unix.ParseUnixRights(&messages[i])
		if err != nil {
			continue
		}
		for _, fd := range fds {
			unix.CloseOnExec(fd)
			files = append(files, fd)
		}
	}
	return files
}

// handle does what a frame says.
func (h *holder) handle(conn *net.UnixConn, kind wire.Kind, body []byte) (ended bool) {
	id := core.PaneID(body)
	switch kind {
	case keepFrame:
		if len(h.files) > 0 {
			h.drop(id)
			h.masters[id], h.files = h.files[0], h.files[1:]
		}
	case memoryFrame:
		if len(h.files) > 0 {
			if h.archive != 0 {
				_ = unix.Close(h.archive)
			}
			h.archive, h.files = h.files[0], h.files[1:]
			h.held.write(func(says *wire.Held) { says.Journals, says.Panes, says.Tries, says.Why = true, 0, 0, "" })
		}
	case forgetFrame:
		h.drop(id)
	case stateFrame:
		h.state = body
		h.writeSessions()
	case askFrame:
		if says, err := json.Marshal(abilities{Journals: true}); err == nil {
			_ = conn.SetWriteDeadline(time.Now().Add(holderWithin))
			_ = wire.WriteFrame(conn, askFrame, says) // a server that does not hear it has ended
		}
	case endFrame:
		h.held.write(func(says *wire.Held) { says.Sessions = nil })
		return true
	}
	return false
}

// writeSessions says in the file which sessions are kept, so that they can be named if all is killed.
func (h *holder) writeSessions() {
	st, err := h.structure()
	if err != nil {
		return
	}
	sessions := map[string]int{}
	for _, session := range st.Sessions {
		for _, window := range session.Windows {
			sessions[session.Name] += len(window.Panes)
		}
	}
	if !maps.Equal(sessions, h.sessions) {
		h.sessions = sessions
		h.held.write(func(says *wire.Held) { says.Sessions = sessions })
	}
}

func (h *holder) drop(id core.PaneID) {
	if fd, is := h.masters[id]; is {
		_ = unix.Close(fd)
		delete(h.masters, id)
	}
}

// startServer runs a program as another server, which takes the terminals that are kept.
func (h *holder) startServer(program string) (*net.UnixConn, error) {
	st, err := h.structure()
	if err != nil {
		return nil, err
	}
	h.closeSpare()
	conn, far, err := socketPair()
	if err != nil {
		return nil, err
	}
	defer far.Close()
	file, err := memoryFile()
	if err == nil {
		defer file.Close()
		err = h.run(program, st, far.Fd(), file)
	}
	if err != nil {
		_ = conn.Close()
		return nil, fmt.Errorf("start %s: %w", program, err)
	}
	return conn, nil
}

// run runs a program as a server that inherits a connection to this holder and, in a file, a state.
func (h *holder) run(program string, st *state, conn uintptr, file *os.File) error {
	files := []uintptr{0, 1, 2, conn, file.Fd()}
	for _, master := range h.masters {
		files = append(files, uintptr(master)) //nolint:gosec // a descriptor
	}
	if h.archive != 0 {
		files = append(files, uintptr(h.archive)) //nolint:gosec // a descriptor
	}
	// In this order none takes the place of another that is still needed, so that none is duplicated: there may be no
	// descriptors left.
	slices.Sort(files)
	inherited := func(fd uintptr) int { return slices.Index(files, fd) }
	st.Holder, st.Files = inherited(conn), map[core.PaneID]int{}
	for id, master := range h.masters {
		st.Files[id] = inherited(uintptr(master)) //nolint:gosec // a descriptor
	}
	if h.archive != 0 {
		st.Archive = inherited(uintptr(h.archive)) //nolint:gosec // a descriptor
	}
	st.prune()
	if err := writeState(file, st, nil); err != nil {
		return err
	}
	resume := ResumeVariable + "=" + strconv.Itoa(inherited(file.Fd()))
	argv := append(append([]string{program}, h.start[1:]...), h.opts.Socket)
	pid, err := syscall.ForkExec(program, argv, &syscall.ProcAttr{
		Dir: "/", Env: append(os.Environ(), resume), Files: files, Sys: &syscall.SysProcAttr{Setsid: true},
	})
	if err == nil {
		go reapOne(pid)
	}
	return err
}

// reapOne waits for a process that was started.
func reapOne(pid int) {
	for {
		if _, err := syscall.Wait4(pid, nil, 0, nil); err != syscall.EINTR {
			return
		}
	}
}

// prune leaves out panes that are known to live and have no terminal any more.
func (st *state) prune() {
	var sessions []sessionState
	for _, session := range st.Sessions {
		var windows []windowState
		for _, window := range session.Windows {
			var panes []paneState
			for _, pane := range window.Panes {
				if pane.Dead || st.Files[pane.ID] != 0 {
					panes = append(panes, pane)
				}
			}
			if window.Panes = panes; len(panes) > 0 {
				windows = append(windows, window)
			}
		}
		if session.Windows = windows; len(windows) > 0 {
			sessions = append(sessions, session)
		}
	}
	st.Sessions = sessions
}
