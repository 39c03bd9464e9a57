package process

import (
	"path"
	"strconv"
	"strings"
	"sync"
	"time"
)

// ListCommand is the command that lists the processes of a machine, for NewListed.
const ListCommand = "ps -A -ww -o pid=,ppid=,pgid=,tpgid=,stat=,args="

// listedFields are the columns of ListCommand before the arguments.
const listedFields = 5

// listedAge is the longest time for which a list of the processes of another machine is cached.
const listedAge = time.Second

// Listed is the Source of another machine. Only the list of its processes can be read; they are never signalled.
type Listed struct {
	list func() ([]byte, error)

	mu    sync.Mutex
	taken time.Time
	table Table
	argv  map[int][]string
}

// NewListed returns the processes of another machine: list returns what ListCommand prints there. It is called when a
// process is asked for, at most once a second.
func NewListed(list func() ([]byte, error)) *Listed { return &Listed{list: list} }

// read returns the list, from the other machine if the last one is old. What cannot be listed is empty.
func (l *Listed) read() (Table, map[int][]string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if time.Since(l.taken) > listedAge {
		text, err := l.list()
		if err != nil {
			text = nil
		}
		l.table, l.argv = parseList(string(text))
		for i := range l.table {
			l.table[i].source = l
		}
		l.taken = time.Now()
	}
	return l.table, l.argv
}

// parseList reads what ListCommand prints. Lines that are something else are omitted.
func parseList(text string) (Table, map[int][]string) {
	var table Table
	argv := map[int][]string{}
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		if len(fields) <= listedFields {
			continue
		}
		var numbers [4]int
		var err error
		for i := range numbers {
			var n int
			if n, err = strconv.Atoi(fields[i]); err != nil {
				break
			}
			numbers[i] = n
		}
		if err != nil || numbers[0] <= 0 {
			continue
		}
		args := fields[listedFields:]
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

// Local returns false.
func (l *Listed) Local() bool { return false }

// Find returns a process of the list.
func (l *Listed) Find(pid int) (Proc, error) {
	table, _ := l.read()
	for _, p := range table {
		if p.PID == pid {
			return p, nil
		}
	}
	return Proc{}, ErrGone
}

// Tree returns a process of the list with its descendants.
func (l *Listed) Tree(pid int) []Proc {
	table, _ := l.read()
	return table.Tree(pid)
}

// Argv returns the words that the list has of a process, in which a blank of an argument divides it.
func (l *Listed) Argv(pid int) []string {
	_, argv := l.read()
	return argv[pid]
}

// Environ returns nil: the list does not say.
func (l *Listed) Environ(int) []string { return nil }

// Executable returns an empty path: the list does not say.
func (l *Listed) Executable(int) string { return "" }

// Files returns nil: the list does not say.
func (l *Listed) Files(int) []string { return nil }

// WritesTerminal returns true: the list does not say.
func (l *Listed) WritesTerminal(int) bool { return true }
