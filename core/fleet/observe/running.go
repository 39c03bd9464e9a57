package observe

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"cupola/core"
	"cupola/core/engine"
	"cupola/core/fleet/panetag"
	"cupola/core/fleet/rundir"
	"cupola/core/system/process"
)

// noteEvery is how often a series of snapshots records what runs, at most.
const noteEvery = time.Second

// settledAfter is how long after its start an agent's process is the agent itself, and no wrapper any more.
const settledAfter = 10 * time.Second

// recorder records what runs, for the case that the terminal server is lost.
type recorder struct {
	opts *Options
	// last is when a series of snapshots recorded it last, in Unix nanoseconds.
	last atomic.Int64
}

// note records what a snapshot holds.
func (r *recorder) note(ctx context.Context, listing *engine.Listing, snapshot *core.Snapshot) {
	if r.opts.Recording.Off {
		return
	}
	tags, processes := listing.Tags(), r.opts.Engine.Processes()
	layouts := map[core.PaneID]string{}
	for i := range listing.Panes {
		layouts[listing.Panes[i].ID] = listing.Panes[i].Layout
	}
	servers := serverProcesses(snapshot, processes)
	r.opts.Dir.Note(ctx, snapshot, servers, func(pane *core.Pane, former *rundir.RanPane) rundir.RanPane {
		of := tags[pane.ID]
		ran := rundir.RanPane{
			Dir: pane.Process.Dir, Launched: of[engine.TagSession], Home: of[engine.TagHome], Layout: layouts[pane.ID],
		}
		hook := panetag.DecodeHook(of[engine.TagHook])
		if ran.Dir == "" && processes.Local() && !pane.Process.Dead {
			ran.Dir, _ = process.Dir(pane.Process.PID) // most snapshots leave the folders out
		}
		if hook != nil && !hook.At.Before(pane.Agent.Started) {
			ran.Named, ran.NamedAt = hook.Session, hook.At
		}
		if !pane.IsAgent() && !pane.IsCommand() || pane.Process.Dead || !processes.Local() {
			return ran
		}
		var live LiveStatus
		live.Find(processes, pane)
		if live.Live != nil && live.Live.Session != "" && live.Live.Session != ran.Named {
			ran.Named, ran.NamedAt = live.Live.Session, time.Time{}
		}
		if former != nil && former.Settled {
			ran.Settled = true
			return ran
		}
		ran.Settled = snapshot.Taken.Sub(pane.Agent.Started) > settledAfter
		var known bool
		if ran.Environment, known = r.opts.Dir.StartedWith(ctx, pane.ID, pane.Process.PID); !known {
			ran.Environment.Env = ForeignVariables(processes, pane)
		}
		if home := HomeTags(processes, pane); len(home) > 0 {
			ran.Home = home[0].Value
		}
		return ran
	})
}

// serverProcesses identifies the process of tmux, which is the parent of the processes in its panes. Those of Cupola's
// own server outlive its process.
func serverProcesses(snapshot *core.Snapshot, processes process.Source) map[string]string {
	if !processes.Local() {
		return nil
	}
	for i := range snapshot.Sessions {
		session := &snapshot.Sessions[i]
		for j := range session.Panes {
			if session.Engine != engine.Tmux || session.Panes[j].Process.Dead {
				continue
			}
			root, err := processes.Find(session.Panes[j].Process.PID)
			if err != nil {
				continue
			}
			if server, err := processes.Find(root.Parent); err == nil {
				return map[string]string{engine.Tmux: fmt.Sprintf("%d %d", server.PID, server.Start)}
			}
		}
	}
	return nil
}

// noteSoon is note in a series of snapshots, which it slows down little.
func (r *recorder) noteSoon(ctx context.Context, listing *engine.Listing, snapshot *core.Snapshot) {
	last := r.last.Load()
	if now := r.opts.Now().UnixNano(); now-last >= int64(noteEvery) && r.last.CompareAndSwap(last, now) {
		r.note(ctx, listing, snapshot)
	}
}

// ForeignVariables returns the names of the variables that a pane which Cupola did not start needs to be started again:
// those missing from or different in the terminal server. Programs set their own variables again. The values may be
// secret and are not kept.
func ForeignVariables(processes process.Source, pane *core.Pane) []string {
	root, err := processes.Find(pane.Process.PID)
	if err != nil || pane.Process.Dead {
		return nil
	}
	server := processes.Environ(root.Parent)
	var names []string
	for _, variable := range processes.Environ(agentProcess(processes, pane).PID) {
		name, _, is := strings.Cut(variable, "=")
		if is && name != "" && !passing(name) && !slices.Contains(server, variable) && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// passing reports whether a variable is set anew for every pane or program.
func passing(name string) bool {
	return slices.Contains([]string{
		"PWD", "OLDPWD", "SHLVL", "_", "TERM", "TERM_PROGRAM", "TERM_PROGRAM_VERSION",
		"COLORTERM", "PATH", "SHELL", "WINDOWID",
	}, name) ||
		strings.HasPrefix(name, "TMUX") || strings.HasPrefix(name, "CUPOLA_")
}
