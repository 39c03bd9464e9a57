package fleet

import (
	"context"
	"fmt"
	"syscall"
	"time"

	"cupola/core"
	"cupola/core/agent"
	"cupola/core/engine"
	"cupola/core/process"
)

// judge sets the status of every pane. The screens that it needs for that are
// captured in one question.
func (o *observer) judge(ctx context.Context, snapshot *core.Snapshot) error {
	starting := map[core.PaneID]*core.Pane{}
	var asks []engine.Ask
	for _, pane := range snapshot.Panes() {
		kind := o.kindOf(pane)
		switch {
		case pane.Process.Dead:
			pane.Status = ended(pane.Process)
		case kind == nil:
			pane.Status = undecided("no rule knows what runs here")
		case o.left(pane, kind):
			pane.Status = core.Status{State: core.Exited, Reason: core.ReasonFinished, Evidence: []string{
				fmt.Sprintf("the shell %s is in the foreground and no process of %s is left in the pane", pane.Process.Command, kind.Name),
			}}
		case o.mayBeStarting(pane, kind, snapshot.Taken):
			starting[pane.ID] = pane
			asks = append(asks, engine.Ask{Pane: pane.ID})
		default:
			pane.Status = undecided("it runs; its screen was not read")
		}
	}
	if len(asks) == 0 {
		return nil
	}
	screens, err := o.engine.Capture(ctx, asks...)
	if err != nil {
		return err
	}
	for i := range screens {
		if pane := starting[screens[i].Pane]; pane != nil {
			pane.Status = o.begun(pane, &screens[i])
		}
	}
	for _, pane := range starting {
		if pane.Status.State == "" {
			pane.Status = undecided("it went away while it was looked at")
		}
	}
	return nil
}

// kindOf returns what is known of a pane's agent; nil for user panes, commands
// of the user's own, and kinds that are no longer known.
func (o *observer) kindOf(pane *core.Pane) *agent.Kind {
	if !pane.IsAgent() || pane.Agent.Kind == core.KindCommand {
		return nil
	}
	kind, _ := o.kinds.Find(string(pane.Agent.Kind))
	return kind
}

// left reports whether an agent that Cupola knows by its tag has ended and left
// the pane to a shell. Its last screen may still be there, so only processes
// tell.
func (o *observer) left(pane *core.Pane, kind *agent.Kind) bool {
	if pane.Agent.Recognised != "tag" || !isShell(pane.Process.Command) || names(kind, pane.Process.Command) {
		return false
	}
	return !runs(o.kinds, kind, pane.Process.PID)
}

func (o *observer) mayBeStarting(pane *core.Pane, kind *agent.Kind, now time.Time) bool {
	age := now.Sub(pane.Agent.Started)
	return !pane.Agent.Started.IsZero() && age < kind.Launch.Timeout && kind.Readable() && !o.seen.wasReady(pane)
}

// begun is the status of an agent that was launched a short while ago.
func (o *observer) begun(pane *core.Pane, screen *core.Screen) core.Status {
	reading := o.kindOf(pane).Read(screen)
	if reading.Ready() {
		o.seen.nowReady(pane)
		return undecided("its prompt is drawn")
	}
	evidence := "its prompt is not drawn yet"
	if block, blocked := reading.Blocked(); blocked {
		evidence = fmt.Sprintf("a dialog is open (%s): %s", block.Reason, block.Line)
	}
	return core.Status{State: core.Starting, Since: pane.Agent.Started, Evidence: []string{evidence}}
}

// autopsy adds how a dead pane's program ended where tmux did not hear of it.
// It can miss the signal until its next child ends; the program is a zombie then.
func autopsy(held core.Process) core.Process {
	if !held.Dead || fate(held) {
		return held
	}
	end, known := zombie(held.PID)
	switch {
	case known && end.Signaled():
		held.Signal = int(end.Signal())
	case known && end.Exited():
		held.ExitStatus = end.ExitStatus()
	}
	return held
}

// zombie says how a process ended that nobody has waited for.
func zombie(pid int) (end syscall.WaitStatus, known bool) {
	p, err := process.Find(pid)
	return p.End, err == nil && p.Zombie
}

// fate reports whether it is known how a dead pane's program ended. tmux says
// that it did a moment before it says how, and until then gives no time.
func fate(held core.Process) bool {
	return held.Signal != 0 || held.ExitStatus != 0 || !held.DiedAt.IsZero()
}

// ended is the status of a dead pane.
func ended(held core.Process) core.Status {
	status := core.Status{State: core.Exited, Since: held.DiedAt}
	switch {
	case held.Signal != 0:
		status.Reason = core.ReasonKilled
		status.Evidence = []string{fmt.Sprintf("the program was ended by signal %d", held.Signal)}
	case held.ExitStatus != 0:
		status.Reason = core.ReasonFailed
		status.Evidence = []string{fmt.Sprintf("the program ended with status %d", held.ExitStatus)}
	case fate(held) || endedWell(held.PID):
		status.Reason = core.ReasonFinished
		status.Evidence = []string{"the program ended with status 0"}
	default:
		status.Evidence = []string{"the program ended; how is not known"}
	}
	return status
}

func endedWell(pid int) bool {
	end, known := zombie(pid)
	return known && end == 0
}

func undecided(why string) core.Status {
	return core.Status{State: core.Unknown, Evidence: []string{why}}
}

func (s *sightings) wasReady(pane *core.Pane) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ready[pane.ID].Equal(pane.Agent.Started)
}

func (s *sightings) nowReady(pane *core.Pane) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ready == nil || len(s.ready) >= sightingsKept {
		s.ready = map[core.PaneID]time.Time{}
	}
	s.ready[pane.ID] = pane.Agent.Started
}
