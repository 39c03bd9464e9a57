package worklog

import (
	"cmp"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"cupola/core/git"
)

// work puts together what was found.
func (s *survey) work() *Work {
	w := &Work{Trees: []WorkTree{}, Files: []FileChange{}, Commits: []CommitMade{}}
	owners := s.owners()
	for _, tree := range s.trees {
		tree.log = slices.DeleteFunc(slices.Clone(tree.log), func(c git.Commit) bool {
			return owners[tree.common()+c.Hash] != tree || tree.empty(c.At)
		})
		w.Files = append(w.Files, s.filesOf(tree)...)
		w.Trees = append(w.Trees, *tree)
		for i := range tree.log {
			c := &tree.log[i]
			w.Commits = append(w.Commits, CommitMade{Tree: tree.Root, Commit: *c, Credit: s.creditCommit(tree, c)})
		}
	}
	slices.SortFunc(w.Files, func(a, b FileChange) int {
		return cmp.Or(b.At.Compare(a.At), strings.Compare(a.Tree, b.Tree), strings.Compare(a.Path, b.Path))
	})
	slices.SortStableFunc(w.Commits, func(a, b CommitMade) int { return b.At.Compare(a.At) })
	w.Conflicts = s.conflicts(w.Files)
	return w
}

// owners are the trees in which commits were made, by repository and hash. One that
// several trees have was made in the worktree of an agent who can have made it, or
// else in the repository itself.
func (s *survey) owners() map[string]*WorkTree {
	owners, worth := map[string]*WorkTree{}, map[string]int{}
	for _, tree := range s.trees {
		for i := range tree.log {
			c := &tree.log[i]
			known := s.creditCommit(tree, c).Session != ""
			value := 1
			switch {
			case known && tree.Linked:
				value = 4
			case known:
				value = 3
			case !tree.Linked:
				value = 2
			}
			if key := tree.common() + c.Hash; value > worth[key] {
				owners[key], worth[key] = tree, value
			}
		}
	}
	return owners
}

// common names the repository of a tree; empty where it is not known.
func (t *WorkTree) common() string {
	if t.tree == nil {
		return ""
	}
	return t.tree.Common
}

// filesOf are the files of a tree that changed: those that are not committed, and
// those in commits that were made there.
func (s *survey) filesOf(tree *WorkTree) []FileChange {
	var files []FileChange
	listed := map[string]bool{}
	tree.Left = tree.status.Left
	for _, change := range tree.status.Changes {
		at := changedAt(filepath.Join(tree.Root, change.Path))
		listed[change.Path] = true
		files = append(files, FileChange{
			Tree: tree.Root, Path: change.Path, Kind: change.Kind, At: at, Filter: change.Filter,
			Credit: s.credit(tree, change.Path, at),
		})
	}
	for i := range tree.log {
		c := &tree.log[i]
		tree.Left += c.Left
		for _, change := range c.Files {
			if listed[change.Path] {
				continue
			}
			listed[change.Path] = true
			files = append(files, FileChange{
				Tree: tree.Root, Path: change.Path, Kind: change.Kind, At: c.At, Commit: c.Hash,
				Credit: s.credit(tree, change.Path, c.At),
			})
		}
	}
	return files
}

// changedAt is when a file was last written; of one that is gone, when its folder
// was, or the nearest one that is left.
func changedAt(path string) time.Time {
	for {
		if info, err := os.Lstat(path); err == nil {
			return info.ModTime().UTC()
		}
		if path == filepath.Dir(path) {
			return time.Time{}
		}
		path = filepath.Dir(path)
	}
}

// credit says who changed a file of a tree by a time.
func (s *survey) credit(tree *WorkTree, path string, at time.Time) Credit {
	whole := filepath.Join(tree.Root, path)
	if edits := s.edits[whole]; len(edits) > 0 {
		last := slices.MaxFunc(edits, func(a, b edit) int { return a.at.Compare(b.at) })
		return Credit{PaneRef: last.pane.Ref(), By: CreditTranscript}
	}
	if !tree.vague && at.Before(tree.began) {
		return Credit{By: CreditBefore}
	}
	inside := tree.at(at)
	if len(inside) == 1 {
		if one := inside[0]; !at.Before(one.since) {
			by := CreditFolder
			if tree.Linked {
				by = CreditWorktree
			}
			return Credit{PaneRef: one.PaneRef, By: by}
		}
		return Credit{By: CreditUnknown}
	}
	// Of several, the one that works deepest in the part of the tree where it is.
	var nearest []resident
	for _, one := range inside {
		if one.dir == tree.Root || !strings.HasPrefix(whole, one.dir+string(filepath.Separator)) ||
			at.Before(one.since) {
			continue
		}
		if len(nearest) > 0 && len(one.dir) > len(nearest[0].dir) {
			nearest = nil
		}
		if len(nearest) == 0 || len(one.dir) == len(nearest[0].dir) {
			nearest = append(nearest, one)
		}
	}
	if len(nearest) == 1 {
		return Credit{PaneRef: nearest[0].PaneRef, By: CreditFolder}
	}
	return Credit{By: CreditUnknown}
}

// creditCommit returns the author of a commit: the agent that all its files are credited to.
func (s *survey) creditCommit(tree *WorkTree, c *git.Commit) Credit {
	var made Credit
	for i, change := range c.Files {
		credit := s.credit(tree, change.Path, c.At)
		switch {
		case credit.Session == "":
			return credit
		case i > 0 && !credit.Same(made.PaneRef):
			return Credit{By: CreditUnknown}
		case i == 0:
			made = credit
		}
	}
	switch {
	case c.Left > 0 && len(tree.at(c.At)) > 1:
		return Credit{By: CreditUnknown}
	case len(c.Files) == 0:
		return s.credit(tree, ".", c.At)
	}
	return made
}

// conflicts are the files that several agents changed: as their records report
// one file, or each in a worktree of one repository.
func (s *survey) conflicts(files []FileChange) []FileConflict {
	found := []FileConflict{}
	inRepository := map[string][]FileChange{}
	commons := map[string]string{}
	for _, tree := range s.trees {
		commons[tree.Root] = tree.common()
	}
	for _, file := range files {
		var agents []Credit
		for _, e := range s.edits[filepath.Join(file.Tree, file.Path)] {
			agents = withCredit(agents, Credit{PaneRef: e.pane.Ref(), By: CreditTranscript})
		}
		if len(agents) > 1 {
			found = append(found,
				FileConflict{Tree: file.Tree, Path: file.Path, At: file.At, Agents: agents, Trees: []string{file.Tree}})
		}
		if file.Session != "" && commons[file.Tree] != "" {
			key := commons[file.Tree] + "\x00" + file.Path
			inRepository[key] = append(inRepository[key], file)
		}
	}
	for _, changes := range inRepository {
		var agents []Credit
		trees := map[string]bool{}
		for _, change := range changes {
			trees[change.Tree] = true
			agents = withCredit(agents, change.Credit)
		}
		if len(trees) > 1 && len(agents) > 1 {
			found = append(found, FileConflict{
				Tree: changes[0].Tree, Path: changes[0].Path, At: changes[0].At, Worktrees: true, Agents: agents,
				Trees: slices.Sorted(maps.Keys(trees)),
			})
		}
	}
	slices.SortFunc(found, func(a, b FileConflict) int {
		return cmp.Or(b.At.Compare(a.At), strings.Compare(a.Tree, b.Tree), strings.Compare(a.Path, b.Path))
	})
	return found
}

// withCredit adds an agent to those credited, in the order of their panes.
func withCredit(agents []Credit, credit Credit) []Credit {
	if slices.ContainsFunc(agents, func(c Credit) bool { return c.Same(credit.PaneRef) }) {
		return agents
	}
	agents = append(agents, credit)
	slices.SortFunc(agents, func(a, b Credit) int {
		return cmp.Or(strings.Compare(a.Session, b.Session), cmp.Compare(a.Ordinal, b.Ordinal))
	})
	return agents
}
