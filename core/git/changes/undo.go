package changes

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"cupola/core"
	"cupola/core/git"
)

// undoRefs is where the objects of acts are kept that can be taken back.
const undoRefs = "refs/cupola/undo/"

// Undo is the change that an act made to a tree, as git objects that Ref keeps.
type Undo struct {
	Root string `json:"root"`
	Ref  string `json:"ref"`
	// Paths are the files whose contents the act changed; empty for an act on the index or on commits.
	Paths []string `json:"paths,omitempty"`
	// Merge is true for an act that moved a clean tree to another commit.
	Merge  bool  `json:"merge,omitempty"`
	Before State `json:"before"`
	After  State `json:"after"`
}

// State is a tree at one moment. An empty field is unknown, or none.
type State struct {
	// Head is the commit that is checked out, Branch its branch.
	Head   string `json:"head,omitempty"`
	Branch string `json:"branch,omitempty"`
	// Index and Files are git trees: of the index, and of some files of the working tree.
	Index string `json:"index,omitempty"`
	Files string `json:"files,omitempty"`
}

// tracked is a tree while an act changes it.
type tracked struct {
	git  *git.Command
	undo Undo
}

// track begins the record of an act on a tree; paths are the files whose contents it will change.
func track(ctx context.Context, root string, environ []string, paths ...string) (*tracked, error) {
	t := &tracked{git: actor(root, environ), undo: Undo{Root: root, Paths: paths}}
	var err error
	t.undo.Before, err = t.observe(ctx)
	return t, err
}

// done ends the record of the act. It keeps its objects under a ref.
func (t *tracked) done(ctx context.Context) (*Undo, error) {
	var err error
	if t.undo.After, err = t.observe(ctx); err != nil {
		return nil, err
	}
	if err := keep(ctx, t.git, &t.undo); err != nil {
		return nil, err
	}
	return &t.undo, nil
}

// keep keeps the objects of an act: a commit of the files, whose parents are the commits and the indexes.
func keep(ctx context.Context, c *git.Command, u *Undo) error {
	args := []string{"commit-tree", "--no-gpg-sign", "-m", "cupola: state before an act"}
	for _, head := range []string{u.Before.Head, u.After.Head} {
		if head != "" && !slices.Contains(args, head) {
			args = append(args, "-p", head)
		}
	}
	own := asCupola(c)
	for _, tree := range []string{u.Before.Index, u.After.Index} {
		if tree == "" {
			continue
		}
		index, err := own.Line(ctx, "commit-tree", "--no-gpg-sign", "-m", "cupola: index", tree)
		if err != nil {
			return err
		}
		args = append(args, "-p", index)
	}
	tree := cmp.Or(u.Before.Files, u.Before.Index)
	if tree == "" {
		return nil // commits alone
	}
	kept, err := own.Line(ctx, append(args, tree)...)
	if err != nil {
		return err
	}
	u.Ref = undoRefs + kept[:16]
	_, err = own.Output(ctx, "update-ref", u.Ref, kept)
	return err
}

// asCupola is git whose commits are Cupola's.
func asCupola(c *git.Command) *git.Command {
	own := *c
	own.Env = append(slices.Clone(c.Env), "GIT_AUTHOR_NAME=Cupola", "GIT_AUTHOR_EMAIL=cupola@localhost",
		"GIT_COMMITTER_NAME=Cupola", "GIT_COMMITTER_EMAIL=cupola@localhost")
	return &own
}

// observe returns the state of the tree now.
func (t *tracked) observe(ctx context.Context) (s State, err error) {
	s.Head, s.Branch = heads(ctx, t.git)
	// An index with conflicts is no tree: the act is taken back without it.
	s.Index, _ = t.git.Line(ctx, "write-tree")
	if len(t.undo.Paths) > 0 {
		s.Files, err = filesOf(ctx, t.git, t.undo.Paths)
	}
	return s, err
}

// heads returns the commit that is checked out, and its branch; empty for none.
func heads(ctx context.Context, c *git.Command) (commit, branch string) {
	commit, err := c.Line(ctx, "rev-parse", "--verify", "--quiet", "HEAD")
	if err != nil {
		commit = ""
	}
	branch, err = c.Line(ctx, "symbolic-ref", "--quiet", "--short", "HEAD")
	if err != nil {
		branch = ""
	}
	return commit, branch
}

// indexVariable begins the entry of git's environment that names the file of the index.
const indexVariable = "GIT_INDEX_FILE="

// withIndex calls do with git on an index of its own, which is empty at first; its file is the last entry of Env.
func withIndex(c *git.Command, do func(*git.Command) error) error {
	dir, err := os.MkdirTemp("", "cupola-index-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // it is in the folder of temporary files
	own := *c
	own.Env = append(slices.Clone(c.Env), indexVariable+filepath.Join(dir, "index"))
	return do(&own)
}

// filesOf returns a git tree of some files as they are in the working tree. Those that are not there are not in it.
func filesOf(ctx context.Context, c *git.Command, paths []string) (tree string, err error) {
	var there []string
	for _, path := range paths {
		if _, err := os.Lstat(filepath.Join(c.Dir, path)); err == nil {
			there = append(there, path)
		}
	}
	err = withIndex(c, func(own *git.Command) error {
		if len(there) > 0 {
			if _, err := own.Output(ctx, append([]string{"add", "--force", "--"}, there...)...); err != nil {
				return err
			}
		}
		tree, err = own.Line(ctx, "write-tree")
		return err
	})
	return tree, err
}

// Revert takes an act back. It returns Conflict, and has changed nothing, where the tree is another than the act left
// it, or where others have its commit.
func Revert(ctx context.Context, u *Undo, environ []string) error {
	t := &tracked{git: actor(u.Root, environ), undo: *u}
	now, err := t.observe(ctx)
	if err != nil {
		return err
	}
	switch {
	case now.Head != u.After.Head || now.Branch != u.After.Branch:
		return changedSince(u, "another commit is checked out")
	case now.Files != u.After.Files:
		return changedSince(u, strings.Join(u.Paths, ", ")+" changed since")
	case u.After.Index != "" && u.After.Index != u.Before.Index && now.Index != u.After.Index:
		return changedSince(u, "more was staged since")
	}
	if u.Before.Head != u.After.Head {
		if err := t.uncommit(ctx); err != nil {
			return err
		}
	}
	if u.Before.Index != "" && u.Before.Index != u.After.Index && !u.Merge {
		if _, err := t.git.Output(ctx, "read-tree", u.Before.Index); err != nil {
			return err
		}
		// The times of files are read again; a file that differs is no failure.
		_, _ = t.git.Output(ctx, "update-index", "-q", "--refresh")
	}
	if u.Before.Files != u.After.Files {
		return t.putBack(ctx)
	}
	return nil
}

// changedSince is the error of an act that cannot be taken back any more.
func changedSince(u *Undo, why string) error {
	err := core.Errorf(core.Conflict, "%s: %s", u.Root, why)
	if u.Ref != "" {
		err.Hint = "What was there before is in git as " + u.Ref + "."
	}
	return err
}

// uncommit moves the branch back to the commit before the act.
func (t *tracked) uncommit(ctx context.Context) error {
	u := &t.undo
	others, err := t.git.Line(ctx, "for-each-ref", "--count=1", "--contains", u.After.Head, "refs/remotes")
	if err != nil {
		return err
	}
	if others != "" {
		e := changedSince(u, "the commit was pushed, so others may have it")
		core.AsError(e).Hint = "Revert it: git -C " + u.Root + " revert " + u.After.Head[:10]
		return e
	}
	if _, merge := t.git.Line(ctx, "rev-parse", "--verify", "--quiet", u.After.Head+"^2"); merge == nil && !u.Merge {
		return changedSince(u, "the commit ended a merge that was in progress, which does not come back")
	}
	switch {
	case u.Merge:
		_, err = t.git.Output(ctx, "reset", "--quiet", "--keep", u.Before.Head)
	case u.Before.Head == "":
		_, err = t.git.Output(ctx, "update-ref", "-d", "HEAD", u.After.Head)
	default:
		_, err = t.git.Output(ctx, "reset", "--quiet", "--soft", u.Before.Head)
	}
	if err != nil {
		return core.Errorf(core.Conflict, "%s: %w", u.Root, err)
	}
	return nil
}

// putBack gives the files of the act the contents that they had before it.
func (t *tracked) putBack(ctx context.Context) error {
	return withIndex(t.git, func(own *git.Command) error {
		if _, err := own.Output(ctx, "read-tree", t.undo.Before.Files); err != nil {
			return err
		}
		listed, err := own.Output(ctx, "ls-files", "-z")
		if err != nil {
			return err
		}
		had := strings.Split(listed, "\x00")
		for _, path := range t.undo.Paths {
			inside := func(file string) bool { return file == path || strings.HasPrefix(file, path+"/") }
			if slices.ContainsFunc(had, inside) {
				continue
			}
			if err := os.RemoveAll(filepath.Join(t.undo.Root, path)); err != nil {
				return fmt.Errorf("take %s away: %w", path, err)
			}
		}
		_, err = own.Output(ctx, "checkout-index", "--all", "--force")
		return err
	})
}

// Forget lets git remove the objects of an act.
func Forget(ctx context.Context, u *Undo, environ []string) error {
	if u.Ref == "" || !strings.HasPrefix(u.Ref, undoRefs) {
		return nil
	}
	_, err := actor(u.Root, environ).Output(ctx, "update-ref", "-d", u.Ref)
	return err
}

// Merged is the record of a merge that moved a branch from one commit to another.
func Merged(ctx context.Context, root, before string, environ []string) *Undo {
	c := actor(root, environ)
	u := &Undo{Root: root, Merge: true, Before: State{Head: before}}
	u.After.Head, u.After.Branch = heads(ctx, c)
	if before == "" || u.After.Head == before {
		return nil
	}
	u.Before.Branch = u.After.Branch
	u.Ref = undoRefs + u.After.Head[:16]
	if _, err := c.Output(ctx, "update-ref", u.Ref, u.After.Head); err != nil {
		u.Ref = ""
	}
	return u
}

// Head returns the commit that is checked out in a tree; empty for none.
func Head(ctx context.Context, root string, environ []string) string {
	commit, _ := heads(ctx, actor(root, environ))
	return commit
}
