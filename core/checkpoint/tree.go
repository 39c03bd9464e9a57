package checkpoint

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"cupola/core/git"
)

// Tree is a git working tree as it stood.
type Tree struct {
	Top string `json:"top"`
	// Head is the commit; empty in a repository without any. Branch is empty
	// where none was checked out.
	Head   string `json:"head"`
	Branch string `json:"branch"`
	// Patch is a file in the checkpoint's folder that leads from Head to what was
	// there, untracked files too; empty where nothing had changed.
	Patch string `json:"patch"`
	// Changed counts the files in the patch, Untracked those of them that git did
	// not know.
	Changed   int `json:"changed"`
	Untracked int `json:"untracked"`
	// LeftOut are untracked files that were too large to be kept.
	LeftOut []string `json:"left_out"`
}

// at runs git in a folder, as long as it takes.
func at(dir string) *git.Command { return &git.Command{Dir: dir, Environ: os.Environ()} }

// Top is the top folder of the git tree that holds a folder; empty where none
// does, or there is no git.
func Top(ctx context.Context, dir string) string {
	top, err := at(dir).Line(ctx, "rev-parse", "--show-toplevel")
	if err != nil {
		return ""
	}
	return top
}

// ReadTree describes the tree that holds a folder and writes what has changed in
// it to the file patch, with untracked files of limit bytes at most together.
// Neither the tree nor its index nor its objects are touched. A folder in no
// tree, and a machine without git, give nil.
func ReadTree(ctx context.Context, dir, patch string, limit int64) (*Tree, error) {
	top := Top(ctx, dir)
	if top == "" {
		return nil, ctx.Err()
	}
	g := at(top)
	tree := &Tree{Top: top, LeftOut: []string{}}
	// Both fail where there is nothing to tell.
	tree.Head, _ = g.Line(ctx, "rev-parse", "--verify", "--quiet", "HEAD^{commit}")
	tree.Branch, _ = g.Line(ctx, "symbolic-ref", "--short", "--quiet", "HEAD")
	scratch, err := os.MkdirTemp("", "cupola-tree-")
	if err != nil {
		return nil, failed("read the tree "+top, err)
	}
	defer os.RemoveAll(scratch) //nolint:errcheck // the system tidies what is left
	if err := detach(ctx, g, scratch); err != nil {
		return nil, failed("read the tree "+top, err)
	}
	if err := tree.stage(ctx, g, limit); err != nil {
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
		"GIT_INDEX_FILE=" + own, "GIT_OBJECT_DIRECTORY=" + filepath.Join(scratch, "objects"), "GIT_ALTERNATE_OBJECT_DIRECTORIES=" + objects,
		"GIT_LITERAL_PATHSPECS=1",
	}
	return nil
}

// stage puts into the detached index what stands in the tree.
func (t *Tree) stage(ctx context.Context, g *git.Command, limit int64) error {
	listed, err := g.Output(ctx, "ls-files", "--others", "--exclude-standard", "-z")
	if err != nil {
		return err
	}
	var kept []string
	for name := range strings.SplitSeq(strings.TrimSuffix(listed, "\x00"), "\x00") {
		if name == "" {
			continue
		}
		info, err := os.Lstat(filepath.Join(t.Top, name))
		if err != nil || info.IsDir() || info.Size() > limit {
			t.LeftOut = append(t.LeftOut, name)
			continue
		}
		limit -= info.Size()
		kept = append(kept, name)
	}
	t.Untracked = len(kept)
	if _, err := g.Output(ctx, "add", "--update"); err != nil || len(kept) == 0 {
		return err
	}
	adding := *g
	adding.Stdin = strings.NewReader(strings.Join(kept, "\x00"))
	_, err = adding.Output(ctx, "add", "--pathspec-from-file=-", "--pathspec-file-nul")
	return err
}

// emptyTree is what a repository without commits has changed from.
const emptyTree = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"

// diff writes what the detached index holds and the commit does not.
func (t *Tree) diff(ctx context.Context, g *git.Command, patch string) error {
	from := t.Head
	if from == "" {
		from = emptyTree
	}
	options := []string{"diff", "--cached", "--no-ext-diff", "--no-textconv", "--no-color", "--no-renames", "--no-relative", "--ignore-submodules=all"}
	names, err := g.Output(ctx, append(options, "--name-only", "-z", from)...)
	if err != nil || names == "" {
		return err
	}
	t.Changed = strings.Count(names, "\x00")
	file, err := os.OpenFile(patch, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	err = g.Run(ctx, file, append(options, "--binary", "--full-index", "--src-prefix=a/", "--dst-prefix=b/", from)...)
	return errors.Join(err, file.Close())
}

// copyFile copies a file with the time of its last change.
func copyFile(to, from string) error {
	source, err := os.Open(from)
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
