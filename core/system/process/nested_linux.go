package process

import (
	"bytes"
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
