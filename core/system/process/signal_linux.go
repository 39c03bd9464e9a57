package process

import (
	"errors"
	"syscall"

	"golang.org/x/sys/unix"
)

// signalSame signals through a descriptor of the process, which no other process can take. Kernels and sandboxes
// without such descriptors get the signal by pid.
func signalSame(p Proc, signal syscall.Signal) error {
	fd, err := unix.PidfdOpen(p.PID, 0)
	switch {
	case errors.Is(err, unix.ESRCH):
		return ErrGone
	case err != nil:
		return signalPID(p, signal)
	}
	defer unix.Close(fd) //nolint:errcheck // nothing was written
	// It is alive after the descriptor was opened: so the descriptor is its own.
	if !p.Alive() {
		return ErrGone
	}
	err = unix.PidfdSendSignal(fd, signal, nil, 0)
	switch {
	case errors.Is(err, unix.ESRCH):
		return ErrGone
	case errors.Is(err, unix.ENOSYS), errors.Is(err, unix.EINVAL):
		return signalPID(p, signal)
	}
	return err
}
