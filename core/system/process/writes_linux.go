package process

import (
	"os"
	"strconv"
	"strings"
)

// WritesTerminal reports whether the standard output of a process is a terminal; true if the system does not say.
func WritesTerminal(pid int) bool {
	path, err := os.Readlink("/proc/" + strconv.Itoa(pid) + "/fd/1")
	return err != nil || strings.HasPrefix(path, "/dev/pts/") || strings.HasPrefix(path, "/dev/tty") ||
		path == "/dev/console"
}
