package cli

import (
	"os"

	"golang.org/x/sys/unix"
)

// silence lets what is written to a file go nowhere, and closes what it was.
func silence(file *os.File) {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return
	}
	defer null.Close()
	_ = unix.Dup2(int(null.Fd()), int(file.Fd()))
}
