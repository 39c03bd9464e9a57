package lifecycle

import (
	"context"
	"slices"
	"sync"

	"cupola/core"
	"cupola/core/engine"
	"cupola/core/fleet/fault"
	"cupola/core/fleet/observe"
	"cupola/core/fleet/panetag"
	"cupola/core/system/process"
	"cupola/core/system/process/job"
)

// Leftover is a process that an agent started and whose pane, or whose start of it, is gone.
type Leftover struct {
	process.Proc
	// Session and Agent are the names of the session and the agent in which it was started.
	Session, Agent string
}

// whyEarlier is why a leftover is left by a kill of another session.
const whyEarlier = "an agent of an earlier session of this name left it"

// Leftovers returns what agents left behind in panes of this engine that are gone, and, where session is not empty,
// only that of sessions of this name. Where a server runs that does not answer, and of panes of another machine,
// nothing is known, and nothing returned.
func (j *Jobs) Leftovers(ctx context.Context, session string) (_ []Leftover, err error) {
	defer func() { err = fault.Wrap("list leftovers", err) }()
	seen, err := j.observer.Outline(ctx, observe.View{})
	if err != nil {
		return nil, err
	}
	return j.leftoversBeside(ctx, seen.Snapshot, session)
}

// LeftoversBeside returns the leftovers if something may be one beside the panes of a snapshot. It looks at processes
// only if a pane has ended since they were looked for last, and lists panes only if it finds something: a snapshot may
// leave out sessions.
func (j *Jobs) LeftoversBeside(ctx context.Context, snapshot *core.Snapshot, session string) ([]Leftover, error) {
	path := j.dir.Found(ctx).Looked
	last := readSearch(path)
	ended := last.ended(snapshot, session)
	if !ended && last.suffices(snapshot.Taken) {
		return nil, nil
	}
	left, err := j.leftoversBeside(ctx, snapshot, session)
	if err == nil && len(left) > 0 {
		left, err = j.Leftovers(ctx, session)
	}
	if err == nil && session == "" && path != "" && snapshot.SilentSince.IsZero() {
		last.next(snapshot, ended, len(left) > 0).write(path)
	}
	return left, err
}

// killLeftovers ends leftovers.
func (j *Jobs) killLeftovers(ctx context.Context, request *KillRequest) (*Killed, error) {
	left, err := j.Leftovers(ctx, request.Target.Session)
	if err != nil {
		return nil, err
	}
	killed := &Killed{Panes: []core.SeenPane{}}
	for i := range left {
		killed.Ending = append(killed.Ending, left[i].Proc)
	}
	if request.DryRun {
		return killed, nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), reapFor)
	defer cancel()
	found := &job.Found{Members: killed.Ending}
	killed.Reaped, killed.Left, err = found.End(ctx, 0, killAfter)
	return killed, err
}

// leftoversBeside returns what agents left behind of panes that are not in a snapshot.
func (j *Jobs) leftoversBeside(ctx context.Context, snapshot *core.Snapshot, session string) ([]Leftover, error) {
	if !snapshot.SilentSince.IsZero() || !j.engine.Processes().Local() {
		return nil, nil
	}
	view, err := job.ReadView()
	if err != nil {
		return nil, err
	}
	known := j.knownPanes(ctx, view, snapshot)
	callers, program := view.Above(view.Self), process.Executable(view.Self)
	var left []Leftover
	for _, p := range view.Table {
		// A process that has a terminal has a pane: a terminal that is closed is taken from all processes.
		if p.PID <= 1 || p.Zombie || !p.Detached || slices.Contains(callers, p.PID) {
			continue
		}
		environ := view.Environ(p.PID)
		in, name := process.Variable(environ, engine.SessionVariable), process.Variable(environ, engine.NameVariable)
		if in == "" || name == "" || name == panetag.RoleUser || session != "" && in != session ||
			!known.lost(p, environ) {
			continue
		}
		if user, ok := view.Owner(p.PID); !ok || user != view.User {
			continue
		}
		if server, served := view.Served(p, 0); served && (server.PID == p.PID || !isHome(view, server, environ)) {
			continue
		}
		if program != "" && process.Executable(p.PID) == program {
			continue // it is a run of this program's own, which has commands of its own
		}
		left = append(left, Leftover{p, in, name})
	}
	return left, nil
}

// isHome reports whether a process was started in a pane of a terminal server.
func isHome(view *job.View, server process.Proc, environ []string) bool {
	in := insideOf(environ)
	return in.Server == server.PID || in.Engine == engine.Own && in.Socket == job.OwnSocket(view.Argv(server.PID))
}

// knownPanes are the panes of the engine's servers, and which of the servers run.
type knownPanes struct {
	servers func() []engine.Inside
	// jobs are the jobs of panes by id; empty for a pane whose job is not known.
	jobs map[core.PaneID]string
	// tmux is the process of the tmux server that was listed; 0 where it has no panes.
	tmux int
	// silent are the sockets of own servers that run, or whose terminals are held, if none lists panes.
	silent func() []string
}

// knownPanes gathers what is known of panes.
func (j *Jobs) knownPanes(ctx context.Context, view *job.View, snapshot *core.Snapshot) *knownPanes {
	k := &knownPanes{jobs: map[core.PaneID]string{}}
	k.servers = sync.OnceValue(func() []engine.Inside { return j.servers(ctx) })
	owns := false
	for _, pane := range snapshot.Panes() {
		leader, runs := view.Find(pane.Process.PID)
		if isOwn(pane.ID) {
			owns = true
		} else if runs && !pane.Process.Dead {
			k.tmux = leader.Parent
		}
		id := ""
		if runs && !pane.Process.Dead {
			id = ownJob(view.Environ(leader.PID), view.Environ(leader.Parent))
		}
		k.jobs[pane.ID] = id
	}
	k.silent = sync.OnceValue(func() []string {
		if owns {
			return nil
		}
		var sockets []string
		for _, p := range view.Table {
			if socket := job.OwnSocket(view.Argv(p.PID)); socket != "" && p.PID != view.Self {
				sockets = append(sockets, socket)
			}
		}
		return sockets
	})
	return k
}

// lost reports whether a process names a pane of one of the servers that is gone, or an earlier start in it.
func (k *knownPanes) lost(p process.Proc, environ []string) bool {
	in := insideOf(environ)
	if in.Pane == "" || !slices.ContainsFunc(k.servers(),
		func(s engine.Inside) bool { return s.Engine == in.Engine && s.Socket == in.Socket }) {
		return false
	}
	id, listed := k.jobs[in.Pane]
	earlier := id != "" && process.Variable(environ, job.Variable) != "" && !job.Has(environ, id)
	if in.Engine == engine.Own {
		return !slices.Contains(k.silent(), in.Socket) && (!listed || earlier)
	}
	if serves(in, p) {
		return in.Server == k.tmux && (!listed || earlier)
	}
	return true
}

// leftEarlier returns the leftovers of earlier jobs that still run.
func leftEarlier(earlier []Leftover) []job.Left {
	var left []job.Left
	for i := range earlier {
		if earlier[i].Alive() {
			left = append(left, job.Left{Proc: earlier[i].Proc, Why: whyEarlier})
		}
	}
	return left
}
