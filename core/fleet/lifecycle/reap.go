package lifecycle

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"time"

	"cupola/core"
	"cupola/core/engine"
	"cupola/core/fleet/observe"
	"cupola/core/fleet/rundir"
	"cupola/core/system/process"
	"cupola/core/system/process/job"
)

// Agents end by themselves within hangUpWait after their terminal closed; the rest get SIGTERM and, after
// killAfter, SIGKILL. All together takes reapFor at most.
const (
	hangUpWait = time.Second
	killAfter  = 2 * time.Second
	reapFor    = 30 * time.Second
)

// Jobs finds and ends what was started in panes.
type Jobs struct {
	engine   engine.Engine
	dir      *rundir.Dir
	observer *observe.Observer
	log      *slog.Logger
}

// startedIn and usersIn divide panes: those with an agent or a command, and those of the user.
func startedIn(panes []*core.Pane) []*core.Pane {
	return slices.DeleteFunc(slices.Clone(panes), (*core.Pane).IsUser)
}

func usersIn(panes []*core.Pane) []*core.Pane {
	return slices.DeleteFunc(slices.Clone(panes), func(p *core.Pane) bool { return !p.IsUser() })
}

// processesOf returns the processes of panes on this machine. Where they cannot be listed, and of panes of another
// machine, there are none.
func (j *Jobs) processesOf(ctx context.Context, panes []*core.Pane) *job.Found {
	if !j.engine.Processes().Local() {
		return &job.Found{}
	}
	var jobs []*job.Job
	for _, pane := range panes {
		if pane.Process.PID > 1 {
			jobs = append(jobs, j.jobOf(ctx, pane))
		}
	}
	if len(jobs) == 0 {
		return &job.Found{}
	}
	found, err := job.Find(jobs...)
	if err != nil {
		j.log.Warn("list the processes of panes", "error", err)
		return &job.Found{}
	}
	return found
}

// reap ends the processes that outlive their terminal, and returns their number, and those that are left.
func reap(ctx context.Context, found *job.Found) (int, []job.Left, error) {
	return found.End(ctx, hangUpWait, killAfter)
}

// whyUser is why what was started in a user pane is left: a job that a user keeps running there is meant to stay.
const whyUser = "it was started in a user pane"

// staying are the processes of user panes that may outlive them: those that have left the terminal.
func staying(found *job.Found) []job.Left {
	var left []job.Left
	for _, p := range found.Members {
		if p.Detached {
			left = append(left, job.Left{Proc: p, Why: whyUser})
		}
	}
	return append(left, found.Left...)
}

// outliving are the processes of user panes that outlived them.
func outliving(ctx context.Context, found *job.Found) []job.Left {
	left := core.Map(process.Wait(ctx, found.Members, hangUpWait), func(p process.Proc) job.Left {
		return job.Left{Proc: p, Why: whyUser}
	})
	for _, kept := range found.Left {
		if kept.Alive() {
			left = append(left, kept)
		}
	}
	return left
}

// recognisedByTag is how an agent is recognised that Cupola started or adopted.
const recognisedByTag = "tag"

// jobOf returns what the processes of a pane have in common.
func (j *Jobs) jobOf(ctx context.Context, pane *core.Pane) *job.Job {
	found := &job.Job{Leader: pane.Process.PID, Gone: pane.Process.Dead}
	home, environ, started := engine.Inside{}, []string(nil), pane.Agent.Started
	if leader, err := process.Find(found.Leader); err == nil && !found.Gone {
		found.Since, environ = leader.Start, process.Environ(leader.PID)
		home = insideOf(environ)
		found.Streams = terminalsOf(leader.PID)
		found.Group, started = job.OwnGroup(leader), leader.Began()
		if pane.Agent.Recognised != recognisedByTag && pane.IsAgent() {
			// What the user's shell started before the agent is the user's.
			if front, err := process.Find(leader.Foreground); err == nil && front.Start > found.Since {
				found.Since = front.Start
			}
		}
		found.ID = ownJob(environ, process.Environ(leader.Parent))
	} else {
		environ = environOfSession(found.Leader)
		found.ID = process.Variable(environ, job.Variable)
	}
	if home.Pane != pane.ID {
		home = j.insideOfPane(ctx, pane.ID)
	}
	found.Marks = paneMarks{
		id: found.ID, passedOn: process.Variable(environ, job.Variable), unknown: len(environ) == 0, home: home,
		started: started,
	}.judge
	return found
}

// ownJob returns the job of a pane by the environments of its leader and of the terminal server: a server that was
// started in a pane passes the job of that pane on to its own.
func ownJob(leader, server []string) string {
	id := process.Variable(leader, job.Variable)
	if id == process.Variable(server, job.Variable) {
		return ""
	}
	return id[strings.LastIndexByte(id, ':')+1:]
}

// terminalsOf returns the terminals that are standard streams of a process.
func terminalsOf(pid int) []string {
	return slices.DeleteFunc(process.Streams(pid), func(name string) bool {
		return !strings.HasPrefix(name, "/dev/pts/") && !strings.HasPrefix(name, "/dev/tty")
	})
}

// environOfSession returns the environment of a process of the process session of one that has ended.
func environOfSession(sid int) []string {
	table, err := process.All()
	if err != nil {
		return nil
	}
	for _, p := range table.Session(sid) {
		if environ := process.Environ(p.PID); process.Variable(environ, job.Variable) != "" {
			return environ
		}
	}
	return nil
}

func insideOf(environ []string) engine.Inside {
	return engine.InsideOf(func(name string) string { return process.Variable(environ, name) })
}

// insideOfPane returns the place of a pane as the engine knows it.
func (j *Jobs) insideOfPane(ctx context.Context, pane core.PaneID) engine.Inside {
	for _, home := range j.servers(ctx) {
		if isOwn(pane) == (home.Engine == engine.Own) {
			home.Pane = pane
			return home
		}
	}
	return engine.Inside{}
}

// isOwn reports whether a pane is one of Cupola's own terminal server, by its id.
func isOwn(pane core.PaneID) bool { return strings.HasPrefix(string(pane), "%o") }

// servers are the terminal servers of the engine.
func (j *Jobs) servers(ctx context.Context) []engine.Inside {
	var servers []engine.Inside
	info, err := j.engine.Info(ctx)
	for of := &info; err == nil && of != nil; of = of.Beside {
		name := engine.Own
		if of.Program == engine.Tmux {
			name = engine.Tmux
		}
		servers = append(servers, engine.Inside{Engine: name, Socket: of.Socket})
	}
	if second, is := j.engine.(engine.SecondServer); is {
		own := engine.Inside{Engine: engine.Own, Socket: second.SecondSocket()}
		if !slices.Contains(servers, own) {
			servers = append(servers, own) // it is gone, and what it ran may be left
		}
	}
	return servers
}

// paneMarks judges by its environment whether a process was started in a pane.
type paneMarks struct {
	// id is the job of the pane, and passed on is the value of its leader, which a server may have passed on.
	id, passedOn string
	// unknown is true where the leader has ended and its job is not known: then the name of the pane counts alone.
	unknown bool
	home    engine.Inside
	// started is when the leader was started; zero where it is not known.
	started time.Time
}

func (m paneMarks) judge(p process.Proc, environ []string) job.Verdict {
	in := insideOf(environ)
	value := process.Variable(environ, job.Variable)
	switch {
	case job.Has(environ, m.id):
		if in.Engine == engine.Tmux && (in.Socket != m.home.Socket || in.Server != m.home.Server) && serves(in, p) {
			return job.Separate
		}
		return job.Part
	case value != "" && !m.unknown && (m.id != "" || value != m.passedOn), in.Engine == "", m.home.Pane == "",
		in.Engine != m.home.Engine, in.Socket != m.home.Socket, in.Pane != m.home.Pane:
		return job.Unknown
	case in.Engine == engine.Tmux && in.Server == m.home.Server && in.Server != 0,
		in.Engine == engine.Tmux && m.home.Server == 0 && serves(in, p):
		return job.Part
	case in.Engine == engine.Own && !m.started.IsZero() && !p.Began().Before(m.started.Add(-startSlack)):
		return job.Part // panes of an earlier server had the same ids
	}
	return job.Unknown
}

// startSlack is how inexact the start of a process is.
const startSlack = 2 * time.Second

// serves reports whether the tmux server that a process names runs, and did so when the process was started.
func serves(in engine.Inside, p process.Proc) bool {
	server, err := process.Find(in.Server)
	return err == nil && in.Server > 1 && server.Start <= p.Start && job.IsServer(server, process.Argv(server.PID))
}
