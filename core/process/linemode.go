package process

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// EditsLines reports whether the program in a terminal edits its input itself, as
// shells do at their prompt. Where it does not, the system collects whole lines
// for it. Nothing is changed about the terminal.
func EditsLines(tty string) (bool, error) {
	fd, err := unix.Open(tty, unix.O_RDONLY|unix.O_NOCTTY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return false, fmt.Errorf("open terminal %s: %w", tty, err)
	}
	defer unix.Close(fd) //nolint:errcheck // nothing was written
	modes, err := unix.IoctlGetTermios(fd, terminalModes)
	if err != nil {
		return false, fmt.Errorf("ask terminal %s: %w", tty, err)
	}
	return modes.Lflag&unix.ICANON == 0, nil
}
