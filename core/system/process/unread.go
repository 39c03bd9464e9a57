package process

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// Unread returns how many bytes were typed into a terminal that its program has
// not read yet. Where the program reads whole lines, only those count. Nothing is
// taken from the terminal.
func Unread(tty string) (int, error) {
	fd, err := unix.Open(tty, unix.O_RDONLY|unix.O_NOCTTY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return 0, fmt.Errorf("open terminal %s: %w", tty, err)
	}
	defer unix.Close(fd) //nolint:errcheck // nothing was written
	n, err := unix.IoctlGetInt(fd, inputWaits)
	if err != nil {
		return 0, fmt.Errorf("ask terminal %s: %w", tty, err)
	}
	return n, nil
}
