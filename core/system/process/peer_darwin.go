package process

import "golang.org/x/sys/unix"

// Peer returns the process at the other end of a local socket, and the user that it runs as. The system has a socket
// option for each.
func Peer(fd int) (pid, uid int, err error) {
	if pid, err = unix.GetsockoptInt(fd, unix.SOL_LOCAL, unix.LOCAL_PEERPID); err != nil {
		return 0, 0, err
	}
	credentials, err := unix.GetsockoptXucred(fd, unix.SOL_LOCAL, unix.LOCAL_PEERCRED)
	if err != nil {
		return 0, 0, err
	}
	return pid, int(credentials.Uid), nil
}
