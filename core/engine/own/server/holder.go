package server

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"cupola/core"
	"cupola/core/engine/own/wire"
)

// The holder is a process that keeps the terminals of all panes through a crash of the server. It does nothing until
// then, and then starts another server, which takes them.

// The words with which a program is a server or a holder. Both are followed by the path of the socket.
const (
	ServerWord = "terminal-server"
	HolderWord = "terminal-holder"
)

// HolderVariable is the descriptor over which a holder and a server talk.
const HolderVariable = "CUPOLA_TERMINALS_HOLDER"

// The frames that a server sends to its holder.
const (
	keepFrame   wire.Kind = 'k' // the id of a pane, with its master beside
	forgetFrame wire.Kind = 'f' // the id of a pane
	stateFrame  wire.Kind = 's' // the state, as JSON
	endFrame    wire.Kind = 'e' // the server ends, and nothing is to be kept
)

const (
	// tellsWithin is how long changes of the structure are collected for the holder.
	tellsWithin = 200 * time.Millisecond
	// holderWithin is how long a holder may take to read. One that takes longer is replaced.
	holderWithin = 2 * time.Second
	// restsBetween is how long a holder waits between the starts of servers that crash.
	restsBetween = time.Second
)

// keeper is the server's side of the holder.
type keeper struct {
	server *server
	// Command is the command line that starts a holder; empty for none.
	command []string

	mu   sync.Mutex
	conn *net.UnixConn
	// pid is the process of the holder, if this one started it.
	pid   int
	timer *time.Timer
	ended bool
}

// holder is the connection to the holder, nil without one, and its process.
func (k *keeper) holder() (conn *net.UnixConn, pid int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.conn, k.pid
}

// start starts a holder, and gives it all panes that there are.
func (k *keeper) start() {
	if len(k.command) == 0 {
		return
	}
	conn, far, err := socketPair()
	if err != nil {
		k.server.Log.Error("start the holder", "error", err)
		return
	}
	pid, err := detach(append(slices.Clone(k.command), k.server.Socket), HolderVariable+"=3", far)
	_ = far.Close()
	if err != nil {
		_ = conn.Close()
		k.server.Log.Error("start the holder", "error", err)
		return
	}
	k.mu.Lock()
	k.pid = pid
	k.mu.Unlock()
	k.use(conn)
	k.server.mu.Lock()
	defer k.server.mu.Unlock()
	for _, p := range k.server.panes {
		k.keep(p)
	}
	k.tell()
}

// detach starts a program that outlives this one, in a session of its own, with a variable more and with files from
// descriptor 3 on.
func detach(argv []string, variable string, files ...*os.File) (pid int, err error) {
	cmd := exec.Command(argv[0], argv[1:]...) //nolint:noctx // it outlives every call
	cmd.Env, cmd.Dir, cmd.ExtraFiles = append(os.Environ(), variable), "/", files
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	go func() { _ = cmd.Wait() }()
	return cmd.Process.Pid, nil
}

// use talks to the holder over a connection. Where that holder ends, another is started.
func (k *keeper) use(conn *net.UnixConn) {
	k.mu.Lock()
	k.conn = conn
	k.mu.Unlock()
	go func() {
		var nothing [1]byte
		_, err := conn.Read(nothing[:])
		k.mu.Lock()
		again := k.conn == conn && !k.ended && err != nil
		if k.conn == conn {
			k.conn = nil
		}
		k.mu.Unlock()
		_ = conn.Close()
		if again {
			k.server.Log.Warn("the holder of terminals has ended; another is started")
			time.Sleep(restsBetween / 10)
			k.start()
		}
	}()
}

// keep gives the holder the master of a pane.
func (k *keeper) keep(p *pane) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.master == nil {
		return
	}
	_ = withDescriptor(p.master, func(fd int) error {
		k.send(keepFrame, []byte(p.id), unix.UnixRights(fd))
		return nil
	})
}

// forget has the holder close the master of a pane.
func (k *keeper) forget(id core.PaneID) { k.send(forgetFrame, []byte(id), nil) }

// changed tells the holder of the structure, in a moment.
func (k *keeper) changed() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.conn == nil || k.timer != nil {
		return
	}
	k.timer = time.AfterFunc(tellsWithin, func() {
		k.mu.Lock()
		k.timer = nil
		k.mu.Unlock()
		k.server.mu.Lock()
		defer k.server.mu.Unlock()
		k.tell()
	})
}

// tell tells the holder of the structure; server.mu is held.
func (k *keeper) tell() {
	if conn, _ := k.holder(); conn == nil {
		return
	}
	if body, err := json.Marshal((upgrader{k.server}).structure()); err == nil {
		k.send(stateFrame, body, nil)
	}
}

// end lets the holder end.
func (k *keeper) end() {
	k.mu.Lock()
	k.ended = true
	k.mu.Unlock()
	k.send(endFrame, nil, nil)
}

func (k *keeper) send(kind wire.Kind, body, rights []byte) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.conn == nil {
		return
	}
	var frame bytes.Buffer
	_ = wire.WriteFrame(&frame, kind, body) // a buffer takes all
	_ = k.conn.SetWriteDeadline(time.Now().Add(holderWithin))
	n, _, err := k.conn.WriteMsgUnix(frame.Bytes(), rights, nil)
	if err == nil && n < frame.Len() {
		_, err = k.conn.Write(frame.Bytes()[n:])
	}
	if err != nil {
		k.server.Log.Error("tell the holder", "error", err)
		_ = k.conn.Close() // another is started
	}
}

// socketPair is a pair of connected sockets: one for this process, one for another.
func socketPair() (*net.UnixConn, *os.File, error) {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err != nil {
		return nil, nil, err
	}
	unix.CloseOnExec(pair[0])
	unix.CloseOnExec(pair[1])
	near := os.NewFile(uintptr(pair[0]), "holder")
	defer near.Close()
	conn, err := unixConn(near)
	far := os.NewFile(uintptr(pair[1]), "holder")
	if err != nil {
		_ = far.Close()
		return nil, nil, err
	}
	return conn, far, nil
}

func unixConn(file *os.File) (*net.UnixConn, error) {
	conn, err := net.FileConn(file)
	if err != nil {
		return nil, err
	}
	own, is := conn.(*net.UnixConn)
	if !is {
		_ = conn.Close()
		return nil, fmt.Errorf("%s is no local socket", file.Name())
	}
	return own, nil
}

// Holder is the process that keeps terminals through a crash of their server.
type Holder struct {
	// Socket is the path of the server's socket, and Start the command line that starts a server; the socket is added.
	Socket string
	Start  []string

	state   []byte
	masters map[core.PaneID]*os.File
	files   []*os.File
}

// Hold keeps terminals until their server ends as it should. It needs the descriptor that HolderVariable names.
func Hold(ctx context.Context, h Holder) error {
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
	h.masters = map[core.PaneID]*os.File{}
	for {
		began := time.Now()
		if ended := h.serve(conn); ended || len(h.masters) == 0 {
			return nil
		}
		_ = conn.Close()
		if time.Since(began) < restsBetween {
			time.Sleep(restsBetween)
		}
		if conn, err = h.startServer(); err != nil {
			return err
		}
	}
}

// serve takes what a server sends, and reports whether the server ended as it should.
func (h *Holder) serve(conn *net.UnixConn) (ended bool) {
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
			if pending = rest; h.take(kind, body) {
				return true
			}
		}
		if err != nil || n == 0 {
			return false
		}
	}
}

func filesOf(oob []byte) []*os.File {
	var files []*os.File
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
			files = append(files, os.NewFile(uintptr(fd), "ptmx"))
		}
	}
	return files
}

// take does what a frame says.
func (h *Holder) take(kind wire.Kind, body []byte) (ended bool) {
	id := core.PaneID(body)
	switch kind {
	case keepFrame:
		if len(h.files) > 0 {
			h.drop(id)
			h.masters[id], h.files = h.files[0], h.files[1:]
		}
	case forgetFrame:
		h.drop(id)
	case stateFrame:
		h.state = body
	case endFrame:
		return true
	}
	return false
}

func (h *Holder) drop(id core.PaneID) {
	if file := h.masters[id]; file != nil {
		_ = file.Close()
		delete(h.masters, id)
	}
}

// startServer starts another server, which takes the terminals that are kept.
func (h *Holder) startServer() (*net.UnixConn, error) {
	var st state
	if err := json.Unmarshal(h.state, &st); err != nil {
		return nil, errState
	}
	conn, far, err := socketPair()
	if err != nil {
		return nil, err
	}
	defer far.Close()
	const first = 3 // the first descriptor that a program inherits beside the usual ones
	files := []*os.File{far}
	st.Holder, st.Files = first, map[core.PaneID]int{}
	for id, master := range h.masters {
		st.Files[id] = first + len(files)
		files = append(files, master)
	}
	st.prune()
	file, err := writeState(&st, nil)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	resume := ResumeVariable + "=" + strconv.Itoa(first+len(files))
	if _, err := detach(append(slices.Clone(h.Start), h.Socket), resume, append(files, file)...); err != nil {
		_ = conn.Close()
		return nil, err
	}
	return conn, nil
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
