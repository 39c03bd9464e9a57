package process

import (
	"bytes"
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Constants of <sys/proc_info.h> for the call that returns the working directory of a process: the number of the call,
// the number of the question, and the layout of the answer: two of vnode_info_path, the first of them the working
// directory.
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
