package demo

import "golang.org/x/sys/unix"

// peer is the pid of the process at the other end of a connection.
func peer(fd int) (int, error) {
	credentials, err := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
	if err != nil {
		return 0, err
	}
	return int(credentials.Pid), nil
}
