package process

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
)

// Nested returns how a process is numbered by itself, and a prefix of the paths of its files: another pid and a prefix
// if it has namespaces of its own, as in a sandbox or a container, else the pid and an empty prefix.
func Nested(pid int) (inner int, root string) {
	text, err := read(pid, "status", nil)
	if err != nil {
		return pid, ""
	}
	_, line, found := bytes.Cut(text, []byte("\nNSpid:"))
	if !found {
		return pid, ""
	}
	line, _, _ = bytes.Cut(line, []byte("\n"))
	numbers := bytes.Fields(line)
	if len(numbers) < 2 {
		return pid, ""
	}
	inner, err = strconv.Atoi(string(numbers[len(numbers)-1]))
	if err != nil {
		return pid, ""
	}
	return inner, filepath.Join(string(filepath.Separator), "proc", strconv.Itoa(pid), "root")
}

// SeesSameFiles reports whether paths mean the same files to a process as to this one; it is not known of processes of
// other users.
func SeesSameFiles(pid int) (same, known bool) {
	ours, err := os.Readlink("/proc/self/ns/mnt")
	if err != nil {
		return false, false
	}
	theirs, err := os.Readlink("/proc/" + strconv.Itoa(pid) + "/ns/mnt")
	return theirs == ours, err == nil
}
