package demo

import (
	"context"
	"errors"
	"io/fs"
	"net"
	"os"
	"slices"
	"syscall"
	"time"

	"cupola/core"
	"cupola/core/system/private/socket"
	"cupola/core/system/process"
)

const (
	// endFor bounds how long ending a demo may take.
	endFor = 15 * time.Second
	// hangUpWait is how long the processes of panes may take to end by themselves, and
	// killWait how long after they were signalled.
	hangUpWait = time.Second
	killWait   = 2 * time.Second
)

// end ends every process of the demo and removes its directory. It continues
// after the caller was cancelled. The directory stays if a process is left, so
// that the next tidy finds it.
func (d *demoDir) end(ctx context.Context, opts *Options) error {
	defer d.release()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), endFor)
	defer cancel()
	err := d.endProcesses(ctx)
	if err == nil {
		err = os.RemoveAll(d.folder)
	}
	if err != nil {
		opts.Log.Warn("end a demo", "folder", d.folder, "error", err)
		return core.Errorf(core.IOError, "end the demo in %s: %w", d.folder, err)
	}
	return nil
}

// endProcesses ends the server, on which its panes hang up, and then what
// outlives it.
func (d *demoDir) endProcesses(ctx context.Context) error {
	server, err := listener(ctx, d.socket())
	if errors.Is(err, process.ErrGone) {
		return nil
	}
	if err != nil {
		return err
	}
	table, err := process.All()
	if err != nil {
		return err
	}
	procs := descendants(table, server)
	if _, err := process.End(ctx, []process.Proc{server}, killWait); err != nil {
		return err
	}
	_, err = process.End(ctx, process.Wait(ctx, procs, hangUpWait), killWait)
	return err
}

// descendants are a server with all that descends from it or belongs to the process
// sessions of its panes, this process left out.
func descendants(table process.Table, server process.Proc) []process.Proc {
	var procs []process.Proc
	add := func(more ...process.Proc) {
		for _, p := range more {
			if p.PID != os.Getpid() && !slices.Contains(procs, p) {
				procs = append(procs, p)
			}
		}
	}
	for _, p := range table.Tree(server.PID) {
		add(p)
		if p.Parent == server.PID {
			add(table.Session(p.PID)...)
		}
	}
	return procs
}

// listener returns the process that listens on a socket, as the system reports it. It
// returns process.ErrGone if none does.
func listener(ctx context.Context, path string) (process.Proc, error) {
	conn, err := socket.Dial(ctx, path, 0)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ECONNREFUSED) {
		return process.Proc{}, process.ErrGone
	}
	if err != nil {
		return process.Proc{}, err
	}
	defer conn.Close() //nolint:errcheck // nothing was written
	return peerProcess(conn)
}

// peerProcess returns the process at the other end of a connection.
func peerProcess(conn net.Conn) (process.Proc, error) {
	socket, ok := conn.(syscall.Conn)
	if !ok {
		return process.Proc{}, errHidden
	}
	raw, err := socket.SyscallConn()
	if err != nil {
		return process.Proc{}, err
	}
	pid := 0
	var peerErr error
	if err := raw.Control(func(fd uintptr) { pid, _, peerErr = process.Peer(int(fd)) }); err != nil {
		return process.Proc{}, err
	}
	if peerErr != nil {
		return process.Proc{}, os.NewSyscallError("getsockopt", peerErr)
	}
	if pid <= 0 {
		return process.Proc{}, errHidden
	}
	return process.Find(pid)
}

// errHidden is the error for a server in a part of the system that cannot be seen from here.
var errHidden = errors.New("the process that listens on the socket cannot be seen")

// tidy ends what killed demos left. It never fails: what cannot be
// ended now is found by the next one.
func (o *Options) tidy(ctx context.Context) {
	_, err := o.sweep(ctx, func(d *demoDir) bool { return !d.kept() || !d.serverUp(ctx) })
	if err != nil {
		o.Log.Warn("tidy up after earlier demos", "error", err)
	}
}

// sweep ends the matching demos that no process runs, and returns the
// sockets of those whose server ran. It continues after a failure.
func (o *Options) sweep(ctx context.Context, match func(*demoDir) bool) ([]string, error) {
	found, err := listDirs(o.Temp)
	if err != nil {
		return nil, err
	}
	ended := []string{}
	for _, d := range found {
		if !match(d) {
			continue
		}
		taken, takeErr := d.tryLock(0)
		if errors.Is(takeErr, fs.ErrNotExist) {
			// Its demo was killed before it made a lock, or a client of it recorded
			// its end; otherwise the directory is not empty.
			for _, name := range []string{dataName, stateName, runtimeName} {
				_ = os.RemoveAll(d.path(name))
			}
			_ = os.Remove(d.folder)
			continue
		}
		if takeErr != nil || !taken {
			continue
		}
		// It may have been kept since.
		if !match(d) {
			d.release()
			continue
		}
		was := d.serverUp(ctx)
		endErr := d.end(ctx, o)
		if err == nil {
			err = endErr
		}
		if endErr == nil && was {
			ended = append(ended, d.socket())
		}
	}
	return ended, err
}
