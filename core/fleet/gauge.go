package fleet

import (
	"context"
	"os"
	"sync"
	"time"

	"cupola/core"
	"cupola/core/agent"
	"cupola/core/engine"
	"cupola/core/transcript"
)

const (
	// gaugeEvery is how often context windows are measured of agents whose screens
	// move, and for how long after they have stopped.
	gaugeEvery = 5 * time.Second
	// findEvery is how often a transcript is looked for that is not known.
	findEvery = 30 * time.Second
)

// gauge knows how much of their context windows agents have used: what their
// screens say and, now and then, what their transcripts count. It reads one only
// where it has grown since. Without an observer it reads none.
type gauge struct {
	observer *observer

	mu    sync.Mutex
	panes map[core.PaneID]*gauged
}

// gauged is what is known of one agent.
type gauged struct {
	pane core.Pane
	// moved is when its screen last changed, looked when its transcript was last
	// looked at, and sought when that was last looked for.
	moved, looked, sought time.Time
	// path is its transcript, as it was when it was read: so large, and changed then.
	// session is the agent's own id.
	path    string
	session string
	size    int64
	changed time.Time
	// shown is what the screen says, counted what the transcript does, in percent; -1
	// is not known.
	shown, counted int
}

// note takes in a picture, with what is known of its panes.
func (g *gauge) note(picture *core.Snapshot, m *memory) {
	g.mu.Lock()
	defer g.mu.Unlock()
	before := g.panes
	g.panes = make(map[core.PaneID]*gauged, len(before))
	moves := m.moves()
	for _, pane := range picture.Panes() {
		if !pane.IsAgent() || pane.Process.Dead {
			continue
		}
		now := before[pane.ID]
		if now == nil || now.pane.Process.PID != pane.Process.PID || !now.pane.Agent.Started.Equal(pane.Agent.Started) {
			now = &gauged{counted: -1}
		}
		now.pane, now.moved, now.shown = *pane, moves[pane.ID], contextShown(pane, m)
		g.panes[pane.ID] = now
	}
}

// used is how much each agent has used, in percent, where that is known.
func (g *gauge) used() map[core.PaneID]int {
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

// run measures until ctx ends, and says when something has changed.
func (g *gauge) run(ctx context.Context, changed func()) {
	for g.observer != nil && ctx.Err() == nil {
		if g.measure(ctx) {
			changed()
		}
		pause(ctx, gaugeEvery)
	}
}

// measure looks at the transcripts of agents whose screens moved lately, and reports
// whether one says something new.
func (g *gauge) measure(ctx context.Context) (news bool) {
	now := g.observer.now()
	g.mu.Lock()
	due := make([]gauged, 0, len(g.panes))
	seek := false
	for _, one := range g.panes {
		if !transcript.Keeps(one.pane.Agent.Kind) || one.moved.Add(2*gaugeEvery).Before(one.looked) {
			continue
		}
		due = append(due, *one)
		seek = seek || one.path == "" && now.Sub(one.sought) >= findEvery
	}
	g.mu.Unlock()
	if seek {
		g.seek(ctx, due, now)
	}
	for i := range due {
		one := &due[i]
		one.looked = now
		was := one.counted
		one.read(ctx, g.observer)
		news = news || was != one.counted
		g.keep(one)
	}
	return news
}

// keep takes over what was found of a pane, unless it holds another agent now.
func (g *gauge) keep(found *gauged) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if one := g.panes[found.pane.ID]; one != nil && one.pane.Process.PID == found.pane.Process.PID {
		one.looked, one.sought, one.path, one.session = found.looked, found.sought, found.path, found.session
		one.size, one.changed, one.counted = found.size, found.changed, found.counted
	}
}

// seek looks for the transcripts that are not known, with one question to the engine.
func (g *gauge) seek(ctx context.Context, due []gauged, now time.Time) {
	listing, picture, err := g.observer.takeOf(ctx, View{Dirs: true, Brief: true}.detail(), nobodys, newMemory(false))
	if err != nil {
		return
	}
	places := placesOf(picture, tagsOf(&listing), nil)
	for i := range due {
		one := &due[i]
		pane := picture.Pane(one.pane.ID)
		if one.path != "" || now.Sub(one.sought) < findEvery || pane == nil {
			continue
		}
		one.sought = now
		if path, session, certain := transcript.Find(places.of(pane)); certain {
			one.path, one.session = path, session
		}
	}
}

// read reads the transcript if it has grown.
func (one *gauged) read(ctx context.Context, o *observer) {
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
	told, err := transcript.ReadPath(ctx, one.pane.Agent.Kind, one.path, one.session)
	use := contextOf(&recorded{pane: &one.pane, told: told, err: err}, o.kindOf(&one.pane))
	if use.Percent >= 0 {
		one.counted = use.Percent
	}
}

// contextShown is how much of its context window an agent's screen says is used, in
// percent; -1 where it does not. Only screens that warn of it are read.
func contextShown(pane *core.Pane, m *memory) int {
	if k := m.panes[pane.ID]; k != nil && k.sight != nil && pane.Status.Has(core.NoteContextLow) {
		return k.used
	}
	return -1
}

// contextOn reads that from a screen.
func contextOn(screen *core.Screen, kind *agent.Kind) int {
	if kind != nil && kind.Readable() {
		if shown, is := kind.Read(screen).ContextShown(); is {
			return shown.Percent
		}
	}
	return -1
}

// shownContext is what the screens of a picture say of context windows.
func shownContext(picture *core.Snapshot, m *memory) map[core.PaneID]int {
	used := map[core.PaneID]int{}
	for _, pane := range picture.Panes() {
		if percent := contextShown(pane, m); percent >= 0 {
			used[pane.ID] = percent
		}
	}
	return used
}

// tagsOf are the tags of the panes of a listing.
func tagsOf(listing *engine.Listing) map[core.PaneID]map[string]string {
	tags := make(map[core.PaneID]map[string]string, len(listing.Panes))
	for i := range listing.Panes {
		tags[listing.Panes[i].ID] = listing.Panes[i].Tags
	}
	return tags
}
