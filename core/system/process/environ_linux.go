package process

import (
	"bytes"
	"strings"
)

// Environ returns the environment with which a process was started, as
// NAME=VALUE; nil if it is gone, or another user's, or the system does not say.
func Environ(pid int) []string {
	raw, err := read(pid, "environ", nil)
	if err != nil || len(raw) == 0 {
		return nil
	}
	return strings.Split(string(bytes.TrimSuffix(raw, []byte{0})), "\x00")
}
