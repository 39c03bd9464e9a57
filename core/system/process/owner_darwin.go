package process

import "golang.org/x/sys/unix"

// Owner returns the user that a process runs as; false if it is gone, or runs as several at once, as a program that
// changes its user does.
func Owner(pid int) (int, bool) {
	info, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil || int(info.Proc.P_pid) != pid || info.Eproc.Pcred.P_ruid != info.Eproc.Ucred.Uid {
		return 0, false
	}
	return int(info.Eproc.Ucred.Uid), true
}

// Streams returns what the standard input, output and error of a process are; nil where the system does not say, as
// this one does not.
func Streams(int) []string { return nil }

// ControlGroup returns the path of the control group of a process; empty where there is none, as on this system.
func ControlGroup(int) string { return "" }
