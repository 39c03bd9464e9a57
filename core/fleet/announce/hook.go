package announce

import (
	"context"
	"slices"
	"time"

	"cupola/core"
	"cupola/core/agent"
	"cupola/core/agent/detect"
	"cupola/core/engine"
	"cupola/core/fleet/fault"
	"cupola/core/fleet/panetag"
	"cupola/core/system/process"
	"cupola/core/text/secret"
)

// HookReport is the report of an agent's hook.
type HookReport struct {
	Kind core.Kind
	// Pane is the pane named by the hook's environment; it may be empty.
	Pane core.PaneID
	// PID is the hook's process, a descendant of the agent's; 0 if unknown.
	PID  int
	Edge agent.Edge
	// At is when it happened; zero is now.
	At time.Time
}

// Hooked handles a hook report: it notifies the keeper, if one runs, which updates the pane at once, and stores the
// edge in a tag for later calls. The pane is found by the process that sent the report. Only if that process is in no
// known pane, it is the pane that the environment names, or the one whose agent reported the same session before: an
// agent that a daemon runs has the environment of the pane where the daemon was started. PaneNotFound means that there
// is none.
//
// Hooked does not wait for a slow keeper, and returns when ctx ends.
func (a *Announcer) Hooked(ctx context.Context, report HookReport) (err error) {
	defer func() { err = fault.Wrap("hook", err) }()
	if report.Edge.Ignore {
		return nil
	}
	listing, err := a.opts.Engine.List(ctx, engine.Brief)
	if err != nil {
		return err
	}
	var line []process.Proc
	if a.opts.Engine.Processes().Local() {
		line = lineage(report.PID)
	}
	sender := a.sender(line, report.Kind)
	pane := a.hookPane(listing.Panes, &report, line, sender)
	if pane == nil {
		return core.Errorf(core.PaneNotFound, "no pane holds the agent that reports %q", report.Edge.Event)
	}
	hook := a.hookOf(&report, sender)
	a.passOn(ctx, pane.ID, hook)
	if former := panetag.DecodeHook(pane.Tags[engine.TagHook]); former != nil && former.At.After(hook.At) {
		return nil
	}
	return a.storeHook(ctx, pane.ID, hook)
}

// Reported passes a report that the program of the pane report.Pane makes of its own state to the keeper, if one runs.
// Unlike Hooked it does not ask the engine which pane that is, and stores nothing: StoreReport does, also later.
func (a *Announcer) Reported(ctx context.Context, report HookReport) {
	a.passOn(ctx, report.Pane, a.hookOf(&report, a.sender(lineage(report.PID), report.Kind)))
}

// StoreReport stores a report for later calls, in the tag of its pane.
func (a *Announcer) StoreReport(ctx context.Context, report HookReport) error {
	hook := a.hookOf(&report, a.sender(lineage(report.PID), report.Kind))
	return fault.Wrap("report", a.storeHook(ctx, report.Pane, hook))
}

// hookOf returns the edge of a report, masked, with the process of the agent that sent it.
func (a *Announcer) hookOf(report *HookReport, sender process.Proc) detect.Hook {
	at := report.At
	if at.IsZero() {
		at = a.opts.Now()
	}
	edge := &report.Edge
	hook := detect.Hook{
		Event: edge.Event, State: edge.State, Reason: edge.Reason, Notes: edge.Notes, At: at,
		Session: edge.Session, Asks: secret.Mask(edge.Asks),
	}
	if secret.Mask(edge.Command) == edge.Command && secret.Mask(edge.Description) == edge.Description {
		hook.Command, hook.Description = edge.Command, edge.Description
	}
	if sender.PID != 0 {
		hook.Kind, hook.PID, hook.Start = report.Kind, sender.PID, sender.Start
	}
	return hook
}

// passOn passes an edge to the keeper, if one runs.
func (a *Announcer) passOn(ctx context.Context, pane core.PaneID, hook detect.Hook) {
	if err := a.notifyKeeper(ctx, pane, hook); err != nil {
		a.opts.Log.Debug("a hook reached no keeper", "error", err)
	}
}

// storeHook stores an edge in the tag of its pane.
func (a *Announcer) storeHook(ctx context.Context, pane core.PaneID, hook detect.Hook) error {
	return a.opts.Engine.Tag(ctx, engine.Tag{Pane: pane, Name: engine.TagHook, Value: panetag.EncodeHook(hook)})
}

// Answered clears the reported dialog of a pane, because agents do not report every answer, and makes the
// keeper update the pane at once.
func (a *Announcer) Answered(ctx context.Context, pane core.PaneID) {
	listing, err := a.opts.Engine.List(ctx, engine.Brief)
	if err != nil {
		return
	}
	i := slices.IndexFunc(listing.Panes, func(p engine.Pane) bool { return p.ID == pane })
	if i < 0 {
		return
	}
	hook := detect.Hook{Event: "answered", At: a.opts.Now()}
	former := panetag.DecodeHook(listing.Panes[i].Tags[engine.TagHook])
	if former != nil {
		hook.Session = former.Session
	}
	a.passOn(ctx, pane, hook)
	if former != nil && former.State == core.Waiting {
		if err := a.storeHook(ctx, pane, hook); err != nil {
			a.opts.Log.Debug("an answer was not noted on its pane", "error", err)
		}
	}
}

// hookPane returns the pane of the reporting agent, whose process is sender if that is known; nil if there is none.
func (a *Announcer) hookPane(panes []engine.Pane, report *HookReport, line []process.Proc,
	sender process.Proc,
) *engine.Pane {
	find := func(fits func(*engine.Pane) bool) *engine.Pane {
		if i := slices.IndexFunc(panes, func(p engine.Pane) bool { return fits(&p) }); i >= 0 {
			return &panes[i]
		}
		return nil
	}
	if pane := find(func(p *engine.Pane) bool {
		return slices.ContainsFunc(line, func(above process.Proc) bool { return above.PID == p.Process.PID })
	}); pane != nil {
		if a.runsAnother(line, report.Kind, sender) {
			return nil
		}
		return pane
	}
	if sender.PID != 0 && slices.ContainsFunc(panes, func(p engine.Pane) bool { return a.visible(&p) }) {
		return nil
	}
	if report.Pane != "" && !a.inOtherServer() {
		if pane := find(func(p *engine.Pane) bool { return p.ID == report.Pane }); pane != nil {
			return pane
		}
	}
	return find(func(p *engine.Pane) bool {
		former := panetag.DecodeHook(p.Tags[engine.TagHook])
		return former != nil && former.Session != "" && former.Session == report.Edge.Session
	})
}

// runsAnother reports whether an agent above the sender started it in a process session of its own, as a daemon does or
// a command of the agent's tools: then the sender is in no pane.
func (a *Announcer) runsAnother(line []process.Proc, kind core.Kind, sender process.Proc) bool {
	for i := len(line) - 1; i >= 0 && line[i].PID != sender.PID; i-- {
		if a.opts.Kinds.Runs(kind, line[i]) {
			return line[i].Session != sender.Session
		}
	}
	return false
}

// visible reports whether the process of a pane can be found here; a process outside this container cannot.
func (a *Announcer) visible(pane *engine.Pane) bool {
	_, err := a.opts.Engine.Processes().Find(pane.Process.PID)
	return err == nil
}

// sender returns the process of the agent that ran a hook: the nearest of its kind above it; zero if there is none.
func (a *Announcer) sender(line []process.Proc, kind core.Kind) process.Proc {
	i := slices.IndexFunc(line, func(p process.Proc) bool { return a.opts.Kinds.Runs(kind, p) })
	if i < 0 {
		return process.Proc{}
	}
	return line[i]
}

// inOtherServer reports whether the environment names a pane of another server, whose ids are invalid here.
func (a *Announcer) inOtherServer() bool {
	known, ok := a.opts.Engine.(interface{ SocketPath() string })
	if !ok {
		return false
	}
	inside := engine.InsideOf(func(name string) string { return process.Variable(a.opts.Environ, name) })
	return inside.Engine == engine.Tmux && inside.Socket != known.SocketPath()
}

// lineage returns a process and its ancestors.
func lineage(pid int) []process.Proc {
	var line []process.Proc
	for pid > 1 && !slices.ContainsFunc(line, func(p process.Proc) bool { return p.PID == pid }) {
		p, err := process.Find(pid)
		if err != nil {
			break
		}
		line = append(line, p)
		pid = p.Parent
	}
	return line
}

// Began records the id of the session that the agent in a pane has by its own word: it is taken up by it later.
func (a *Announcer) Began(ctx context.Context, pane core.PaneID, session string) error {
	return a.opts.Engine.Tag(ctx, engine.Tag{Pane: pane, Name: engine.TagSession, Value: session})
}
