package relay

import "syscall"

// endWithParent has the kernel end the program if this process is killed.
func endWithParent(attr *syscall.SysProcAttr) { attr.Pdeathsig = syscall.SIGTERM }
