package process

import (
	"os"
	"strconv"
)

// Executable returns the path of the file that a process runs; empty if it is
// gone, or another user's, or the system does not say.
func Executable(pid int) string {
	path, err := os.Readlink("/proc/" + strconv.Itoa(pid) + "/exe")
	if err != nil {
		return ""
	}
	return path
}
