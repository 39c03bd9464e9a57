package worktree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"cupola/core/git"
	"cupola/core/system/process"
)

// submodules checks out the submodules of a new worktree from those of the working tree that it begins with, without a
// network.
type submodules struct {
	environ []string
	report  *Report
}

// submodule is a submodule of a working tree.
type submodule struct {
	// path is where it is, slash-separated, and name the name of its settings.
	path, name string
}

var (
	errNotCheckedOut     = errors.New("it is not checked out in the repository's folder either")
	errOutsideRepository = errors.New("its repository is outside of this one")
)

// fill checks out the submodules of a working tree and those within them. Below is the path of the tree in the
// repository.
func (s *submodules) fill(ctx context.Context, from, tree, below string) {
	for _, module := range s.of(ctx, tree) {
		own, err := s.repositoryOf(ctx, filepath.Join(from, module.path))
		if err == nil {
			err = s.checkOut(ctx, tree, module, filepath.Join(from, module.path), own)
		}
		if err != nil {
			s.report.lacks(LacksSubmodule, path.Join(below, module.path), err)
			continue
		}
		s.fill(ctx, filepath.Join(from, module.path), filepath.Join(tree, module.path), path.Join(below, module.path))
	}
}

// of returns the submodules of a working tree.
func (s *submodules) of(ctx context.Context, tree string) (found []submodule) {
	if !isFile(filepath.Join(tree, ".gitmodules")) {
		return nil
	}
	names := map[string]string{}
	out, _ := s.ask(ctx, tree, "config", "--file", ".gitmodules", "-z", "--get-regexp", `^submodule\..*\.path$`)
	for entry := range strings.SplitSeq(out, "\x00") {
		key, value, _ := strings.Cut(entry, "\n")
		names[value] = strings.TrimSuffix(strings.TrimPrefix(key, "submodule."), ".path")
	}
	out, _ = s.ask(ctx, tree, "ls-files", "--stage", "-z")
	for entry := range strings.SplitSeq(out, "\x00") {
		facts, at, _ := strings.Cut(entry, "\t")
		if strings.HasPrefix(facts, "160000 ") && names[at] != "" {
			found = append(found, submodule{path: at, name: names[at]})
		}
	}
	return found
}

// isFile reports whether a path is a regular file.
func isFile(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode().IsRegular()
}

// repositoryOf returns the repository of a submodule that is checked out in a folder.
func (s *submodules) repositoryOf(ctx context.Context, dir string) (string, error) {
	if _, err := os.Lstat(filepath.Join(dir, ".git")); err != nil {
		return "", errNotCheckedOut
	}
	out, err := s.ask(ctx, dir, "rev-parse", "--path-format=absolute", "--show-toplevel", "--git-common-dir")
	if err != nil {
		return "", err
	}
	words := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
	if len(words) < 2 || words[0] != dir {
		return "", errOutsideRepository
	}
	return words[1], nil
}

// checkOut checks out one submodule from that in another folder, whose repository is own. Both have the same remote.
func (s *submodules) checkOut(ctx context.Context, tree string, module submodule, from, own string) error {
	settings := "submodule." + module.name
	// Git clones a submodule from a folder only if that protocol is allowed; no other is.
	env := []string{"GIT_ALLOW_PROTOCOL=file"}
	first, _ := strconv.Atoi(process.Variable(s.environ, "GIT_CONFIG_COUNT"))
	for i, set := range [][2]string{{".url", own}, {".update", "checkout"}, {".active", "true"}} {
		env = append(env, fmt.Sprintf("GIT_CONFIG_KEY_%d=%s", first+i, settings+set[0]),
			fmt.Sprintf("GIT_CONFIG_VALUE_%d=%s", first+i, set[1]), fmt.Sprintf("GIT_CONFIG_COUNT=%d", first+i+1))
	}
	command := git.Command{Dir: tree, Environ: s.environ, Programs: true, Env: env}
	_, err := command.Line(ctx, "submodule", "--quiet", "update", "--no-recommend-shallow", "--", module.path)
	if err != nil {
		return err
	}
	at := git.Command{Dir: filepath.Join(tree, module.path), Environ: s.environ}
	remote, err := s.ask(ctx, from, "config", "--get", "remote.origin.url")
	if err != nil {
		_, err = at.Line(ctx, "config", "--unset", "remote.origin.url")
		return err
	}
	_, err = at.Line(ctx, "config", "remote.origin.url", strings.TrimSuffix(remote, "\n"))
	return err
}

// lost reports whether commits or files would be lost with the submodules of a working tree: those that the submodules
// of another one do not have. Repository is the git directory of the working tree.
func (s *submodules) lost(ctx context.Context, from, tree, repository string) bool {
	known := map[string]bool{}
	for _, module := range s.of(ctx, tree) {
		known[module.name] = true
		own, err := s.repositoryOf(ctx, filepath.Join(tree, module.path))
		if errors.Is(err, errNotCheckedOut) {
			known[module.name] = false
			continue
		}
		main, ours := filepath.Join(from, module.path), filepath.Join(tree, module.path)
		_, mainErr := s.repositoryOf(ctx, main)
		if err != nil || mainErr != nil || s.holdsMore(ctx, ours, main) || s.lost(ctx, main, ours, own) {
			return true
		}
	}
	modules := filepath.Join(repository, "modules")
	lost := false
	_ = filepath.WalkDir(modules, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return fs.SkipDir
		}
		if isFile(filepath.Join(path, "HEAD")) {
			name, _ := filepath.Rel(modules, path)
			lost, err = lost || !known[name], fs.SkipDir
		}
		return err
	})
	return lost
}

// holdsMore reports whether a submodule has changed files, or commits that another one does not have.
func (s *submodules) holdsMore(ctx context.Context, dir, main string) bool {
	changed, err := s.ask(ctx, dir, "status", "--porcelain", "--untracked-files=all")
	if err != nil || changed != "" {
		return true
	}
	out, err := s.ask(ctx, dir, "for-each-ref", "--format=%(objectname)", "refs/heads", "refs/tags", "refs/stash")
	if err != nil {
		return true
	}
	head, err := s.ask(ctx, dir, "rev-parse", "HEAD")
	if err != nil {
		return true
	}
	tips := strings.Fields(out + head)
	args := append([]string{"rev-list", "--count"}, tips...)
	out, err = s.ask(ctx, main, append(args, "--not", "--all", "HEAD", "--")...)
	return err != nil || strings.TrimSpace(out) != "0"
}

// ask has git answer a question, which runs no program of the repository's.
func (s *submodules) ask(ctx context.Context, dir string, args ...string) (string, error) {
	return (&git.Command{Dir: dir, Environ: s.environ, Within: askWithin}).Output(ctx, args...)
}
