package fleet

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"cupola/core"
	"cupola/core/alert"
)

const (
	// conflictsEvery is how often files are looked at, in whose trees several agents
	// are of which one moved meanwhile.
	conflictsEvery = 30 * time.Second
	// disksEvery is how often file systems are asked how full they are.
	disksEvery = time.Minute
	// conflictsFor is for how long a change of a file counts.
	conflictsFor = time.Hour
)

// patrol looks now and then at what no picture shows: how full the disks are on
// which sessions work, and which files several agents change. Without an observer
// it looks at nothing.
type patrol struct {
	observer *observer
	environ  []string

	mu sync.Mutex
	// moved is when the screen of each agent last changed.
	moved map[core.PaneID]time.Time
	// looked is when files were last looked at, disksAt when disks were.
	looked, disksAt time.Time
	disks           []alert.Disk
	conflicts       []alert.Conflict
}

// note takes in when the agents of a picture last moved.
func (p *patrol) note(picture *core.Snapshot, moves map[core.PaneID]time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.moved = make(map[core.PaneID]time.Time, len(moves))
	for _, pane := range picture.Panes() {
		if pane.IsAgent() {
			p.moved[pane.ID] = moves[pane.ID]
		}
	}
}

// tell puts what was found last into facts.
func (p *patrol) tell(facts *alert.Facts) {
	p.mu.Lock()
	defer p.mu.Unlock()
	facts.Disks = p.disks
	facts.Conflicts = slices.DeleteFunc(slices.Clone(p.conflicts), func(c alert.Conflict) bool { return facts.Now.Sub(c.At) > conflictsFor })
}

// run looks until ctx ends, and says when something has changed.
func (p *patrol) run(ctx context.Context, changed func()) {
	for p.observer != nil {
		// Whoever stays only a moment need not look.
		pause(ctx, conflictsEvery)
		if ctx.Err() != nil {
			return
		}
		if p.look(ctx) {
			changed()
		}
	}
}

// look looks at what is due, and reports whether something is new.
func (p *patrol) look(ctx context.Context) (news bool) {
	now := p.observer.now()
	p.mu.Lock()
	disksDue := now.Sub(p.disksAt) >= disksEvery
	var moved []core.PaneID
	for id, at := range p.moved {
		if at.After(p.looked) {
			moved = append(moved, id)
		}
	}
	p.mu.Unlock()
	if !disksDue && len(moved) == 0 {
		return false
	}
	listing, picture, err := p.observer.takeOf(ctx, View{Dirs: true, Brief: true}.detail(), nobodys, newMemory(false))
	if err != nil || !picture.EngineUp {
		return false
	}
	if disksDue {
		disks := disksOf(foldersOf(picture))
		p.mu.Lock()
		news, p.disks, p.disksAt = !sameDisks(p.disks, disks), disks, now
		p.mu.Unlock()
	}
	if len(moved) == 0 {
		return news
	}
	s := &survey{observer: p.observer, environ: p.environ, since: now.Add(-conflictsFor), tags: tagsOf(&listing)}
	found := s.shared(ctx, picture, moved)
	if ctx.Err() != nil {
		return news
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, known := range p.conflicts {
		looked := slices.ContainsFunc(s.trees, func(tree *WorkTree) bool { return tree.Root == known.Tree })
		if !looked && now.Sub(known.At) <= conflictsFor {
			found = append(found, known)
		}
	}
	slices.SortFunc(found, func(a, b alert.Conflict) int {
		return cmp.Or(strings.Compare(a.Tree, b.Tree), strings.Compare(a.Path, b.Path))
	})
	news = news || !slices.EqualFunc(p.conflicts, found, alert.Conflict.Equal)
	p.conflicts, p.looked = found, now
	return news
}

// sameDisks reports whether nothing about disks changed that a rule could see: a
// hundredth of one is the least.
func sameDisks(a, b []alert.Disk) bool {
	return slices.EqualFunc(a, b, func(a, b alert.Disk) bool {
		return a.Path == b.Path && a.Total == b.Total && a.Free/(a.Total/100+1) == b.Free/(b.Total/100+1)
	})
}

// shared are the conflicts in trees where several agents are. Git is asked about
// them only where one of those moved.
func (s *survey) shared(ctx context.Context, picture *core.Snapshot, moved []core.PaneID) []alert.Conflict {
	conflicts := []alert.Conflict{}
	if err := s.find(ctx, picture, ""); err != nil {
		s.observer.log.Debug("working trees could not be found", "error", err)
		return conflicts
	}
	s.trees = slices.DeleteFunc(s.trees, func(tree *WorkTree) bool {
		return len(tree.inside) < 2 || !slices.ContainsFunc(tree.inside, func(one resident) bool { return slices.Contains(moved, one.Pane) })
	})
	if len(s.trees) == 0 {
		return conflicts
	}
	s.ask(ctx)
	s.readEdits(ctx, picture)
	for _, c := range s.work().Conflicts {
		if c.Worktrees {
			continue
		}
		conflict := alert.Conflict{Tree: c.Tree, Path: c.Path, At: c.At}
		for _, agent := range c.Agents {
			conflict.Panes = append(conflict.Panes, agent.Pane)
		}
		conflicts = append(conflicts, conflict)
	}
	return conflicts
}
