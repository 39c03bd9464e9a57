package server

import (
	"os"

	"golang.org/x/sys/unix"
)

// memoryFile is a file without a name, in memory.
func memoryFile() (*os.File, error) {
	fd, err := unix.MemfdCreate("cupola-terminals", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), "state"), nil
}
