// Package job finds and ends all processes of a job: what was started in one pane, or by one run of a program, also
// after it left its process group, its session and its terminal.
//
// A job has an id, which its processes inherit in a variable of their environment. Processes that were started without
// it are found as descendants of the job's leader, as members of its process session, by its control group where it
// has one of its own, and by its terminal or pipe, if that is a standard stream of theirs. A process that has none of
// these, such as one that was started by env -i and setsid twice and whose parents have ended, cannot be found.
//
// What serves others too is never a part of a job: terminal servers with all that runs in them, and agents of keys.
// Neither is this process, what it descends from, and what another user runs.
package job

import (
	"crypto/rand"
	"fmt"
	"slices"
	"strings"

	"cupola/core/system/process"
)

// Variable is the variable with the ids of the jobs that a process is part of, parted by colons: that of a pane, and
// behind it that of a run which was started in the pane.
const Variable = "CUPOLA_JOB"

const separator = ":"

// NewID returns an id that no other job has.
func NewID() string { return rand.Text() }

// Within returns an environment with a job more.
func Within(environ []string, id string) []string {
	if outer := process.Variable(environ, Variable); outer != "" {
		id = outer + separator + id
	}
	return append(slices.Clip(environ), Variable+"="+id)
}

// Has reports whether an environment is one of a job's processes.
func Has(environ []string, id string) bool {
	return id != "" && slices.Contains(strings.Split(process.Variable(environ, Variable), separator), id)
}

// Job is a group of processes and what they have in common. Fields that are not known are empty.
type Job struct {
	// ID is the job's id.
	ID string
	// Leader is the process that it began with, and leads its process session. Gone says that it has ended, so that a
	// process with its pid is another one.
	Leader int
	Gone   bool
	// Since is the start of the leader, in the unit of process.Proc: what is older is no part of the job.
	Since uint64
	// Streams are terminals and pipes, as process.Streams names them, that only processes of the job have.
	Streams []string
	// Group is a control group of its own.
	Group string
	// Marks, if not nil, judges by the environment of a process whether it is part of the job. It has the last word
	// over ID, and is asked about processes that are no older than Since.
	Marks func(p process.Proc, environ []string) Verdict
}

// Verdict is the finding in the environment of a process: whether it is marked as part of a job.
type Verdict int

// The verdicts. Separate means that the process was started by the job, but runs in a terminal server of its own.
const (
	Unknown Verdict = iota
	Part
	Separate
)

// Left is a process that was not ended.
type Left struct {
	process.Proc
	// Why it is left.
	Why string
}

// String returns the pid, the name and why it is left.
func (l Left) String() string { return fmt.Sprintf("%d (%s): %s", l.PID, l.Name, l.Why) }

// Why processes are left.
const (
	whyServer = "it serves other terminals too"
	whyOther  = "it runs as another user"
	whySelf   = "this command runs in it"
	whyNested = "it runs in a terminal server that was started there"
	whyStays  = "it does not end"
)

// IsServer reports whether a program serves terminals or other programs beside the one that happened to start it.
func IsServer(p process.Proc, argv []string) bool {
	program, word := "", ""
	if len(argv) > 0 {
		program = argv[0][strings.LastIndexByte(argv[0], '/')+1:]
	}
	if len(argv) > 1 {
		word = argv[1]
	}
	switch p.Name {
	case "tmux: server", "ssh-agent", "gpg-agent", "dbus-daemon", "keyboxd", "scdaemon":
		return true
	case "tmux":
		return p.Detached
	case "zellij":
		return strings.TrimLeft(word, "-") == "server"
	case "ssh":
		// The master of connections that others share.
		return strings.HasPrefix(program, "ssh:") || strings.HasSuffix(strings.Join(argv, " "), "[mux]")
	}
	return program == "SCREEN" || OwnSocket(argv) != ""
}

// own are the words with which this program is a terminal server, or holds the terminals of one. The socket follows.
var own = []string{"terminal-server", "terminal-holder"}

const ownWords = 3

// OwnSocket returns the socket of a terminal server of this program, or of what holds its terminals; empty for others.
func OwnSocket(argv []string) string {
	if len(argv) == ownWords && slices.Contains(own, argv[1]) {
		return argv[2]
	}
	return ""
}
