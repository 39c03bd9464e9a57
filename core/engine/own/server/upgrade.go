package server

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"cupola/core"
	"cupola/core/engine/own/wire"
)

const (
	// asksWithin is how long a program may take to say which states it reads.
	asksWithin = 10 * time.Second
	// StatesWord has a program say which states of a server it reads.
	StatesWord = "--states"
)

// upgrader takes over from another program, and lets another one take the place of this one.
type upgrader struct {
	server *server
	// listener is the listener of the socket; tree.mu guards it. lock is the open file that is locked while the server
	// runs.
	listener *net.UnixListener
	lock     *os.File
	// upgrading is true while another program is about to take this one's place; tree.mu guards it.
	upgrading bool
}

// upgrade replaces the program of this server by the one at a path. The process stays, and with it the programs of
// panes, their terminals and their screens. It returns only if that fails, and then everything continues as before.
// asks is the client that asked for it.
func (u *upgrader) upgrade(path string, asks *connection) error {
	if !filepath.IsAbs(path) || !executable(path) {
		return fmt.Errorf("%s is no program", path)
	}
	if err := readsState(u.server.ctx, path); err != nil {
		return err
	}
	u.server.tree.mu.Lock()
	if u.server.tree.ending || u.upgrading {
		u.server.tree.mu.Unlock()
		return wire.ErrEnding
	}
	u.upgrading = true
	u.server.tree.mu.Unlock()
	u.server.asked.Wait()
	u.dismiss(asks)
	u.pause()
	err := u.exec(path)
	u.server.tree.mu.Lock()
	u.upgrading = false
	for _, p := range u.server.tree.panes {
		p.mu.Lock()
		p.resume()
		p.mu.Unlock()
	}
	u.server.tree.mu.Unlock()
	return err
}

// dismiss closes the connections of all clients but one, so that none sends a request over one that ends with the old
// program. They connect again, and are answered by the new one.
func (u *upgrader) dismiss(but *connection) {
	u.server.tree.mu.Lock()
	defer u.server.tree.mu.Unlock()
	for c := range u.server.clients {
		if c != but {
			_ = c.conn.Close()
		}
	}
}

// readsState asks a program whether it reads the state that this server leaves.
func readsState(ctx context.Context, path string) error {
	ctx, cancel := context.WithTimeout(ctx, asksWithin)
	defer cancel()
	out, err := exec.CommandContext(ctx, path, ServerWord, StatesWord).Output()
	if err != nil {
		return fmt.Errorf("%s does not say which states it reads: %w", path, err)
	}
	for _, version := range strings.Fields(string(out)) {
		if version == strconv.Itoa(StateVersion) {
			return nil
		}
	}
	versions := strings.TrimSpace(string(out))
	return fmt.Errorf("%s reads the states of versions %s, not of %d", path, versions, StateVersion)
}

// pause stops reading and typing everywhere. What was read has been shown by then.
func (u *upgrader) pause() {
	u.server.tree.mu.Lock()
	var all []*pane
	for _, p := range u.server.tree.panes {
		all = append(all, p)
		p.mu.Lock()
		p.paused = true
		if p.master != nil {
			_ = p.master.SetDeadline(time.Unix(1, 0))
		}
		p.mu.Unlock()
	}
	u.server.tree.mu.Unlock()
	for _, p := range all {
		p.readers.Wait()
	}
}

// exec saves the state and runs the new program in this process.
func (u *upgrader) exec(path string) error {
	u.server.tree.mu.Lock()
	defer u.server.tree.mu.Unlock()
	st := u.server.tree.structure(u.server.started)
	st.Files = map[core.PaneID]int{}
	var inherits []int
	defer func() {
		for _, fd := range inherits {
			_ = unix.Close(fd)
		}
	}()
	inherit := func(file withConn) (int, error) {
		fd, err := heritable(file)
		if err == nil {
			inherits = append(inherits, fd)
		}
		return fd, err
	}
	var screens [][]byte
	for _, p := range u.server.tree.panes {
		p.mu.Lock()
		saved := p.term.Save()
		master := p.master
		p.mu.Unlock()
		screens = append(screens, saved)
		st.Screens = append(st.Screens, screenState{p.id, len(saved)})
		if master == nil {
			continue
		}
		fd, err := inherit(master)
		if err != nil {
			return err
		}
		st.Files[p.id] = fd
	}
	var err error
	if st.Listener, err = inherit(u.listener); err != nil {
		return err
	}
	if st.Lock, err = inherit(u.lock); err != nil {
		return err
	}
	if conn, pid := u.server.keeper.holder(); conn != nil {
		st.HolderPID = pid
		if st.Holder, err = inherit(conn); err != nil {
			return err
		}
	}
	if u.server.archive != nil {
		if st.Archive, err = inherit(u.server.archive.file); err != nil {
			return err
		}
	}
	file, err := memoryFile()
	if err != nil {
		return err
	}
	defer file.Close()
	if err := writeState(file, st, screens); err != nil {
		return err
	}
	fd, err := inherit(file)
	if err != nil {
		return err
	}
	env := append(os.Environ(), ResumeVariable+"="+strconv.Itoa(fd))
	argv := []string{path, ServerWord, u.server.opts.Socket}
	err = syscall.Exec(path, argv, env) //nolint:gosec // the user's own program
	return fmt.Errorf("run %s: %w", path, err)
}

// withConn is a file or a connection with a descriptor.
type withConn interface {
	SyscallConn() (syscall.RawConn, error)
}

// heritable duplicates a descriptor as one that a program inherits which this process runs or becomes.
func heritable(file withConn) (int, error) {
	raw, err := file.SyscallConn()
	if err != nil {
		return 0, err
	}
	duplicate, failed := 0, error(nil)
	err = raw.Control(func(fd uintptr) { duplicate, failed = unix.FcntlInt(fd, unix.F_DUPFD, 3) })
	return duplicate, errors.Join(err, failed)
}
