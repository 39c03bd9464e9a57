package process

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// EditsLines reports whether the program in a terminal edits its input itself, as
// shells do at their prompt. Where it does not, the system collects whole lines
// for it. Nothing is changed about the terminal.
func EditsLines(tty string) (bool, error) {
	modes, err := modesOf(tty)
	return err == nil && modes.Lflag&unix.ICANON == 0, err
}

// HidesLines reports whether the system collects a line in a terminal without showing
// it, as where a password is asked for. Nothing is changed about the terminal.
func HidesLines(tty string) (bool, error) {
	modes, err := modesOf(tty)
	return err == nil && modes.Lflag&unix.ICANON != 0 && modes.Lflag&unix.ECHO == 0, err
}

func modesOf(tty string) (*unix.Termios, error) {
	fd, err := unix.Open(tty, unix.O_RDONLY|unix.O_NOCTTY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("open terminal %s: %w", tty, err)
	}
	defer unix.Close(fd) //nolint:errcheck // nothing was written
	modes, err := unix.IoctlGetTermios(fd, terminalModes)
	if err != nil {
		return nil, fmt.Errorf("ask terminal %s: %w", tty, err)
	}
	return modes, nil
}
