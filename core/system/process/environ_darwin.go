package process

import "golang.org/x/sys/unix"

// Environ returns the environment with which a process was started, as NAME=VALUE; nil if it is gone, or another
// user's, or a program that the system protects.
func Environ(pid int) []string {
	raw, err := unix.SysctlRaw("kern.procargs2", pid)
	if err != nil {
		return nil
	}
	_, environ := parseArguments(raw)
	return environ
}
