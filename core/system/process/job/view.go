package job

import (
	"os"
	"slices"

	"cupola/core/system/process"
)

// View is the processes of this machine at one moment, and how more is learnt of one of them.
type View struct {
	Table process.Table
	// Self is this process, and User who it runs as.
	Self, User int
	// Environ, Argv, Streams, ControlGroup and Owner are the functions of the same names in package process.
	Environ      func(pid int) []string
	Argv         func(pid int) []string
	Streams      func(pid int) []string
	ControlGroup func(pid int) string
	Owner        func(pid int) (int, bool)

	parents map[int]int
}

// ReadView lists all processes.
func ReadView() (*View, error) {
	table, err := process.All()
	if err != nil {
		return nil, err
	}
	return &View{
		Table: table, Self: os.Getpid(), User: os.Geteuid(), Environ: process.Environ, Argv: process.Argv,
		Streams: process.Streams, ControlGroup: process.ControlGroup, Owner: process.Owner,
	}, nil
}

// Find returns a process; false if there is none.
func (v *View) Find(pid int) (process.Proc, bool) {
	at := slices.IndexFunc(v.Table, func(p process.Proc) bool { return p.PID == pid })
	if at < 0 || pid <= 0 {
		return process.Proc{}, false
	}
	return v.Table[at], true
}

// Above returns what a process descends from, itself first.
func (v *View) Above(pid int) []int {
	if v.parents == nil {
		v.parents = make(map[int]int, len(v.Table))
		for _, p := range v.Table {
			v.parents[p.PID] = p.Parent
		}
	}
	var above []int
	for known := true; known && pid > 0 && !slices.Contains(above, pid); {
		above = append(above, pid)
		pid, known = v.parents[pid]
	}
	return above
}

// Served returns the terminal server that a process is, or descends from below the leader of a job; false for none.
func (v *View) Served(p process.Proc, leader int) (process.Proc, bool) {
	for _, pid := range v.Above(p.PID) {
		if pid == leader {
			break
		}
		if above, found := v.Find(pid); found && pid > 1 && IsServer(above, v.Argv(pid)) {
			return above, true
		}
	}
	return process.Proc{}, false
}

// Members returns the processes of a job: those that are to end with it, and those that are left.
func (v *View) Members(j *Job) (members []process.Proc, left []Left) {
	if j == nil {
		return nil, nil
	}
	near := v.near(j)
	callers := v.Above(v.Self)
	for _, p := range v.Table {
		if p.PID <= 1 || p.Zombie || p.PID == v.Self {
			continue
		}
		verdict := Part
		if !near[p.PID] {
			verdict = v.judge(j, p)
		}
		if verdict == Unknown {
			continue
		}
		server, served := v.Served(p, j.Leader)
		switch user, known := v.Owner(p.PID); {
		case slices.Contains(callers, p.PID):
			left = append(left, Left{p, whySelf})
		case served && server.PID == p.PID:
			left = append(left, Left{p, whyServer})
		case served: // its server is listed, if it is the job's
		case verdict == Separate:
			left = append(left, Left{p, whyNested})
		case !known || user != v.User:
			left = append(left, Left{p, whyOther})
		default:
			members = append(members, p)
		}
	}
	return members, left
}

// near are the descendants of the leader and the members of its process session.
func (v *View) near(j *Job) map[int]bool {
	near := map[int]bool{}
	if j.Leader <= 1 {
		return near
	}
	tree := v.Table.Tree(j.Leader)
	if j.Gone && len(tree) > 0 {
		return near // the pid is another process's
	}
	for _, p := range append(tree, v.Table.Session(j.Leader)...) {
		near[p.PID] = true
	}
	return near
}

// judge says whether a process that has left the leader's tree and session is part of a job.
func (v *View) judge(j *Job, p process.Proc) Verdict {
	if p.Start < j.Since {
		return Unknown
	}
	environ := v.Environ(p.PID)
	switch {
	case j.Marks != nil:
		if verdict := j.Marks(p, environ); verdict != Unknown {
			return verdict
		}
	case Has(environ, j.ID):
		return Part
	}
	named := func(name string) bool { return slices.Contains(j.Streams, name) }
	switch {
	case process.Variable(environ, Variable) != "": // another job, to which a stream may have been passed
	case p.Detached && len(j.Streams) > 0 && slices.ContainsFunc(v.Streams(p.PID), named),
		j.Group != "" && v.ControlGroup(p.PID) == j.Group:
		return Part
	}
	return Unknown
}

// OwnGroup returns the control group of a process that its parent is not in; empty where there is none.
func OwnGroup(p process.Proc) string {
	group := process.ControlGroup(p.PID)
	if group == "" || group == "/" || group == process.ControlGroup(p.Parent) ||
		group == process.ControlGroup(os.Getpid()) {
		return ""
	}
	return group
}
