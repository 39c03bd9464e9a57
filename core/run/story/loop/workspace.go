package loop

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"cupola/core"
	"cupola/core/git"
	"cupola/core/git/worktree"
	"cupola/core/run/story"
	"cupola/core/system/plainfile"
)

// Plan sets the worktree and the branch of a run that begins in a folder, and makes nothing. It returns what makes
// them, and fails where none can be made.
func Plan(ctx context.Context, r *story.Run, trees worktree.Options) (*worktree.Making, error) {
	making, added, err := prepare(ctx, r.Dir, trees, r.Name, r.ID)
	if err != nil {
		return nil, err
	}
	r.Worktree, r.Branch = added.Dir, added.Branch
	err = making.Check(ctx)
	return making, err
}

// prepare prepares the worktree of a run of stories, or of one of them. Its branch has the usual name: the run knows
// by it what is its own.
func prepare(ctx context.Context, dir string, trees worktree.Options, run, label string) (*worktree.Making,
	worktree.Added, error,
) {
	trees.Branch, trees.Start = worktree.DefaultBranch, worktree.Start{}
	making, err := worktree.Prepare(ctx, dir, trees)
	if err != nil {
		return nil, worktree.Added{}, err
	}
	added, err := making.Add(ctx, story.Group(run), label)
	return making, added, err
}

// workspace is the worktree of a run, and those of its stories that have their own.
type workspace struct {
	rec     *recorder
	files   story.Files
	environ []string
	trees   worktree.Options
	log     *slog.Logger
	main    *tree
	// merging is held by who changes the worktree of a run whose stories have their own.
	merging sync.Mutex
}

// label is the name of a story's agents, worktree and prompts. It is unique among all runs, and plain.
func (s *workspace) label(p *story.Progress) string {
	n := 0
	for s.rec.Stories[n].ID != p.ID { // the rest of a story changes meanwhile
		n++
	}
	return fmt.Sprintf("%s-%d", s.rec.ID, n+1)
}

// open opens the worktree of a run that is there.
func (s *workspace) open(ctx context.Context) (err error) {
	s.main, err = openTree(ctx, s.rec.Worktree, s.rec.Branch, s.environ)
	return err
}

// prepare makes what the run needs and is not there yet, and removes what killed processes left.
func (s *workspace) prepare(ctx context.Context) error {
	if !plainfile.IsFolder(s.rec.Worktree) {
		if s.rec.Base != "" {
			return &core.Error{
				Code: core.ProjectNotFound, Message: "the worktree of the run is gone: " + s.rec.Worktree,
				Hint:     "Its commits are on the branch " + s.rec.Branch + ", if that was not removed.",
				Remedies: []core.Remedy{core.RemedyShowRun}, Subject: core.Subject{Run: s.rec.ID},
			}
		}
		if err := s.make(ctx); err != nil {
			return err
		}
	}
	if err := s.open(ctx); err != nil {
		return err
	}
	if !s.rec.Ready {
		if err := s.begin(ctx); err != nil {
			return err
		}
	}
	if s.rec.Limits.Parallel > 1 {
		// Stories are merged here and nothing else is done.
		head, err := s.main.head(ctx)
		if err == nil {
			err = s.main.reset(ctx, s.rec.ID, head)
		}
		if err != nil {
			return err
		}
	}
	for i := range s.rec.Stories {
		if p := &s.rec.Stories[i]; p.State == story.Done {
			if err := s.leave(ctx, p); err != nil {
				return err
			}
		}
	}
	return nil
}

// make makes the worktree of the run. A killed process may have made a part of it.
func (s *workspace) make(ctx context.Context) error {
	user, err := openTree(ctx, s.rec.Dir, "", s.environ)
	if err != nil {
		return err
	}
	making, _, err := prepare(ctx, s.rec.Dir, s.trees, s.rec.Name, s.rec.ID)
	if err != nil {
		return err
	}
	if err := user.removeTree(ctx, s.rec.Branch, making.Path(0)); err != nil {
		return err
	}
	return complete(ctx, making)
}

// complete makes worktrees, all or none. It is not cut off: a git that is killed leaves locks behind.
func complete(ctx context.Context, making *worktree.Making) error {
	ctx = context.WithoutCancel(ctx)
	if err := making.Make(ctx); err != nil {
		return errors.Join(err, making.Undo(ctx))
	}
	return nil
}

// begin brings the change as the user sees it into the worktree, sets it up, and lists its stories.
func (s *workspace) begin(ctx context.Context) error {
	// A killed process may have left only a part of it there.
	if _, err := s.main.line(ctx, "reset", "--hard", "--quiet"); err != nil {
		return err
	}
	head, err := s.main.head(ctx)
	if err != nil {
		return err
	}
	if s.rec.Base == "" {
		s.rec.Base = head
		if err := s.rec.note(); err != nil {
			return err
		}
	}
	if err := s.carryOver(ctx); err != nil {
		return err
	}
	content, err := s.main.content(ctx)
	if err != nil {
		return err
	}
	if was, err := s.main.line(ctx, "rev-parse", head+"^{tree}"); err != nil || was != content {
		message := fmt.Sprintf("The change %s as it is in the working tree\n\n%s: %s\n", s.rec.Name, runTrailer,
			s.rec.ID)
		commit, err := s.main.commit(ctx, content, head, message)
		if err == nil {
			err = s.main.point(ctx, commit)
		}
		if err != nil {
			return err
		}
	}
	if err := s.setUp(ctx, s.rec.Worktree); err != nil {
		return err
	}
	if s.rec.Source.InRepository() {
		change, err := s.list(s.main, nil)
		if err != nil {
			return err
		}
		s.rec.Stories = make([]story.Progress, 0, len(change.Stories))
		for i := range change.Stories {
			s.rec.Stories = append(s.rec.Stories, story.ProgressOf(&change.Stories[i]))
		}
	}
	s.rec.Ready = true
	return s.rec.note()
}

// carryOver copies the change, which may not be committed, from the user's working tree into the worktree.
func (s *workspace) carryOver(ctx context.Context) error {
	if !s.rec.Source.InRepository() {
		return nil
	}
	top, err := (&git.Command{Dir: s.rec.Dir, Environ: s.environ}).Line(ctx, "rev-parse", "--show-toplevel")
	if err != nil {
		return core.Errorf(core.ProjectNotFound, "%w", err)
	}
	names, err := s.changeFiles(top)
	if err != nil {
		return err
	}
	if s.rec.Source == story.OpenSpec {
		// openspec/changes/NAME/tasks.md: what is known beside the changes is part of each.
		root := filepath.Dir(filepath.Dir(filepath.Dir(s.rec.Path)))
		out, err := (&git.Command{Dir: top, Environ: s.environ}).Output(ctx, "ls-files", "--cached", "--others",
			"--exclude-standard", "-z", "--", root)
		if err != nil {
			return core.Errorf(core.IOError, "%w", err)
		}
		for name := range strings.SplitSeq(out, "\x00") {
			if name != "" && !strings.HasPrefix(name, filepath.Join(root, "changes")+"/") {
				names = append(names, name)
			}
		}
	}
	for _, name := range names {
		if err := copyFile(filepath.Join(top, name), filepath.Join(s.main.root, name)); err != nil {
			return err
		}
	}
	return nil
}

// changeFiles are the regular files of the change in a working tree, those that git ignores too.
func (s *workspace) changeFiles(top string) (names []string, err error) {
	switch s.rec.Source {
	case story.Tasks:
		return []string{s.rec.Path}, nil
	case story.OpenSpec:
	default:
		return nil, nil
	}
	folder := filepath.Join(top, filepath.Dir(s.rec.Path))
	err = filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
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
func (s *workspace) place(ctx context.Context, p *story.Progress) (*tree, error) {
	if s.rec.Limits.Parallel == 1 && p.Worktree == "" {
		if p.Base != "" {
			return s.main, nil
		}
		head, err := s.main.head(ctx)
		if err != nil {
			return nil, err
		}
		return s.main, s.rec.change(p, func(*story.Try) []story.Event {
			p.Base = head
			return nil
		})
	}
	if p.Worktree == "" || !plainfile.IsFolder(p.Worktree) {
		if err := s.own(ctx, p); err != nil {
			return nil, err
		}
	}
	return openTree(ctx, p.Worktree, p.Branch, s.environ)
}

// own makes a worktree for one story, which begins with what is merged.
func (s *workspace) own(ctx context.Context, p *story.Progress) error {
	dir, err := s.makeOwn(ctx, p)
	if err != nil {
		return err
	}
	if err := s.setUp(ctx, dir); err != nil {
		return err
	}
	return s.rec.change(p, func(*story.Try) []story.Event {
		p.Worktree = dir
		return nil
	})
}

func (s *workspace) makeOwn(ctx context.Context, p *story.Progress) (dir string, err error) {
	s.merging.Lock()
	defer s.merging.Unlock()
	making, added, err := prepare(ctx, s.rec.Worktree, s.trees, s.rec.Name, s.label(p))
	if err != nil {
		return "", err
	}
	dir, branch := added.Dir, added.Branch
	head, err := s.main.head(ctx)
	if err != nil {
		return "", err
	}
	if p.Branch == branch {
		// A killed process did not complete it, or its folder was removed.
		if last, err := s.main.line(ctx, "rev-parse", "--verify", "--quiet", "refs/heads/"+branch); err == nil {
			if err := s.main.keep(ctx, s.rec.ID, last); err != nil {
				return "", err
			}
		}
		if err := s.main.removeTree(ctx, branch, making.Path(0)); err != nil {
			return "", err
		}
	}
	err = s.rec.change(p, func(*story.Try) []story.Event {
		p.Branch, p.Base = branch, head
		return nil
	})
	if err == nil {
		err = complete(ctx, making)
	}
	if err != nil {
		return "", err
	}
	// Files of the change that git ignores are in no commit.
	names, err := s.changeFiles(s.main.root)
	if err != nil {
		return "", err
	}
	root := making.Path(0)
	for _, name := range names {
		if _, err := os.Lstat(filepath.Join(root, name)); err == nil {
			continue
		}
		if err := copyFile(filepath.Join(s.main.root, name), filepath.Join(root, name)); err != nil {
			return "", err
		}
	}
	return dir, nil
}

// leave removes the worktree that a story had for itself, as far as it is there.
func (s *workspace) leave(ctx context.Context, p *story.Progress) error {
	if p.Branch == "" {
		return nil
	}
	making, _, err := prepare(ctx, s.rec.Worktree, s.trees, s.rec.Name, s.label(p))
	if err != nil {
		return err
	}
	if plainfile.IsFolder(making.Path(0)) {
		if err := s.trees.TearDown(ctx, making.Path(0)); err != nil {
			s.log.Warn("the worktree of a story is removed without its teardown", "story", p.ID, "error", err)
		}
	}
	if err := s.main.removeTree(ctx, p.Branch, making.Path(0)); err != nil {
		return err
	}
	return s.rec.change(p, func(*story.Try) []story.Event {
		p.Worktree, p.Branch, p.Base = "", "", ""
		return nil
	})
}

// squash makes one commit of all that is behind the base.
func (s *workspace) squash(ctx context.Context) error {
	head, err := s.main.head(ctx)
	if err != nil {
		return err
	}
	count, err := s.main.line(ctx, "rev-list", "--count", s.rec.Base+".."+head)
	if err != nil || count == "0" {
		return err
	}
	commit := head
	if count != "1" {
		if commit, err = s.oneCommit(ctx, head); err != nil {
			return err
		}
	}
	s.rec.mu.Lock()
	defer s.rec.mu.Unlock()
	for i := range s.rec.Stories {
		if s.rec.Stories[i].Commit != "" {
			s.rec.Stories[i].Commit = commit
		}
	}
	return s.rec.record(story.Event{Type: story.Committed, Commit: commit, Text: "all stories in one commit"})
}

// oneCommit replaces all commits up to the head, which are kept under a ref, by one.
func (s *workspace) oneCommit(ctx context.Context, head string) (commit string, err error) {
	if err := s.main.keep(ctx, s.rec.ID, head); err != nil {
		return "", err
	}
	content, err := s.main.line(ctx, "rev-parse", head+"^{tree}")
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString(s.rec.Name + "\n\n")
	for i := range s.rec.Stories {
		if p := &s.rec.Stories[i]; p.Commit != "" {
			fmt.Fprintf(&b, "- Story %s: %s\n", p.ID, core.OneLine(p.Title))
		}
	}
	fmt.Fprintf(&b, "\n%s: %s\n", runTrailer, s.rec.ID)
	if commit, err = s.main.commit(ctx, content, s.rec.Base, b.String()); err != nil {
		return "", err
	}
	return commit, s.main.point(ctx, commit)
}
