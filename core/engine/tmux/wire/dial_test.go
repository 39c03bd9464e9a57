package wire

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"cupola/core/engine"
)

func TestFailuresToConnect(t *testing.T) {
	for errno, want := range map[syscall.Errno]error{
		syscall.ENOENT:       engine.ErrNoServer,
		syscall.ECONNREFUSED: engine.ErrNoServer,
		syscall.EACCES:       engine.ErrDenied,
		syscall.EPERM:        engine.ErrDenied,
		syscall.EMFILE:       syscall.EMFILE,
	} {
		err := dialError(&net.OpError{Op: "dial", Err: os.NewSyscallError("connect", errno)})
		if !errors.Is(err, want) || !errors.Is(err, errno) {
			t.Errorf("%v: %v, want %v", errno, err, want)
		}
	}
}

// hasty is a context whose deadline is over a moment before it ends.
type hasty struct{ context.Context }

func (hasty) Deadline() (time.Time, bool) { return time.Now().Add(-time.Hour), true }

func TestACallThatIsLateEndsAfterItsContext(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
	defer cancel()
	_, err := open(listen(t, drink)).Run(hasty{ctx}, []string{"has-session"})
	if !errors.Is(err, context.DeadlineExceeded) || ctx.Err() == nil {
		t.Errorf("%v, and the context ended with %v", err, ctx.Err())
	}
}

// The file system may give a new socket the number of the one before.
func TestSocketMadeLaterIsAnotherServer(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	stat := func() server {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		return server{info}
	}
	first := stat()
	if !first.is(stat()) || first.is(server{}) || (server{}).is(server{}) {
		t.Error("the same socket is another server, or none is one")
	}
	if err := os.Chtimes(path, time.Time{}, time.Now().Add(time.Second)); err != nil {
		t.Fatal(err)
	}
	if first.is(stat()) {
		t.Error("a socket made later is the same server")
	}
}

// A server that ends without reading the request did not crash because of it.
func TestServerThatLeavesWithoutReadingIsNoSurprise(t *testing.T) {
	var path atomic.Value
	asked := make(chan struct{}, 10)
	handler := release("3.3a", asked)
	path.Store(listen(t, func(conn net.Conn) {
		switch {
		case len(asked) == 0:
			handler(conn)
		case arrived(t, conn):
			os.Remove(path.Load().(string))
		}
	}))
	_, err := open(path.Load().(string)).Run(within(t), []string{"list-panes"})
	if !errors.Is(err, engine.ErrNoServer) || errors.Is(err, ErrProtocol) {
		t.Errorf("%v, want engine.ErrNoServer alone", err)
	}
}

// arrived waits until conn holds something, which it leaves there, or its end.
func arrived(t *testing.T, conn net.Conn) bool {
	raw, err := conn.(*net.UnixConn).SyscallConn()
	if err != nil {
		t.Error(err)
		return false
	}
	n := 0
	err = raw.Read(func(fd uintptr) bool {
		n, _, err = syscall.Recvfrom(int(fd), make([]byte, 1), syscall.MSG_PEEK)
		return !errors.Is(err, syscall.EAGAIN)
	})
	return err == nil && n > 0
}
