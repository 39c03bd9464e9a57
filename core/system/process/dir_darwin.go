package process

import (
	"bytes"
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// What <sys/proc_info.h> says of the call that tells the working directory of a process: its number, that of the
// question, and the layout of the answer, two of vnode_info_path, of which the first is the working directory.
const (
	callPIDInfo       = 2
	pidVnodePathInfo  = 9
	vnodeInfoSize     = 152
	vnodeInfoPathSize = vnodeInfoSize + 1024
)

// Dir returns the working directory of a process.
func Dir(pid int) (string, error) {
	var info [2 * vnodeInfoPathSize]byte
	n, _, failed := unix.Syscall6(unix.SYS_PROC_INFO, callPIDInfo, uintptr(pid), pidVnodePathInfo, 0,
		uintptr(unsafe.Pointer(&info[0])), uintptr(len(info)))
	if failed != 0 {
		return "", failed
	}
	if n < vnodeInfoPathSize {
		return "", fmt.Errorf("process %d: %w", pid, ErrGone)
	}
	path, _, _ := bytes.Cut(info[vnodeInfoSize:vnodeInfoPathSize], []byte{0})
	return string(path), nil
}
