package measure

import (
	"context"
	"os"
	"sync"
	"time"

	"cupola/core"
	"cupola/core/agent"
	"cupola/core/agent/transcript"
	"cupola/core/fleet/conversation"
	"cupola/core/fleet/observe"
)

const (
	// contextEvery is how often context windows are measured of agents whose screens
	// move, and for how long after they have stopped.
	contextEvery = 5 * time.Second
	// findEvery is how often the transcript of such an agent is searched.
	findEvery = 30 * time.Second
)

// ContextMonitor tracks how much of their context windows agents have used: what their screens
// show and, at intervals, what their transcripts say. It reads a transcript only if it has grown.
// The zero value reads none.
type ContextMonitor struct {
	observer      *observe.Observer
	conversations *conversation.Reader
	now           func() time.Time

	mu    sync.Mutex
	panes map[core.PaneID]*contextUse
}

// contextUse is the use of the context window by one agent.
type contextUse struct {
	pane core.Pane
	// moved is when its screen last changed, readAt when its transcript was last
	// read, and sought when it was last searched for.
	moved, readAt, sought time.Time
	// path is its transcript, as it was when it was read: so large, and changed then.
	// session is the agent's own id.
	path    string
	session string
	size    int64
	changed time.Time
	// shown is the figure on the screen, counted the figure from the transcript, both in percent; -1 if not known.
	shown, counted int
}

// NewContextMonitor returns a ContextMonitor.
func NewContextMonitor(observer *observe.Observer, conversations *conversation.Reader, now func() time.Time,
) *ContextMonitor {
	return &ContextMonitor{observer: observer, conversations: conversations, now: now}
}

// Note updates the monitor from a snapshot and its tracker.
func (g *ContextMonitor) Note(snapshot *core.Snapshot, tracker *observe.Tracker) {
	g.mu.Lock()
	defer g.mu.Unlock()
	before := g.panes
	g.panes = make(map[core.PaneID]*contextUse, len(before))
	moves := tracker.Moves()
	for _, pane := range snapshot.Panes() {
		if !pane.IsAgent() || pane.Process.Dead {
			continue
		}
		now := before[pane.ID]
		if now == nil || now.pane.Process.PID != pane.Process.PID || !now.pane.Agent.Started.Equal(pane.Agent.Started) {
			now = &contextUse{counted: -1}
		}
		now.pane, now.moved, now.shown = *pane, moves[pane.ID], tracker.ContextShown(pane)
		g.panes[pane.ID] = now
	}
}

// Used returns how much each agent has used, in percent, as far as known.
func (g *ContextMonitor) Used() map[core.PaneID]int {
	g.mu.Lock()
	defer g.mu.Unlock()
	used := make(map[core.PaneID]int, len(g.panes))
	for id, one := range g.panes {
		if one.shown >= 0 {
			used[id] = one.shown
		} else if one.counted >= 0 {
			used[id] = one.counted
		}
	}
	return used
}

// Run measures until ctx ends, and calls changed after each change.
func (g *ContextMonitor) Run(ctx context.Context, changed func()) {
	for g.observer != nil && ctx.Err() == nil {
		if g.measure(ctx) {
			changed()
		}
		_ = core.Sleep(ctx, contextEvery)
	}
}

// measure looks at the transcripts of agents whose screens moved lately, and reports
// whether one says something new.
func (g *ContextMonitor) measure(ctx context.Context) (news bool) {
	now := g.now()
	g.mu.Lock()
	due := make([]contextUse, 0, len(g.panes))
	seek := false
	for _, one := range g.panes {
		known := agent.Speaks(g.observer.KindOf(&one.pane)) || transcript.Keeps(one.pane.Agent.Kind)
		if !known || one.moved.Add(2*contextEvery).Before(one.readAt) {
			continue
		}
		due = append(due, *one)
		seek = seek || now.Sub(one.sought) >= findEvery
	}
	g.mu.Unlock()
	if seek {
		g.seek(ctx, due, now)
	}
	for i := range due {
		one := &due[i]
		one.readAt = now
		was := one.counted
		if !g.ask(ctx, one) {
			one.read(ctx, g.observer)
		}
		news = news || was != one.counted
		g.keep(one)
	}
	return news
}

// ask asks an agent by protocol, and reports whether it says how much it has used.
func (g *ContextMonitor) ask(ctx context.Context, one *contextUse) bool {
	if !agent.Speaks(g.observer.KindOf(&one.pane)) {
		return false
	}
	said := g.conversations.SaidContext(ctx, &one.pane)
	if said >= 0 {
		one.counted = said
	}
	return said >= 0
}

// keep takes over what was found of a pane, unless it holds another agent now.
func (g *ContextMonitor) keep(found *contextUse) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if one := g.panes[found.pane.ID]; one != nil && one.pane.Process.PID == found.pane.Process.PID {
		one.readAt, one.sought, one.path, one.session = found.readAt, found.sought, found.path, found.session
		one.size, one.changed, one.counted = found.size, found.changed, found.counted
	}
}

// seek finds the transcripts, which change as agents begin other conversations, with one request to the engine.
func (g *ContextMonitor) seek(ctx context.Context, due []contextUse, now time.Time) {
	seen, err := g.observer.Outline(ctx, observe.View{Dirs: true, Brief: true})
	if err != nil {
		return
	}
	places := g.conversations.Places(ctx, seen)
	for i := range due {
		one := &due[i]
		pane := seen.Snapshot.Pane(one.pane.ID)
		if now.Sub(one.sought) < findEvery || pane == nil {
			continue
		}
		one.sought = now
		if own, err := transcript.Identify(ctx, places.Of(pane)); err == nil && own.Certain {
			one.path, one.session = own.Path, own.Session
		}
	}
}

// read reads the transcript if it has grown.
func (one *contextUse) read(ctx context.Context, observer *observe.Observer) {
	if one.path == "" {
		return
	}
	info, err := os.Stat(one.path)
	switch {
	case err != nil:
		one.path = ""
		return
	case info.Size() == one.size && info.ModTime().Equal(one.changed):
		return
	}
	one.size, one.changed = info.Size(), info.ModTime()
	account, err := transcript.ReadPath(ctx, one.pane.Agent.Kind, one.path, one.session)
	said := conversation.Conversation{Pane: &one.pane, Account: account, Err: err}
	use := said.ContextUsed(observer.KindOf(&one.pane))
	if use.Percent >= 0 {
		one.counted = use.Percent
	}
}
