package host

import (
	"os/exec"
	"syscall"
)

// detached keeps the signals of the user's terminal from a program: it ends with its input.
func detached(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
