// Package socket connects to sockets that this user's own processes listen on.
package socket

import (
	"context"
	"errors"
	"io/fs"
	"net"
	"path/filepath"
	"syscall"
	"time"

	"cupola/core/system/private"
)

// Dial connects to a socket in a folder of this user's, whose listener is a process of this user's. Another one is
// private.ErrForeign: nothing was written to it, and nothing read. The limit bounds the connecting; 0 is none.
func Dial(ctx context.Context, path string, limit time.Duration) (*net.UnixConn, error) {
	if err := private.CheckFolder(filepath.Dir(path)); err != nil {
		return nil, err
	}
	return Connect(ctx, path, limit)
}

// Connect is Dial in whatever folder the socket is.
func Connect(ctx context.Context, path string, limit time.Duration) (*net.UnixConn, error) {
	conn, err := (&net.Dialer{Timeout: limit}).DialContext(ctx, "unix", path)
	if err != nil {
		return nil, err
	}
	own, is := conn.(*net.UnixConn)
	if !is {
		_ = conn.Close()
		return nil, net.UnknownNetworkError("unix")
	}
	if err := check(own); err != nil {
		_ = own.Close()
		return nil, err
	}
	return own, nil
}

// check asks who is at the other end.
func check(conn *net.UnixConn) error {
	raw, err := conn.SyscallConn()
	if err != nil {
		return err
	}
	var foreign error
	if err := raw.Control(func(fd uintptr) { foreign = private.CheckPeer(fd) }); err != nil {
		return err
	}
	return foreign
}

// Listens reports whether a process of this user's listens on a socket, in whatever folder that is. One that a process
// left behind says nothing.
func Listens(path string) bool {
	conn, err := net.Dial("unix", path)
	if err != nil {
		return false
	}
	defer conn.Close()
	own, is := conn.(*net.UnixConn)
	return is && check(own) == nil
}

// Deserted reports whether no process listens on a socket, or there is none. A listener that takes no more connections
// listens.
func Deserted(path string) bool {
	conn, err := net.Dial("unix", path)
	if err == nil {
		_ = conn.Close()
		return false
	}
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) || errors.Is(err, syscall.ECONNREFUSED) ||
		errors.Is(err, syscall.ENOTSOCK)
}
