package checkpoint

import (
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"cupola/core/git"
	"cupola/core/system/plainfile"
)

// Tree is the recorded state of a git working tree.
type Tree struct {
	Top string `json:"top"`
	// Head is the commit; empty in a repository without any. Branch is empty
	// where none was checked out.
	Head   string `json:"head"`
	Branch string `json:"branch"`
	// Patch is a file in the checkpoint's folder with the changes since Head, untracked
	// files included; empty if nothing had changed.
	Patch string `json:"patch"`
	// Changed counts the files in the patch, Untracked those of them that git did not
	// track.
	Changed   int `json:"changed"`
	Untracked int `json:"untracked"`
	// LeftOut are untracked files that were too large to be recorded.
	LeftOut []string `json:"left_out"`
	// Filtered are files to which a git filter applies. A checkpoint runs no filter, so it
	// cannot know whether they changed, and the patch omits them.
	Filtered []string `json:"filtered"`
}

// at runs git in a folder, as long as it takes.
func at(dir string) *git.Command { return &git.Command{Dir: dir, Environ: os.Environ()} }

// Top returns the root of the git working tree that contains a folder; empty if there is
// none, or git is not installed. It returns an error if git fails.
func Top(ctx context.Context, dir string) (string, error) {
	tree, err := open(ctx, dir)
	if tree == nil {
		return "", err
	}
	return tree.Root, nil
}

// open is the git tree that holds a folder; nil where none does, or there is no git.
func open(ctx context.Context, dir string) (*git.Tree, error) {
	tree, err := git.Open(ctx, dir, os.Environ())
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, git.ErrNoTree), errors.Is(err, git.ErrMissing):
		return nil, nil
	}
	return tree, err
}

// ReadTree describes the tree that holds a folder and writes what has changed in
// it to the file patch, with untracked files of limit bytes at most together.
// Neither the tree nor its index nor its objects are touched: those that git needs are beside patch meanwhile. A folder
// in no tree, and a machine without git, give nil.
func ReadTree(ctx context.Context, dir, patch string, limit int64) (*Tree, error) {
	opened, err := open(ctx, dir)
	switch {
	case err != nil:
		return nil, failed("read the tree that holds "+dir, err)
	case opened == nil:
		return nil, nil //nolint:nilnil // no tree is no error
	}
	top := opened.Root
	g := at(top)
	tree := &Tree{Top: top, LeftOut: []string{}, Filtered: []string{}}
	// Both fail where there is nothing to report.
	tree.Head, _ = g.Line(ctx, "rev-parse", "--verify", "--quiet", "HEAD^{commit}")
	tree.Branch, _ = g.Line(ctx, "symbolic-ref", "--short", "--quiet", "HEAD")
	scratch, err := os.MkdirTemp(filepath.Dir(patch), ".tree-")
	if err != nil {
		return nil, failed("read the tree "+top, err)
	}
	defer os.RemoveAll(scratch) //nolint:errcheck // it is in the draft, which the next checkpoint removes
	if err := detach(ctx, g, scratch); err != nil {
		return nil, failed("read the tree "+top, err)
	}
	if err := tree.stage(ctx, g, scratch, limit); err != nil {
		return nil, failed("read the tree "+top, err)
	}
	if err := tree.diff(ctx, g, patch); err != nil {
		return nil, failed("read the tree "+top, err)
	}
	return tree, nil
}

// detach gives git an index and a store of objects of its own, which begin as
// those of the repository.
func detach(ctx context.Context, g *git.Command, scratch string) error {
	index, err := g.Line(ctx, "rev-parse", "--path-format=absolute", "--git-path", "index")
	if err != nil {
		return err
	}
	objects, err := g.Line(ctx, "rev-parse", "--path-format=absolute", "--git-path", "objects")
	if err != nil {
		return err
	}
	own := filepath.Join(scratch, "index")
	// git trusts what its index says of a file only if the index is the newer one.
	if err := copyFile(own, index); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := os.Mkdir(filepath.Join(scratch, "objects"), 0o700); err != nil {
		return err
	}
	g.Env = []string{
		"GIT_INDEX_FILE=" + own, "GIT_OBJECT_DIRECTORY=" + filepath.Join(scratch, "objects"),
		"GIT_ALTERNATE_OBJECT_DIRECTORIES=" + objects, "GIT_LITERAL_PATHSPECS=1",
	}
	return nil
}

// stage adds the files of the tree to the detached index, but for those in scratch: the tree may hold that folder.
func (t *Tree) stage(ctx context.Context, g *git.Command, scratch string, limit int64) error {
	if resolved, err := filepath.EvalSymlinks(scratch); err == nil {
		scratch = resolved
	}
	listed, err := names(ctx, g, "ls-files", "--others", "--exclude-standard", "-z")
	if err != nil {
		return err
	}
	var kept []string
	for _, name := range listed {
		path := filepath.Join(t.Top, name)
		if strings.HasPrefix(path, scratch+string(filepath.Separator)) {
			continue
		}
		info, err := os.Lstat(path)
		if err != nil || info.IsDir() || info.Size() > limit {
			t.LeftOut = append(t.LeftOut, name)
			continue
		}
		limit -= info.Size()
		kept = append(kept, name)
	}
	touched, err := names(ctx, g, "diff-files", "--name-only", "--ignore-submodules=all", "-z")
	if err != nil {
		return err
	}
	// Only the filter knows the result for a file under it.
	under, err := g.Filtered(ctx, slices.Concat(touched, kept))
	if err != nil {
		return err
	}
	maps.DeleteFunc(under, func(name, _ string) bool {
		_, err := os.Lstat(filepath.Join(t.Top, name))
		return err != nil
	})
	filtered := func(name string) bool { return under[name] != "" }
	kept, touched = slices.DeleteFunc(kept, filtered), slices.DeleteFunc(touched, filtered)
	t.Filtered, t.Untracked = slices.AppendSeq(t.Filtered, maps.Keys(under)), len(kept)
	slices.Sort(t.Filtered)
	adding := *g
	adding.Stdin = strings.NewReader(strings.Join(slices.Concat(touched, kept), "\x00"))
	// Unlike git add, this asks no submodule what changed in it, which would run what
	// its settings name.
	_, err = adding.Output(ctx, "update-index", "--add", "--remove", "--replace", "-z", "--stdin")
	return err
}

// names returns the output of a git command that separates names with NULs.
func names(ctx context.Context, g *git.Command, args ...string) ([]string, error) {
	listed, err := g.Output(ctx, args...)
	return git.Names(listed), err
}

// emptyTree is the hash of the empty tree; the patch of a repository without commits starts from it.
const emptyTree = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"

// diff writes what the detached index holds and the commit does not.
func (t *Tree) diff(ctx context.Context, g *git.Command, patch string) error {
	from := cmp.Or(t.Head, emptyTree)
	options := []string{
		"diff", "--cached", "--no-ext-diff", "--no-textconv", "--no-color", "--no-renames",
		"--no-relative", "--ignore-submodules=all", "--submodule=short",
	}
	changed, err := names(ctx, g, append(options, "--name-only", "-z", from)...)
	if err != nil || len(changed) == 0 {
		return err
	}
	t.Changed = len(changed)
	file, err := os.OpenFile(patch, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	err = g.Run(ctx, file, append(options, "--binary", "--full-index", "--src-prefix=a/", "--dst-prefix=b/", from)...)
	return errors.Join(err, file.Close())
}

// copyFile copies a file with the time of its last change.
func copyFile(to, from string) error {
	source, err := plainfile.Open(from)
	if err != nil {
		return err
	}
	defer source.Close()
	info, err := source.Stat()
	if err != nil {
		return err
	}
	target, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(target, source)
	return errors.Join(err, target.Close(), os.Chtimes(to, time.Time{}, info.ModTime()))
}
