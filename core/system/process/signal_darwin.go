package process

import "syscall"

// signalSame signals by pid: the system has no descriptors of processes that can be signalled.
func signalSame(p Proc, signal syscall.Signal) error { return signalPID(p, signal) }
