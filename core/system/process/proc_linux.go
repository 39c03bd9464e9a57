package process

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// Find returns the process with a pid; ErrGone if there is none.
func Find(pid int) (Proc, error) {
	var buffer [512]byte
	line, err := read(pid, "stat", buffer[:])
	if err != nil {
		return Proc{}, fmt.Errorf("process %d: %w", pid, ErrGone)
	}
	return parseStat(line)
}

// All returns every process. It omits those that end meanwhile.
func All() (Table, error) {
	entries, err := names("/proc")
	if err != nil {
		return nil, fmt.Errorf("list processes: %w", err)
	}
	table := make(Table, 0, len(entries))
	for _, name := range entries {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		if p, err := Find(pid); err == nil {
			table = append(table, p)
		}
	}
	return table, nil
}

// Tree returns a process and its descendants, parents first; empty if the process is gone.
// If the kernel lists children, it reads no other process.
func Tree(pid int) []Proc {
	root, err := Find(pid)
	if err != nil {
		return nil
	}
	tree := []Proc{root}
	for i := 0; i < len(tree); i++ {
		pids, listed := children(tree[i].PID)
		if !listed {
			return fullTree(pid)
		}
		for _, child := range pids {
			if p, err := Find(child); err == nil {
				tree = append(tree, p)
			}
		}
	}
	return tree
}

func fullTree(pid int) []Proc {
	table, err := All()
	if err != nil {
		return nil
	}
	return table.Tree(pid)
}

// children reads the lists of all threads, since each thread has the children
// that it forked. listed is false where the kernel keeps no such lists.
func children(pid int) (pids []int, listed bool) {
	var buffer [512]byte
	threads, err := names("/proc/" + strconv.Itoa(pid) + "/task")
	if err != nil {
		return nil, true
	}
	for _, thread := range threads {
		text, err := read(pid, "task/"+thread+"/children", buffer[:])
		if errors.Is(err, os.ErrNotExist) && thread == strconv.Itoa(pid) {
			_, gone := Find(pid)
			return nil, gone != nil
		}
		for _, field := range bytes.Fields(text) {
			if child, err := strconv.Atoi(string(field)); err == nil {
				pids = append(pids, child)
			}
		}
	}
	return pids, true
}

// names lists a folder without looking at what is in it.
func names(folder string) ([]string, error) {
	dir, err := os.Open(folder)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	return dir.Readdirnames(-1)
}

// Argv returns the arguments of a process, its program first; nil if it is
// gone, a kernel thread, or another user's.
func Argv(pid int) []string {
	var buffer [4096]byte
	raw, err := read(pid, "cmdline", buffer[:])
	if err != nil || len(raw) == 0 {
		return nil
	}
	return strings.Split(strings.TrimSuffix(string(raw), "\x00"), "\x00")
}

// The fields of /proc/PID/stat that are used, counted from the state, which
// follows the name in parentheses.
const (
	statState = iota
	statParent
	statGroup
	statSession
	statTerminal
	statForeground
	statStart     = 19
	statArguments = 45 // where the arguments are in memory: their first byte, and the one behind the last
	statEnd       = 49
	statFields    = statEnd + 1
)

// parseStat reads a line of /proc/PID/stat. The name is in parentheses and
// may hold blanks and parentheses of its own.
func parseStat(line []byte) (Proc, error) {
	open, end := bytes.IndexByte(line, '('), bytes.LastIndexByte(line, ')')
	if open < 0 || end < open {
		return Proc{}, fmt.Errorf("process line %q: no name", string(line))
	}
	var fields [statFields][]byte
	known := 0
	for rest := bytes.TrimSpace(line[end+1:]); len(rest) > 0 && known < len(fields); known++ {
		fields[known], rest, _ = bytes.Cut(rest, []byte(" "))
		rest = bytes.TrimLeft(rest, " ")
	}
	if known <= statStart {
		return Proc{}, fmt.Errorf("process line %q: too few fields", string(line))
	}
	var numbers [5]int
	for i, field := range [][]byte{
		bytes.TrimSpace(line[:open]), fields[statParent], fields[statGroup],
		fields[statSession], fields[statForeground],
	} {
		n, err := strconv.Atoi(string(field))
		if err != nil {
			return Proc{}, fmt.Errorf("process line %q: %w", string(line), err)
		}
		numbers[i] = n
	}
	start, err := strconv.ParseUint(string(fields[statStart]), 10, 64)
	if err != nil {
		return Proc{}, fmt.Errorf("process line %q: %w", string(line), err)
	}
	p := Proc{
		Detached: string(fields[statTerminal]) == "0",
		PID:      numbers[0], Parent: numbers[1], Group: numbers[2], Session: numbers[3], Foreground: numbers[4],
		Start: start, Name: string(line[open+1 : end]), Zombie: fields[statState][0] == 'Z' ||
			fields[statState][0] == 'X', Stopped: fields[statState][0] == 'T' || fields[statState][0] == 't',
	}
	if known > statArguments+1 {
		p.arguments = bytesBetween(fields[statArguments], fields[statArguments+1])
	}
	if p.Zombie && known > statEnd {
		end, err := strconv.ParseUint(string(fields[statEnd]), 10, 32)
		if err != nil {
			return Proc{}, fmt.Errorf("process line %q: %w", string(line), err)
		}
		p.End = syscall.WaitStatus(end)
	}
	return p, nil
}

// bytesBetween returns the distance of two addresses; 0 where they are not known.
func bytesBetween(first, behind []byte) int {
	from, err := strconv.ParseUint(string(first), 10, 64)
	if err != nil {
		return 0
	}
	to, err := strconv.ParseUint(string(behind), 10, 64)
	if err != nil || to < from {
		return 0
	}
	return int(to - from)
}
