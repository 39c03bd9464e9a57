package checkpoint

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"cupola/core"
	"cupola/core/git"
	"cupola/core/system/plainfile"
)

// Apply applies the patches of the checkpoint in dir to its trees, all or none, even if ctx
// ends meanwhile. Each tree must be clean, and its patch must apply; otherwise Apply
// returns CheckpointFailed and has changed nothing. undo reverts all patches.
func (c *Checkpoint) Apply(ctx context.Context, dir string) (undo func(context.Context) error, err error) {
	if err := c.Check(ctx, dir); err != nil {
		return nil, err
	}
	var done []Tree
	undo = func(ctx context.Context) error {
		errs := core.Map(done, func(t Tree) error { return t.apply(ctx, dir, "--reverse") })
		return errors.Join(errs...)
	}
	for i := range c.Trees {
		if c.Trees[i].Patch == "" {
			continue
		}
		// Cut off, git would leave a part of it.
		if err := c.Trees[i].apply(context.WithoutCancel(ctx), dir); err != nil {
			err = refused(&c.Trees[i], "the patch could not be applied", err)
			return nil, errors.Join(err, undo(context.WithoutCancel(ctx)))
		}
		done = append(done, c.Trees[i])
	}
	return undo, nil
}

// Check returns CheckpointFailed if Apply would. It changes nothing.
func (c *Checkpoint) Check(ctx context.Context, dir string) error {
	for i := range c.Trees {
		t := &c.Trees[i]
		if t.Patch == "" {
			continue
		}
		tree, err := git.Open(ctx, t.Top, os.Environ())
		if err != nil || !sameFolder(tree.Root, t.Top) {
			return refused(t, "it is no git tree any more", err)
		}
		status, err := tree.Status(ctx)
		if err != nil {
			return refused(t, "it cannot be read", err)
		}
		// Whether a file under a filter changed is not known, and no patch has one.
		if slices.ContainsFunc(status.Changes, func(c git.Change) bool { return c.Filter == "" }) {
			e := refused(t, "it has changes of its own", nil)
			e.Remedies = []core.Remedy{core.RemedyOmitPatches}
			return e
		}
		if err := t.apply(ctx, dir, "--check"); err != nil {
			return refused(t, "the patch does not fit what is there", err)
		}
	}
	return nil
}

// Moved reports whether the tree's checked-out commit differs from Head.
func (t *Tree) Moved(ctx context.Context) bool {
	head, err := at(t.Top).Line(ctx, "rev-parse", "--verify", "--quiet", "HEAD^{commit}")
	return err != nil && t.Head != "" || head != t.Head
}

func (t *Tree) apply(ctx context.Context, dir string, options ...string) error {
	patch, err := filepath.Abs(filepath.Join(dir, filepath.FromSlash(t.Patch)))
	if err != nil {
		return err
	}
	// git would wait for one that has no end.
	file, err := plainfile.Open(patch)
	if err != nil {
		return err
	}
	if err := file.Close(); err != nil {
		return err
	}
	_, err = at(t.Top).Output(ctx, append(append([]string{"apply", "--whitespace=nowarn"}, options...), "--", patch)...)
	return err
}

func sameFolder(a, b string) bool {
	first, err := os.Stat(a)
	if err != nil {
		return false
	}
	second, err := os.Stat(b)
	return err == nil && os.SameFile(first, second)
}

func refused(t *Tree, why string, err error) *core.Error {
	e := &core.Error{
		Code: core.CheckpointFailed, Message: fmt.Sprintf("tree %s: %s", t.Top, why), Err: err,
		Details: map[string]string{"tree": t.Top, "patch": t.Patch, "why": why},
	}
	if err != nil {
		e.Message += ": " + err.Error()
	}
	return e
}
