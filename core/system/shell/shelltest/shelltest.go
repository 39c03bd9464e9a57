// Package shelltest writes programs that tests run.
package shelltest

import (
	"os"
	"syscall"
)

// WriteProgram writes an executable file. No process is forked meanwhile: a child that inherited the open file would
// make running it fail with ETXTBSY.
func WriteProgram(path string, text []byte) error {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	return os.WriteFile(path, text, 0o700) //nolint:gosec // it is run
}
