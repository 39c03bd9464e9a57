package observe

import (
	"fmt"
	"slices"
	"syscall"
	"time"

	"cupola/core"
	"cupola/core/agent"
	"cupola/core/system/process"
)

// KindOf returns the kind of a pane's agent; nil for user panes, command panes, and unknown kinds.
func (o *Observer) KindOf(pane *core.Pane) *agent.Kind {
	if !pane.IsAgent() {
		return nil
	}
	kind, _ := o.opts.Kinds.Find(string(pane.Agent.Kind))
	return kind
}

// Generic returns the kind with the general signs; nil where it is missing.
func (o *Observer) Generic() *agent.Kind {
	kind, _ := o.opts.Kinds.Find(string(core.KindGeneric))
	return kind
}

// Left reports whether an agent known by its tag has ended and left the pane to a shell. Its last screen may
// remain, so Left checks processes.
func (o *Observer) Left(pane *core.Pane, kind *agent.Kind) bool {
	if pane.Agent.Recognised != "tag" || kind.ID == core.KindGeneric || !IsShell(pane.Process.Command) ||
		names(kind, pane.Process.Command) {
		return false
	}
	return o.runs(kind, pane.Process.PID).PID == 0
}

// leftNow is Left for a lasting observer, whose listing of the foreground program may be some seconds old.
func (a *judge) leftNow(pane *core.Pane, kind *agent.Kind) bool {
	now := *pane
	if front := Foreground(a.observer.opts.Engine.Processes(), pane.Process.PID); front.PID != 0 {
		now.Process.Command = front.Name
	}
	return a.observer.Left(&now, kind)
}

// ready reports whether the prompt of an agent was seen since it was started.
func (a *judge) ready(pane *core.Pane, before core.Status) bool {
	return HasStarted(before) && !before.Since.Before(pane.Agent.Started) || a.observer.seen.wasReady(pane)
}

// HasStarted reports whether an agent with that status has drawn its prompt.
func HasStarted(status core.Status) bool {
	switch status.State {
	case core.Idle, core.Working, core.Limited, core.Errored:
		return true
	case core.Waiting:
		return status.Reason == core.ReasonApproval || status.Reason == core.ReasonQuestion ||
			status.Reason == core.ReasonPlan
	}
	return false
}

// AddExit adds the exit status of a dead pane's program if tmux does not know it. tmux can miss the signal
// until its next child ends; until then the program is a zombie.
func AddExit(processes process.Source, held core.Process) core.Process {
	if !held.Dead || ExitKnown(held) {
		return held
	}
	end, known := zombie(processes, held.PID)
	switch {
	case known && end.Signaled():
		held.Signal = int(end.Signal())
	case known && end.Exited():
		held.ExitStatus = end.ExitStatus()
	}
	return held
}

// zombie returns how a process ended that was not waited for.
func zombie(processes process.Source, pid int) (end syscall.WaitStatus, known bool) {
	p, err := processes.Find(pid)
	return p.End, err == nil && p.Zombie
}

// ExitKnown reports whether the exit status of a dead pane's program is known. tmux reports the death a
// moment before the status, and until then gives no time.
func ExitKnown(held core.Process) bool {
	return held.Signal != 0 || held.ExitStatus != 0 || !held.DiedAt.IsZero()
}

const howUnknown = "the program ended; how is not known"

// Ended returns the status of a dead pane.
func Ended(processes process.Source, held core.Process) core.Status {
	status := core.Status{State: core.Exited, Since: held.DiedAt}
	switch {
	case held.Lost:
		status.Reason = core.ReasonKilled
		status.Evidence = []string{"the program was killed together with its terminal server"}
	case held.Signal != 0:
		status.Reason = core.ReasonKilled
		status.Evidence = []string{fmt.Sprintf("the program was ended by signal %d", held.Signal)}
	case held.ExitStatus == core.SetupFailed:
		status.Reason = core.ReasonSetup
		status.Evidence = []string{"its worktree could not be set up"}
	case held.ExitStatus < 0:
		status.Evidence = []string{howUnknown}
	case held.ExitStatus != 0:
		status.Reason = core.ReasonFailed
		status.Evidence = []string{fmt.Sprintf("the program ended with status %d", held.ExitStatus)}
	case ExitKnown(held) || endedWell(processes, held.PID):
		status.Reason = core.ReasonFinished
		status.Evidence = []string{"the program ended with status 0"}
	default:
		status.Evidence = []string{howUnknown}
	}
	return status
}

// SettingUp reports whether the set-up of a worktree runs in a pane, before its agent starts.
func SettingUp(processes process.Source, held core.Process) bool {
	if held.Dead || held.PID == 0 {
		return false
	}
	// A sandbox is a process above it.
	return slices.ContainsFunc(processes.Tree(held.PID), func(p process.Proc) bool {
		argv := processes.Argv(p.PID)
		return len(argv) > 1 && argv[1] == core.SetupWord
	})
}

func endedWell(processes process.Source, pid int) bool {
	end, known := zombie(processes, pid)
	return known && end == 0
}

// Undecided returns the status Unknown with why as its evidence.
func Undecided(why string) core.Status {
	return core.Status{State: core.Unknown, Evidence: []string{why}}
}

func (s *processCache) wasReady(pane *core.Pane) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ready[pane.ID].Equal(pane.Agent.Started)
}

func (s *processCache) nowReady(pane *core.Pane) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ready == nil || len(s.ready) >= sightingsKept {
		s.ready = map[core.PaneID]time.Time{}
	}
	s.ready[pane.ID] = pane.Agent.Started
}

func (s *processCache) lastActed(pane core.PaneID) time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.acted[pane]
}

func (s *processCache) nowActs(pane core.PaneID, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.acted == nil || len(s.acted) >= sightingsKept {
		s.acted = map[core.PaneID]time.Time{}
	}
	s.acted[pane] = now
}

// HasHistory reports whether lines that scrolled off in a pane are output of its program.
func (o *Observer) HasHistory(pane *core.Pane) bool {
	kind := o.KindOf(pane)
	return kind == nil || kind.History
}
