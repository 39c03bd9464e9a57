package measure

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"cupola/core"
	"cupola/core/alert"
	"cupola/core/fleet/observe"
	"cupola/core/fleet/worklog"
)

const (
	// conflictsEvery is how often files are checked in trees with several agents if one of
	// them moved meanwhile.
	conflictsEvery = 30 * time.Second
	// disksEvery is how often file systems are asked how full they are.
	disksEvery = time.Minute
	// conflictsFor is for how long a change of a file counts.
	conflictsFor = time.Hour
)

// TreeMonitor polls how full the disks are on which sessions work, and which files several agents
// change. The zero value polls nothing.
type TreeMonitor struct {
	observer *observe.Observer
	surveyor *worklog.Surveyor
	now      func() time.Time

	mu sync.Mutex
	// moved is when the screen of each agent last changed.
	moved map[core.PaneID]time.Time
	// surveyed is when files were last looked at, disksAt when disks were.
	surveyed, disksAt time.Time
	disks             []alert.Disk
	conflicts         []alert.Conflict
}

// NewTreeMonitor returns a TreeMonitor.
func NewTreeMonitor(observer *observe.Observer, surveyor *worklog.Surveyor, now func() time.Time) *TreeMonitor {
	return &TreeMonitor{observer: observer, surveyor: surveyor, now: now}
}

// Note updates the monitor from a snapshot and the times at which its panes last changed.
func (p *TreeMonitor) Note(snapshot *core.Snapshot, moves map[core.PaneID]time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.moved = make(map[core.PaneID]time.Time, len(moves))
	for _, pane := range snapshot.Panes() {
		if pane.IsAgent() {
			p.moved[pane.ID] = moves[pane.ID]
		}
	}
}

// Fill stores the last results in facts.
func (p *TreeMonitor) Fill(facts *alert.Facts) {
	p.mu.Lock()
	defer p.mu.Unlock()
	facts.Disks = p.disks
	facts.Conflicts = slices.DeleteFunc(slices.Clone(p.conflicts),
		func(c alert.Conflict) bool { return facts.Now.Sub(c.At) > conflictsFor })
}

// Run polls until ctx ends, and calls changed after each change.
func (p *TreeMonitor) Run(ctx context.Context, changed func()) {
	for p.observer != nil {
		// A process that ends soon need not look.
		_ = core.Sleep(ctx, conflictsEvery)
		if ctx.Err() != nil {
			return
		}
		if p.poll(ctx) {
			changed()
		}
	}
}

// poll looks at what is due, and reports whether something is new.
func (p *TreeMonitor) poll(ctx context.Context) (news bool) {
	now := p.now()
	p.mu.Lock()
	disksDue := now.Sub(p.disksAt) >= disksEvery
	var moved []core.PaneID
	for id, at := range p.moved {
		if at.After(p.surveyed) {
			moved = append(moved, id)
		}
	}
	p.mu.Unlock()
	if !disksDue && len(moved) == 0 {
		return false
	}
	seen, err := p.observer.Outline(ctx, observe.View{Dirs: true, Brief: true})
	if err != nil || !seen.Snapshot.EngineUp {
		return false
	}
	if disksDue {
		disks := DisksOf(FoldersOf(seen.Snapshot))
		p.mu.Lock()
		news, p.disks, p.disksAt = !sameDisks(p.disks, disks), disks, now
		p.mu.Unlock()
	}
	if len(moved) == 0 {
		return news
	}
	found, roots := p.surveyor.Conflicts(ctx, seen, now.Add(-conflictsFor), moved)
	if ctx.Err() != nil {
		return news
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, known := range p.conflicts {
		if !slices.Contains(roots, known.Tree) && now.Sub(known.At) <= conflictsFor {
			found = append(found, known)
		}
	}
	slices.SortFunc(found, func(a, b alert.Conflict) int {
		return cmp.Or(strings.Compare(a.Tree, b.Tree), strings.Compare(a.Path, b.Path))
	})
	news = news || !slices.EqualFunc(p.conflicts, found, alert.Conflict.Equal)
	p.conflicts, p.surveyed = found, now
	return news
}

// sameDisks reports whether nothing about disks changed that a rule could see: a
// hundredth of one is the least.
func sameDisks(a, b []alert.Disk) bool {
	return slices.EqualFunc(a, b, func(a, b alert.Disk) bool {
		return a.Path == b.Path && a.Total == b.Total && a.Free/(a.Total/100+1) == b.Free/(b.Total/100+1)
	})
}
