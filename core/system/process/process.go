// Package process reads and ends operating-system processes: which run in a terminal, their
// ancestors, arguments and environments, and whether one that was read before is still
// alive.
//
// A process is identified by its pid and its start time, so that another process with a
// reused pid is not mistaken for it. The package knows no terminal server and no agent. It
// starts no goroutine and keeps nothing between calls. Reading one process takes a few file
// reads on Linux and one or two system calls on macOS.
package process

import (
	"errors"
	"slices"
	"strings"
	"syscall"
)

// ErrGone means that no such process runs.
var ErrGone = errors.New("no such process")

// Proc is one process as it was when it was read.
type Proc struct {
	PID int
	// Start is the start time, in a unit of the system. It serves only to distinguish
	// processes with the same pid.
	Start uint64
	// Parent, Group and Session are pids of what it descends from and belongs to.
	Parent  int
	Group   int
	Session int
	// Foreground is the foreground process group of its terminal; 0 or negative without a
	// terminal.
	Foreground int
	// Detached is true for a process without a controlling terminal.
	Detached bool
	// Name is the program's short name, cut by the system to 15 bytes or so.
	Name string
	// Zombie is true for a process that has ended and was not yet waited for.
	Zombie bool
	// Stopped is true for a stopped process, as by C-z.
	Stopped bool
	// End is the end of a zombie: its exit status or signal, where the system reports it.
	End syscall.WaitStatus
	// source is the other machine that it is of; nil for this one.
	source *Listed
	// arguments is how many bytes its arguments take, the program first and a zero
	// behind each; 0 where the system does not say.
	arguments int
}

// Bare reports whether the process is known to have no arguments but the name of its program, with
// or without the dash of a login shell. Argv has the rest, and is slower.
func (p Proc) Bare() bool {
	return p.arguments == len(p.Name)+len("\x00") || p.arguments == len("-")+len(p.Name)+len("\x00")
}

// Alive reports whether p still runs: the same process, and not a zombie.
func (p Proc) Alive() bool {
	find := Find
	if p.source != nil {
		find = p.source.Find
	}
	now, err := find(p.PID)
	return err == nil && now.Start == p.Start && !now.Zombie
}

// Table is every process at one moment.
type Table []Proc

// Tree returns the process and all its descendants, parents first; empty if it
// is not in the table.
func (t Table) Tree(pid int) []Proc {
	children := map[int][]Proc{}
	var tree []Proc
	for _, p := range t {
		if p.PID == pid {
			tree = append(tree, p)
		}
		children[p.Parent] = append(children[p.Parent], p)
	}
	for i := 0; i < len(tree); i++ {
		tree = append(tree, children[tree[i].PID]...)
	}
	return tree
}

// Session returns the members of a process session, which outlive its leader.
func (t Table) Session(sid int) []Proc {
	var members []Proc
	for _, p := range t {
		if p.Session == sid {
			members = append(members, p)
		}
	}
	return members
}

// Variable returns the value of a variable in an environment of NAME=VALUE; empty if it has none.
func Variable(environ []string, name string) string {
	for i := len(environ) - 1; i >= 0; i-- {
		if value, ok := strings.CutPrefix(environ[i], name+"="); ok {
			return value
		}
	}
	return ""
}

// Merged returns an environment of NAME=VALUE with each variable of several once. The last value of a name counts.
func Merged(environs ...[]string) []string {
	at, merged := map[string]int{}, []string{}
	for _, pair := range slices.Concat(environs...) {
		name, _, _ := strings.Cut(pair, "=")
		if i, known := at[name]; known {
			merged[i] = pair
			continue
		}
		at[name] = len(merged)
		merged = append(merged, pair)
	}
	return merged
}
