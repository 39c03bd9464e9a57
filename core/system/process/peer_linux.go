package process

import "golang.org/x/sys/unix"

// Peer returns the process at the other end of a local socket, and the user that it runs as.
func Peer(fd int) (pid, uid int, err error) {
	credentials, err := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
	if err != nil {
		return 0, 0, err
	}
	return int(credentials.Pid), int(credentials.Uid), nil
}
