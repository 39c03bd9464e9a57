package disk

import (
	"strings"
	"syscall"
)

// local is the flag of a mount that is of this machine.
const local = 0x1000

func network(stat *syscall.Statfs_t) string {
	if stat.Flags&local != 0 {
		return ""
	}
	var name strings.Builder
	for _, letter := range stat.Fstypename {
		if letter == 0 {
			break
		}
		name.WriteByte(byte(letter))
	}
	return name.String()
}
