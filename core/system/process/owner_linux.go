package process

import (
	"bytes"
	"os"
	"strconv"
)

// Owner returns the user that a process runs as; false if it is gone, or runs as several at once, as a program that
// changes its user does.
func Owner(pid int) (int, bool) {
	var buffer [4096]byte
	text, err := read(pid, "status", buffer[:])
	if err != nil {
		return 0, false
	}
	_, rest, found := bytes.Cut(text, []byte("\nUid:"))
	line, _, _ := bytes.Cut(rest, []byte("\n"))
	ids := bytes.Fields(line)
	if !found || len(ids) == 0 {
		return 0, false
	}
	for _, id := range ids {
		if !bytes.Equal(id, ids[0]) {
			return 0, false
		}
	}
	uid, err := strconv.Atoi(string(ids[0]))
	return uid, err == nil
}

// Streams returns what the standard input, output and error of a process are, as the system names them:
// /dev/pts/3, pipe:[17]. Those that cannot be read are left out; it is nil where the system does not say.
func Streams(pid int) []string {
	var streams []string
	for _, fd := range []string{"0", "1", "2"} {
		if name, err := os.Readlink("/proc/" + strconv.Itoa(pid) + "/fd/" + fd); err == nil {
			streams = append(streams, name)
		}
	}
	return streams
}

// ControlGroup returns the path of the control group of a process in the unified hierarchy; empty where there is none.
func ControlGroup(pid int) string {
	var buffer [1024]byte
	text, err := read(pid, "cgroup", buffer[:])
	if err != nil {
		return ""
	}
	for line := range bytes.Lines(text) {
		if path, unified := bytes.CutPrefix(bytes.TrimSpace(line), []byte("0::")); unified {
			return string(path)
		}
	}
	return ""
}
