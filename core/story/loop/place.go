package loop

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"cupola/core"
	"cupola/core/git"
	"cupola/core/story"
	"cupola/core/worktree"
)

// Plan sets the worktree and the branch of a run that begins in a folder, and makes nothing. It returns what makes
// them, and fails where none can be made.
func Plan(ctx context.Context, r *story.Run, environ []string) (*worktree.Making, error) {
	making, err := worktree.Prepare(ctx, r.Dir, environ)
	if err != nil {
		return nil, err
	}
	r.Worktree, r.Branch = making.Add(story.Group(r.Name), r.ID)
	err = making.Check(ctx)
	return making, err
}

// label is the name of a story's agents, worktree and prompts. It is unique among all runs, and plain.
func (r *run) label(p *story.Progress) string {
	n := slices.IndexFunc(r.Stories, func(other story.Progress) bool { return other.ID == p.ID })
	return fmt.Sprintf("%s-%d", r.ID, n+1)
}

// prepare makes what the run needs and is not there yet, and says what is done already.
func (r *run) prepare(ctx context.Context) error {
	if !isFolder(r.Worktree) {
		if r.Base != "" {
			return &core.Error{
				Code: core.ProjectNotFound, Message: "the worktree of the run is gone: " + r.Worktree,
				Hint:     "Its commits are on the branch " + r.Branch + ", if that was not removed.",
				Remedies: []core.Remedy{core.RemedyShowStory}, Subject: core.Subject{Run: r.ID},
			}
		}
		if err := r.make(ctx); err != nil {
			return err
		}
	}
	var err error
	if r.main, err = openTree(ctx, r.Worktree, r.Branch, r.loop.Environ); err != nil {
		return err
	}
	if !r.Ready {
		if err := r.begin(ctx); err != nil {
			return err
		}
	}
	r.forgiven = map[string]int{}
	for i := range r.Stories {
		p := &r.Stories[i]
		switch p.State {
		case story.GivenUp:
			r.forgiven[p.ID] = failures(p)
		case story.Done:
			// Its process may have ended before that.
			if err := r.leave(ctx, p); err != nil {
				return err
			}
		}
	}
	return nil
}

// make makes the worktree of the run. A killed process may have made a part of it.
func (r *run) make(ctx context.Context) (err error) {
	if r.main, err = openTree(ctx, r.Dir, "", r.loop.Environ); err != nil {
		return err
	}
	making, err := worktree.Prepare(ctx, r.Dir, r.loop.Environ)
	if err != nil {
		return err
	}
	making.Add(story.Group(r.Name), r.ID)
	if err := r.remove(ctx, r.Branch, worktree.Path(making.Top(), story.Group(r.Name), r.ID)); err != nil {
		return err
	}
	// A git that is killed leaves locks behind.
	if err := making.Make(context.WithoutCancel(ctx)); err != nil {
		return errors.Join(err, making.Undo(context.WithoutCancel(ctx)))
	}
	return nil
}

// begin brings the change as the user sees it into the worktree, sets it up, and lists its stories.
func (r *run) begin(ctx context.Context) error {
	// A killed process may have left only a part of it there.
	if _, err := r.main.line(ctx, "reset", "--hard", "--quiet"); err != nil {
		return err
	}
	head, err := r.main.head(ctx)
	if err != nil {
		return err
	}
	if r.Base == "" {
		r.Base = head
		if err := r.note(); err != nil {
			return err
		}
	}
	if err := r.carryOver(ctx); err != nil {
		return err
	}
	content, err := r.main.content(ctx)
	if err != nil {
		return err
	}
	if was, err := r.main.line(ctx, "rev-parse", head+"^{tree}"); err != nil || was != content {
		message := "The change " + r.Name + " as it is in the working tree\n\n" + runTrailer + ": " + r.ID + "\n"
		if _, err = r.main.commit(ctx, content, head, message); err != nil {
			return err
		}
	}
	if err := r.setUp(ctx, r.Worktree); err != nil {
		return err
	}
	if r.Source == story.OpenSpec || r.Source == story.Tasks {
		change, err := r.read(r.main, nil)
		if err != nil {
			return err
		}
		r.list(change)
	}
	r.Ready = true
	return r.note()
}

// list makes the stories of a change those of the run. Those without tasks, and those that are complete, are done.
func (r *run) list(change *story.Change) {
	r.Stories = make([]story.Progress, 0, len(change.Stories))
	for i := range change.Stories {
		s := &change.Stories[i]
		p := story.Progress{
			ID: s.ID, Title: s.Title, State: story.Open, After: s.After, TasksDone: s.TasksDone(),
			TasksTotal: len(s.Tasks),
			Tries:      []story.Try{},
		}
		if p.After == nil {
			p.After = []string{}
		}
		if s.Complete() {
			p.State = story.Done
		}
		r.Stories = append(r.Stories, p)
	}
}

// carryOver copies the files of the change, which may not be committed, into the worktree.
func (r *run) carryOver(ctx context.Context) error {
	if r.Source != story.OpenSpec && r.Source != story.Tasks {
		return nil
	}
	top, err := (&git.Command{Dir: r.Dir, Environ: r.loop.Environ}).Line(ctx, "rev-parse", "--show-toplevel")
	if err != nil {
		return core.Errorf(core.ProjectNotFound, "%w", err)
	}
	names := []string{r.Path}
	if r.Source == story.OpenSpec {
		// openspec/changes/NAME/tasks.md: what is known beside the changes, and this change.
		root := filepath.Dir(filepath.Dir(filepath.Dir(r.Path)))
		out, err := (&git.Command{Dir: top, Environ: r.loop.Environ}).Output(ctx, "ls-files", "--cached", "--others",
			"--exclude-standard", "-z", "--", root)
		if err != nil {
			return core.Errorf(core.IOError, "%w", err)
		}
		changes := filepath.Join(root, "changes") + "/"
		for name := range strings.SplitSeq(out, "\x00") {
			if name != "" && !strings.HasPrefix(name, changes) {
				names = append(names, name)
			}
		}
		if names, err = below(names, top, filepath.Dir(r.Path)); err != nil {
			return err
		}
	}
	for _, name := range names {
		if err := copyFile(filepath.Join(top, name), filepath.Join(r.main.root, name)); err != nil {
			return err
		}
	}
	return nil
}

// below adds the regular files in a folder of a working tree, ignored ones too.
func below(names []string, top, folder string) ([]string, error) {
	err := filepath.WalkDir(filepath.Join(top, folder), func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		name, err := filepath.Rel(top, path)
		names = append(names, name)
		return err
	})
	if err != nil {
		return nil, core.FileError("read the change", err)
	}
	return names, nil
}

// mostCopied is how large a file of a change may be, in bytes.
const mostCopied = 16 << 20

// copyFile makes a regular file the same in another place. One that is gone is left out.
func copyFile(from, to string) error {
	text, err := readSmall(from)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = os.MkdirAll(filepath.Dir(to), 0o755)
	}
	if err == nil {
		err = os.WriteFile(to, text, 0o644)
	}
	if err != nil {
		return core.FileError("copy "+from+" into the worktree", err)
	}
	return nil
}

// place returns the worktree in which a story is worked on, and makes it where there is none.
func (r *run) place(ctx context.Context, p *story.Progress) (*tree, error) {
	if r.Limits.Parallel == 1 && p.Worktree == "" {
		if p.Base == "" {
			head, err := r.main.head(ctx)
			if err != nil {
				return nil, err
			}
			p.Base = head
		}
		return r.main, r.note()
	}
	if p.Worktree == "" || !isFolder(p.Worktree) {
		if err := r.own(ctx, p); err != nil {
			return nil, err
		}
	}
	return openTree(ctx, p.Worktree, p.Branch, r.loop.Environ)
}

// own makes a worktree for one story, which begins with what is merged.
func (r *run) own(ctx context.Context, p *story.Progress) error {
	r.merging.Lock()
	defer r.merging.Unlock()
	making, err := worktree.Prepare(ctx, r.Worktree, r.loop.Environ)
	if err != nil {
		return err
	}
	dir, branch := making.Add(story.Group(r.Name), r.label(p))
	head, err := r.main.head(ctx)
	if err != nil {
		return err
	}
	if p.Branch == branch {
		path := worktree.Path(making.Top(), story.Group(r.Name), r.label(p))
		if err := r.discard(ctx, branch, path); err != nil {
			return err
		}
	}
	r.mu.Lock()
	p.Branch, p.Base = branch, head
	err = r.record()
	r.mu.Unlock()
	if err != nil {
		return err
	}
	// A git that is killed leaves locks behind.
	if err := making.Make(context.WithoutCancel(ctx)); err != nil {
		return errors.Join(err, making.Undo(context.WithoutCancel(ctx)))
	}
	t, err := openTree(ctx, dir, branch, r.loop.Environ)
	if err != nil {
		return err
	}
	// Files of the change that git ignores are in no commit.
	if r.Path != "" {
		names, err := below(nil, r.main.root, filepath.Dir(r.Path))
		if err != nil {
			return err
		}
		for _, name := range names {
			if _, err := os.Lstat(filepath.Join(t.root, name)); err == nil {
				continue
			}
			if err := copyFile(filepath.Join(r.main.root, name), filepath.Join(t.root, name)); err != nil {
				return err
			}
		}
	}
	if err := r.setUp(ctx, dir); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	p.Worktree = dir
	return r.record()
}

// discard removes the worktree of a story that a killed process did not complete, or the rest of one whose folder was
// removed. Its last commit is kept.
func (r *run) discard(ctx context.Context, branch, path string) error {
	if head, err := r.main.line(ctx, "rev-parse", "--verify", "--quiet", "refs/heads/"+branch); err == nil {
		if err := r.main.keep(ctx, r.ID, head); err != nil {
			return err
		}
	}
	return r.remove(ctx, branch, path)
}

// remove removes a worktree with its branch, as far as they are there.
func (r *run) remove(ctx context.Context, branch, path string) error {
	if _, err := os.Lstat(path); err == nil {
		if _, err := r.main.line(ctx, "worktree", "remove", "--force", "--force", path); err != nil {
			if err := os.RemoveAll(path); err != nil {
				return core.FileError("remove a worktree", err)
			}
		}
	}
	if _, err := r.main.line(ctx, "worktree", "prune"); err != nil {
		return err
	}
	if _, err := r.main.line(ctx, "rev-parse", "--verify", "--quiet", "refs/heads/"+branch); err != nil {
		return nil //nolint:nilerr // there is no such branch
	}
	_, err := r.main.line(ctx, "branch", "-D", "--", branch)
	return err
}

// finish makes one commit of all if that is wanted.
func (r *run) finish(ctx context.Context) error {
	if !r.Squash {
		return nil
	}
	return r.squash(ctx)
}

// squash makes one commit of all that is behind the base.
func (r *run) squash(ctx context.Context) error {
	head, err := r.main.head(ctx)
	if err != nil {
		return err
	}
	count, err := r.main.line(ctx, "rev-list", "--count", r.Base+".."+head)
	if err != nil || count == "0" || count == "1" {
		return err
	}
	if err := r.main.keep(ctx, r.ID, head); err != nil {
		return err
	}
	content, err := r.main.line(ctx, "rev-parse", head+"^{tree}")
	if err != nil {
		return err
	}
	var b strings.Builder
	b.WriteString(r.Name + "\n\n")
	for i := range r.Stories {
		p := &r.Stories[i]
		if p.Commit != "" {
			b.WriteString("- Story " + p.ID + ": " + strings.Join(strings.Fields(p.Title), " ") + "\n")
		}
	}
	b.WriteString("\n" + runTrailer + ": " + r.ID + "\n")
	commit, err := r.main.commit(ctx, content, r.Base, b.String())
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := range r.Stories {
		if r.Stories[i].Commit != "" {
			r.Stories[i].Commit = commit
		}
	}
	return r.record(story.Event{Type: story.Committed, Commit: commit, Text: "all stories in one commit"})
}
