package demo

import "golang.org/x/sys/unix"

// peer is the pid of the process at the other end of a connection.
func peer(fd int) (int, error) {
	return unix.GetsockoptInt(fd, unix.SOL_LOCAL, unix.LOCAL_PEERPID)
}
