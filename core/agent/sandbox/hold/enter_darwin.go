package hold

import (
	"context"
	"errors"
	"net"
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// Enter is the first process of a sandbox. It becomes the program, and returns only if it cannot.
func Enter(_ context.Context, argv []string) (int, error) {
	if argv = argv[min(1, len(argv)):]; len(argv) == 0 {
		return 0, errors.New("no program is named")
	}
	path, err := exec.LookPath(argv[0])
	if err != nil {
		return 0, err
	}
	return 0, syscall.Exec(path, argv, os.Environ())
}

// LandlockVersion returns 0: the system has no Landlock.
func LandlockVersion() int { return 0 }

// sender returns the process that made a connection; 0 if it is not known.
func sender(conn *net.UnixConn) int {
	raw, err := conn.SyscallConn()
	if err != nil {
		return 0
	}
	pid := 0
	_ = raw.Control(func(fd uintptr) {
		if peer, err := unix.GetsockoptInt(int(fd), unix.SOL_LOCAL, unix.LOCAL_PEERPID); err == nil {
			pid = peer
		}
	})
	return pid
}

func attributes() *syscall.SysProcAttr { return nil }
