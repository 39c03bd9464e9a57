package server

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"cupola/core"
	"cupola/core/engine/own/wire"
)

// The holder is a process that keeps the terminals of all panes, and the memory of their journals, through a crash of
// the server. It does nothing until then, and then starts another server, which takes them.

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
	askFrame    wire.Kind = 'v' // asks the holder what it can keep, which it says in a frame of this kind
	memoryFrame wire.Kind = 'm' // the memory of journals beside
)

// abilities is a holder's greeting. An empty one comes from an older build, which keeps no journals.
type abilities struct {
	Journals bool `json:"journals"`
}

const (
	// sendEvery is how long changes of the structure are collected before they are sent to the holder.
	sendEvery = 200 * time.Millisecond
	// holderWithin is how long a holder may take to read. One that takes longer is replaced.
	holderWithin = 2 * time.Second
	// startsAgain is how long a server waits at first until it starts a holder again that could not be started or has
	// ended, and startsAtLast after many tries.
	startsAgain  = 100 * time.Millisecond
	startsAtLast = 30 * time.Second
)

// keeper is the server's side of the holder.
type keeper struct {
	server *server
	// Command is the command line that starts a holder; empty for none.
	command []string

	mu   sync.Mutex
	conn *net.UnixConn
	// pid is the process of the holder, if this one started it.
	pid int
	// timer is set while changes are collected, due true if there are any.
	timer *time.Timer
	due   bool
	ended bool
	// fails counts holders that could not be started, or ended before they said what they keep.
	fails int
}

// holder is the connection to the holder, nil without one, and its process.
func (k *keeper) holder() (conn *net.UnixConn, pid int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.conn, k.pid
}

// start starts a holder, and gives it all panes that there are. One that cannot be started is tried again.
func (k *keeper) start() {
	if len(k.command) == 0 {
		return
	}
	conn, pid, err := k.startOne()
	k.mu.Lock()
	ended := k.ended
	if err != nil && !ended {
		k.fails++
		time.AfterFunc(backedOff(startsAgain, startsAtLast, k.fails), k.start)
	}
	k.mu.Unlock()
	switch {
	case err != nil:
		k.server.opts.Log.Error("start the holder", "error", err)
		return
	case ended:
		_ = conn.Close()
		return
	}
	former := k.use(conn, pid)
	k.server.tree.mu.Lock()
	for _, p := range k.server.tree.panes {
		k.keep(p)
	}
	k.sendStructure()
	k.server.tree.mu.Unlock()
	if former != nil { // only now: at any time one of the two has all terminals
		_ = wire.WriteFrame(former, endFrame, nil)
		_ = former.Close()
	}
}

// startOne starts the process of a holder.
func (k *keeper) startOne() (conn *net.UnixConn, pid int, err error) {
	conn, far, err := socketPair()
	if err != nil {
		return nil, 0, err
	}
	defer far.Close()
	// Where the program is not where it was, this one is run once more.
	for _, program := range programs(k.command[0]) {
		command := append([]string{program}, k.command[1:]...)
		if pid, err = detach(append(command, k.server.opts.Socket), HolderVariable+"=3", far); err == nil {
			return conn, pid, nil
		}
	}
	_ = conn.Close()
	return nil, 0, err
}

// backedOff is how long to wait after some failures: twice as long after each, up to a limit.
func backedOff(first, last time.Duration, failures int) time.Duration {
	const doublings = 16
	return min(last, first<<min(doublings, max(0, failures-1)))
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

// use talks to the holder over a connection, and returns the one to the former holder. Where a holder ends, another is
// started. pid is its process if this one started it.
func (k *keeper) use(conn *net.UnixConn, pid int) (former *net.UnixConn) {
	k.mu.Lock()
	former = k.conn
	k.conn, k.pid = conn, pid
	k.mu.Unlock()
	k.send(askFrame, nil, nil)
	go func() {
		in := bufio.NewReader(conn)
		for {
			kind, body, err := wire.ReadFrame(in)
			if err != nil {
				break
			}
			var can abilities
			if kind == askFrame && json.Unmarshal(body, &can) == nil && can.Journals {
				k.keepArchive()
			}
		}
		k.mu.Lock()
		again := k.conn == conn && !k.ended
		if k.conn == conn {
			k.conn = nil
			k.fails++
		}
		wait := backedOff(startsAgain, startsAtLast, k.fails)
		k.mu.Unlock()
		_ = conn.Close()
		if again {
			k.server.opts.Log.Warn("the holder of terminals has ended; another is started")
			time.Sleep(wait)
			k.start()
		}
	}()
	return former
}

// keepArchive gives the holder the memory of journals.
func (k *keeper) keepArchive() {
	k.mu.Lock()
	k.fails = 0
	k.mu.Unlock()
	if k.server.archive == nil {
		return
	}
	_ = withDescriptor(k.server.archive.file, func(fd int) error {
		k.send(memoryFrame, nil, unix.UnixRights(fd))
		return nil
	})
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

// changed sends the structure to the holder: at once, or a moment later if it was sent just before.
func (k *keeper) changed() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.conn == nil {
		return
	}
	k.due = true
	if k.timer != nil {
		return
	}
	k.timer = time.AfterFunc(0, k.sendDue)
}

// sendDue sends the structure to the holder if it has changed, and checks once more after a while.
func (k *keeper) sendDue() {
	k.mu.Lock()
	due := k.due
	k.due = false
	if due {
		k.timer = time.AfterFunc(sendEvery, k.sendDue)
	} else {
		k.timer = nil
	}
	k.mu.Unlock()
	if due {
		k.server.tree.mu.Lock()
		defer k.server.tree.mu.Unlock()
		k.sendStructure()
	}
}

// sendStructure sends the structure to the holder; tree.mu is held.
func (k *keeper) sendStructure() {
	if conn, _ := k.holder(); conn == nil {
		return
	}
	if body, err := json.Marshal(k.server.tree.structure(k.server.started)); err == nil {
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
		k.server.opts.Log.Error("notify the holder", "error", err)
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
