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
	"cupola/core/process"
)

const (
	// endFor bounds how long ending a demo may take.
	endFor = 15 * time.Second
	// hangUp is how long what ran in panes may take to end by itself, and mercy
	// how long what was asked to end may.
	hangUp = time.Second
	mercy  = 2 * time.Second
)

// end ends everything that runs on the stage and removes its folder. It goes on
// where the caller was cancelled. The folder stays where a process is left, so
// that the next who tidies up finds it.
func (s *stage) end(ctx context.Context, opts *Options) error {
	defer s.release()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), endFor)
	defer cancel()
	err := s.endProcesses(ctx)
	if err == nil {
		err = os.RemoveAll(s.folder)
	}
	if err != nil {
		opts.Log.Warn("end a demo", "folder", s.folder, "error", err)
		return core.Errorf(core.IOError, "end the demo in %s: %w", s.folder, err)
	}
	return nil
}

// endProcesses ends the server, on which its panes hang up, and then what
// outlives it.
func (s *stage) endProcesses(ctx context.Context) error {
	server, err := listener(ctx, s.socket())
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
	procs := company(table, server)
	if _, err := process.End(ctx, []process.Proc{server}, mercy); err != nil {
		return err
	}
	_, err = process.End(ctx, process.Wait(ctx, procs, hangUp), mercy)
	return err
}

// company is a server with all that descends from it or belongs to the process
// sessions of its panes, this process left out.
func company(table process.Table, server process.Proc) []process.Proc {
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

// listener is the process that listens on a socket, of which the system itself
// is the witness. It is process.ErrGone if none does.
func listener(ctx context.Context, socket string) (process.Proc, error) {
	conn, err := (&net.Dialer{}).DialContext(ctx, "unix", socket)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ECONNREFUSED) {
		return process.Proc{}, process.ErrGone
	}
	if err != nil {
		return process.Proc{}, err
	}
	defer conn.Close()
	return witnessed(conn)
}

// witnessed is the process at the other end of a connection.
func witnessed(conn net.Conn) (process.Proc, error) {
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
	if err := raw.Control(func(fd uintptr) { pid, peerErr = peer(int(fd)) }); err != nil {
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

// errHidden is that of a server in a part of the system that cannot be seen
// from here.
var errHidden = errors.New("the process that listens on the socket cannot be seen")

// tidy ends what killed demos left. It is no reason to fail: what cannot be
// ended now is met again.
func (o *Options) tidy(ctx context.Context) {
	_, err := o.sweep(ctx, func(s *stage) bool { return !s.kept() || !s.up(ctx) })
	if err != nil {
		o.Log.Warn("tidy up after earlier demos", "error", err)
	}
}

// sweep ends those demos that nobody runs and that are doomed, and returns the
// sockets of those whose server ran. It goes on behind one that resists.
func (o *Options) sweep(ctx context.Context, doomed func(*stage) bool) ([]string, error) {
	found, err := stages(o.Temp)
	if err != nil {
		return nil, err
	}
	ended := []string{}
	for _, s := range found {
		if !doomed(s) {
			continue
		}
		taken, takeErr := s.take(0)
		if errors.Is(takeErr, fs.ErrNotExist) {
			// Its demo was killed before it made a lock, or somebody who watched it wrote
			// down its end; only then is there nothing else.
			for _, name := range []string{dataName, stateName, runtimeName} {
				_ = os.RemoveAll(s.path(name))
			}
			_ = os.Remove(s.folder)
			continue
		}
		if takeErr != nil || !taken {
			continue
		}
		// It may have been kept since.
		if !doomed(s) {
			s.release()
			continue
		}
		was := s.up(ctx)
		endErr := s.end(ctx, o)
		if err == nil {
			err = endErr
		}
		if endErr == nil && was {
			ended = append(ended, s.socket())
		}
	}
	return ended, err
}
