package process

import (
	"bytes"
	"fmt"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// noDevice is NODEV of <sys/param.h>, the terminal of a process that has none.
const noDevice = -1

// SSTOP and SZOMB of <sys/proc.h>.
const stopped, zombie = 4, 5

// Find returns the process with a pid; ErrGone if there is none.
func Find(pid int) (Proc, error) {
	info, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil || int(info.Proc.P_pid) != pid {
		return Proc{}, fmt.Errorf("process %d: %w", pid, ErrGone)
	}
	return fromKernel(info), nil
}

// All returns every process. It omits those that end meanwhile.
func All() (Table, error) {
	infos, err := unix.SysctlKinfoProcSlice("kern.proc.all")
	if err != nil {
		return nil, fmt.Errorf("list processes: %w", err)
	}
	table := make(Table, 0, len(infos))
	for i := range infos {
		table = append(table, fromKernel(&infos[i]))
	}
	return table, nil
}

// Tree looks at one process and its descendants, parents first. It is empty if
// the process is gone.
func Tree(pid int) []Proc {
	table, err := All()
	if err != nil {
		return nil
	}
	return table.Tree(pid)
}

// Argv returns the arguments of a process, its program first; nil if it is
// gone or another user's.
func Argv(pid int) []string {
	raw, err := unix.SysctlRaw("kern.procargs2", pid)
	if err != nil {
		return nil
	}
	argv, _ := parseArguments(raw)
	return argv
}

func fromKernel(info *unix.KinfoProc) Proc {
	name, _, _ := bytes.Cut(info.Proc.P_comm[:], []byte{0})
	pid := int(info.Proc.P_pid)
	// The kernel hides the session behind a pointer; a process that is gone has 0.
	session, _ := unix.Getsid(pid)
	started := time.Unix(info.Proc.P_starttime.Unix())
	return Proc{
		Detached: info.Eproc.Tdev == noDevice,
		PID:      pid, Parent: int(info.Eproc.Ppid), Group: int(info.Eproc.Pgid), Session: session,
		Foreground: int(info.Eproc.Tpgid), Start: uint64(started.UnixMicro()), Name: string(name),
		Zombie: info.Proc.P_stat == zombie, Stopped: info.Proc.P_stat == stopped,
		End: syscall.WaitStatus(info.Proc.P_xstat),
	}
}
