package worklog

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"cupola/core"
	"cupola/core/agent/transcript"
	"cupola/core/fleet/conversation"
	"cupola/core/fleet/observe"
	"cupola/core/fleet/parallel"
	"cupola/core/git"
)

const (
	// surveyAtOnce is how many working trees are asked at once.
	surveyAtOnce = 4
	// surveyCommits is how many commits of a tree are read at most.
	surveyCommits = 500
	// surveyFiles is how many changed files of a tree are kept that are not committed, and as many that are. Files that
	// an agent edited by its own record are kept beyond.
	surveyFiles = 10_000
)

// survey looks at working trees once.
type survey struct {
	seen          *observe.Observation
	conversations *conversation.Reader
	environ       []string
	since         time.Time
	log           *slog.Logger

	trees []*WorkTree
	// edits are who changed a file with a tool of its own, by the file's path.
	edits map[string][]edit
}

// edit is a change of a file that an agent's record reports.
type edit struct {
	pane *core.Pane
	at   time.Time
}

// find finds the trees that panes of a session are in, or of all, with all the
// agents there, and the trees of panes that are gone.
func (s *survey) find(ctx context.Context, session string, gone ...departed) error {
	snapshot := s.seen.Snapshot
	roots := map[string]*WorkTree{}
	for _, pane := range snapshot.Panes() {
		tree, err := s.treeAt(ctx, roots, pane.Process.Dir)
		if err != nil {
			return err
		}
		if tree != nil {
			tree.enter(pane, snapshot.Session(pane.Session).Created)
		}
	}
	for i := range gone {
		one := &gone[i]
		if _, err := os.Stat(one.dir); err != nil || one.until.Before(s.since) {
			continue
		}
		tree, err := s.treeAt(ctx, roots, one.dir)
		if err != nil {
			return err
		}
		if tree != nil {
			tree.leave(one)
		}
	}
	for _, tree := range roots {
		if tree != nil && (session == "" || slices.Contains(tree.Sessions, session)) {
			s.trees = append(s.trees, tree)
		}
	}
	slices.SortFunc(s.trees, func(a, b *WorkTree) int { return strings.Compare(a.Root, b.Root) })
	return nil
}

// treeAt returns the tree that a folder is in, opened once; nil if it is in none.
func (s *survey) treeAt(ctx context.Context, roots map[string]*WorkTree, dir string) (*WorkTree, error) {
	if !filepath.IsAbs(dir) {
		return nil, nil
	}
	root := git.Above(resolved(dir))
	if root == "" {
		return nil, nil
	}
	tree, known := roots[root]
	if known {
		return tree, nil
	}
	opened, err := git.Open(ctx, root, s.environ)
	switch {
	case errors.Is(err, git.ErrMissing), ctx.Err() != nil:
		return nil, err
	case errors.Is(err, git.ErrNoTree):
	case err != nil:
		tree = &WorkTree{Root: root, Trouble: err.Error()}
	default:
		tree = &WorkTree{Root: opened.Root, tree: opened, Linked: opened.Common != filepath.Join(opened.Root, ".git")}
	}
	roots[root] = tree
	return tree, nil
}

// enter notes that a pane is in the tree, and when its session began.
func (t *WorkTree) enter(pane *core.Pane, began time.Time) {
	t.live = true
	t.holds(pane.Session, began)
	if pane.IsAgent() {
		t.Agents = append(t.Agents, pane.Ref())
		t.inside = append(t.inside,
			resident{PaneRef: pane.Ref(), dir: resolved(pane.Process.Dir), since: pane.Agent.Started})
	}
}

// holds notes a session in the tree, and when it began; zero is not known.
func (t *WorkTree) holds(session string, began time.Time) {
	t.began, t.vague = core.Earlier(t.began, began), t.vague || began.IsZero()
	if !slices.Contains(t.Sessions, session) {
		t.Sessions = append(t.Sessions, session)
	}
}

// resolved is a path without links, as git names its trees; itself if it does not
// exist.
func resolved(path string) string {
	if path, err := filepath.EvalSymlinks(path); err == nil {
		return path
	}
	return filepath.Clean(path)
}

// ask asks git about every tree.
func (s *survey) ask(ctx context.Context) {
	slots := make(chan struct{}, surveyAtOnce)
	var asked sync.WaitGroup
	for _, tree := range s.trees {
		if tree.Trouble != "" {
			continue
		}
		asked.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			s.askOf(ctx, tree)
		})
	}
	asked.Wait()
}

// askOf asks git about a tree, which must be done after readEdits.
func (s *survey) askOf(ctx context.Context, tree *WorkTree) {
	edited := func(change *git.Change) bool { return len(s.edits[filepath.Join(tree.Root, change.Path)]) > 0 }
	recent := func(change *git.Change) bool {
		at := changedAt(filepath.Join(tree.Root, change.Path))
		return !at.Before(s.since) && !tree.empty(at)
	}
	var logged error
	var log sync.WaitGroup
	log.Go(func() {
		tree.log, logged = tree.tree.Log(ctx, git.LogRequest{
			Since: s.since, Most: surveyCommits, Files: git.Bound{Most: surveyFiles, Always: edited},
		})
	})
	status, err := tree.tree.StatusWithin(ctx, git.Bound{Wants: recent, Most: surveyFiles, Always: edited})
	log.Wait()
	tree.status, tree.Head, tree.Branch = status, status.Head, status.Branch
	if err == nil {
		err = logged
	}
	if err != nil {
		tree.Trouble = err.Error()
	}
}

// readEdits reads from the agents' own records which files in the trees they edited.
// A record that may be another agent's is skipped.
func (s *survey) readEdits(ctx context.Context) {
	s.edits = map[string][]edit{}
	var panes []*core.Pane
	for _, pane := range s.seen.Snapshot.Panes() {
		if pane.IsAgent() && transcript.Keeps(pane.Agent.Kind) && len(s.trees) > 0 {
			panes = append(panes, pane)
		}
	}
	var mu sync.Mutex
	places := s.conversations.Places(ctx, s.seen)
	parallel.Each(panes, nil, "read", func(_ int, pane *core.Pane) {
		edits, certain, err := transcript.Edits(ctx, places.Of(pane), s.since)
		if err != nil && !errors.Is(err, transcript.ErrNone) {
			s.log.Debug("what an agent edited is not known", "pane", pane.Address(), "error", err)
		}
		if !certain {
			return
		}
		mu.Lock()
		defer mu.Unlock()
		for _, e := range edits {
			path := filepath.Join(resolved(filepath.Dir(e.Path)), filepath.Base(e.Path))
			s.edits[path] = append(s.edits[path], edit{pane, e.At})
		}
	})
}
