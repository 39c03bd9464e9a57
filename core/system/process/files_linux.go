package process

import (
	"os"
	"strconv"
	"strings"
)

// Files returns the paths of the files that a process holds open, without
// sockets, pipes and devices; nil if it is gone, or another user's, or the
// system does not say.
func Files(pid int) []string {
	dir := "/proc/" + strconv.Itoa(pid) + "/fd"
	entries, err := names(dir)
	if err != nil {
		return nil
	}
	var files []string
	for _, name := range entries {
		if path, err := os.Readlink(dir + "/" + name); err == nil && strings.HasPrefix(path, "/") &&
			!strings.HasPrefix(path, "/dev/") {
			files = append(files, path)
		}
	}
	return files
}
