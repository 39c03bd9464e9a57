package cli

import (
	"os"

	"golang.org/x/sys/unix"
)

// silence redirects an open file to the null device.
func silence(file *os.File) {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return
	}
	defer null.Close()
	_ = unix.Dup2(int(null.Fd()), int(file.Fd()))
}
