package process

import (
	"path"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// ListRemote is the command that lists the processes of another machine, for SetRemote.
const ListRemote = "ps -A -ww -o pid=,ppid=,pgid=,tpgid=,stat=,args="

// remoteFields are the columns of ListRemote before the arguments.
const remoteFields = 5

// remoteAge is how old a list of the processes of another machine may be.
const remoteAge = time.Second

// remote are the processes of another machine; nil if none is read.
var remote atomic.Pointer[remoteTable]

// SetRemote makes the processes of another machine known to Find, Tree and Argv, under negative pids: list returns what
// ListRemote prints there. A process that is read so is never signalled, and nothing else is known of it.
func SetRemote(list func() ([]byte, error)) { remote.Store(&remoteTable{list: list}) }

// Elsewhere reports whether SetRemote was called: then the processes of panes are those of another machine.
func Elsewhere() bool { return remote.Load() != nil }

// remoteTable is what another machine listed last.
type remoteTable struct {
	list func() ([]byte, error)

	mu    sync.Mutex
	taken time.Time
	table Table
	argv  map[int][]string
}

// read returns the list, from the other machine if the last one is old. What cannot be listed is empty.
func (r *remoteTable) read() (Table, map[int][]string) {
	if r == nil {
		return nil, nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if time.Since(r.taken) > remoteAge {
		text, err := r.list()
		if err != nil {
			text = nil
		}
		r.table, r.argv = parseRemote(string(text))
		r.taken = time.Now()
	}
	return r.table, r.argv
}

// parseRemote reads what ListRemote prints. Lines that are something else are omitted.
func parseRemote(text string) (Table, map[int][]string) {
	var table Table
	argv := map[int][]string{}
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		if len(fields) <= remoteFields {
			continue
		}
		var numbers [4]int
		var err error
		for i := range numbers {
			var n int
			if n, err = strconv.Atoi(fields[i]); err != nil {
				break
			}
			numbers[i] = -n
		}
		if err != nil || numbers[0] >= 0 {
			continue
		}
		args := fields[remoteFields:]
		p := Proc{
			PID: numbers[0], Parent: numbers[1], Group: numbers[2], Foreground: numbers[3],
			Name: strings.TrimPrefix(path.Base(args[0]), "-"), Zombie: fields[4][0] == 'Z',
			Stopped: fields[4][0] == 'T', arguments: len(strings.Join(args, "\x00")) + len("\x00"),
		}
		table = append(table, p)
		argv[p.PID] = args
	}
	return table, argv
}

// findRemote is Find of another machine.
func findRemote(pid int) (Proc, error) {
	table, _ := remote.Load().read()
	for _, p := range table {
		if p.PID == pid {
			return p, nil
		}
	}
	return Proc{}, ErrGone
}

// treeRemote is Tree of another machine.
func treeRemote(pid int) []Proc {
	table, _ := remote.Load().read()
	return table.Tree(pid)
}

// argvRemote is Argv of another machine.
func argvRemote(pid int) []string {
	_, argv := remote.Load().read()
	return argv[pid]
}
