package worktree

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"cupola/core"
	"cupola/core/git"
	"cupola/core/system/filecopy"
	"cupola/core/system/plainfile"
)

// IncludeFile is the file in a repository that lists, as .gitignore does, which files that git does not track its
// worktrees need.
const IncludeFile = ".worktreeinclude"

// mostCopied is how many files of patterns are copied into one worktree at most.
const mostCopied = 5_000

// fill gives all worktrees what git does not check out: files, folders and submodules of the working tree that they
// begin with.
func (m *Making) fill(ctx context.Context) error {
	if len(m.trees) == 0 {
		return nil
	}
	files, err := m.untracked(ctx)
	if err != nil {
		return err
	}
	from, err := os.OpenRoot(m.repo)
	if err != nil {
		return core.FileError("read the repository", err)
	}
	defer func() { _ = from.Close() }()
	for i := range m.trees {
		if tree := &m.trees[i]; !tree.joined {
			if err := m.fillTree(ctx, from, tree.Path, files); err != nil {
				return err
			}
		}
		variables, err := m.options.Variables(ctx, m.trees[i].Path)
		if err != nil {
			return err
		}
		m.variables = append(m.variables, variables)
	}
	for _, name := range files.local {
		// Who keeps a file from being copied knows of it.
		if !slices.Contains(m.options.Copy, "!"+path.Base(name)) && !slices.Contains(m.options.Copy, "!/"+name) {
			m.report.lacks(LacksLocal, name, nil)
		}
	}
	return nil
}

// entries are files and folders that git does not track, by slash-separated paths in the repository.
type entries struct {
	copied, cloned, linked []string
	// local are files such as .env that are not among them.
	local []string
}

// untracked finds what the patterns mean.
func (m *Making) untracked(ctx context.Context) (found entries, err error) {
	args := []string{}
	if isFile(filepath.Join(m.repo, IncludeFile)) {
		args = append(args, "--exclude-from="+filepath.Join(m.repo, IncludeFile))
	}
	if found.copied, err = m.matching(ctx, append(args, excludes(m.options.Copy)...)); err != nil {
		return found, err
	}
	found.copied = slices.DeleteFunc(found.copied, func(name string) bool { return strings.HasSuffix(name, "/") })
	if len(found.copied) > mostCopied {
		m.report.lacks(LacksRest, strconv.Itoa(len(found.copied)-mostCopied), nil)
		found.copied = found.copied[:mostCopied]
	}
	for _, folders := range []struct {
		into     *[]string
		patterns []string
	}{{&found.cloned, m.options.Clone}, {&found.linked, m.options.Link}} {
		if *folders.into, err = m.matching(ctx, excludes(folders.patterns), "--directory"); err != nil {
			return found, err
		}
		*folders.into = outermost(*folders.into)
	}
	status, err := m.read(ctx, m.repo, "status", "--porcelain", "-z", "--ignored=traditional",
		"--untracked-files=normal")
	if err != nil {
		return found, err
	}
	for line := range strings.SplitSeq(status, "\x00") {
		name, untracked := strings.CutPrefix(line, "?? ")
		if !untracked {
			name, untracked = strings.CutPrefix(line, "!! ")
		}
		if untracked && looksLocal(path.Base(name)) && !slices.Contains(found.copied, name) {
			found.local = append(found.local, name)
		}
	}
	return found, nil
}

// matching are the files that patterns match and that git neither tracks nor would commit. Others are reported: in a
// new worktree they would be work of its agent.
func (m *Making) matching(ctx context.Context, patterns []string, more ...string) ([]string, error) {
	if len(patterns) == 0 {
		return nil, nil
	}
	args := slices.Concat([]string{"ls-files", "--others", "--ignored", "-z"}, more, patterns)
	out, err := m.read(ctx, m.repo, args...)
	if err != nil || out == "" {
		return nil, err
	}
	var ignored strings.Builder
	check := git.Command{Dir: m.repo, Environ: m.options.Environ, Stdin: strings.NewReader(out)}
	err = check.Run(ctx, &ignored, "check-ignore", "--stdin", "-z")
	if failed, is := errors.AsType[*exec.ExitError](err); is && failed.ExitCode() == 1 {
		err = nil // it ignores none
	}
	names := git.Names(ignored.String())
	is := make(map[string]bool, len(names))
	for _, name := range names {
		is[name] = true
	}
	for _, name := range git.Names(out) {
		if !is[name] {
			m.report.lacks(LacksIgnored, name, nil)
		}
	}
	return names, err
}

func excludes(patterns []string) []string {
	return core.Map(patterns, func(pattern string) string { return "--exclude=" + pattern })
}

// outermost are the folders of names that are in no other one of them, without the slash at their end.
func outermost(names []string) (outer []string) {
	for _, name := range names {
		if !slices.ContainsFunc(outer, func(above string) bool { return strings.HasPrefix(name, above+"/") }) {
			outer = append(outer, strings.TrimSuffix(name, "/"))
		}
	}
	return outer
}

// looksLocal reports whether a file has the name of one with settings or secrets of this machine.
func looksLocal(name string) bool {
	for _, end := range []string{".example", ".sample", ".template", ".dist", ".defaults"} {
		if strings.HasSuffix(name, end) {
			return false
		}
	}
	return name == ".env" || name == ".envrc" || name == ".dev.vars" || strings.HasPrefix(name, ".env.")
}

// fillTree gives one worktree what it needs.
func (m *Making) fillTree(ctx context.Context, from *os.Root, tree string, files entries) error {
	to, err := os.OpenRoot(tree)
	if err != nil {
		return core.FileError("open the new worktree", err)
	}
	defer func() { _ = to.Close() }()
	for _, each := range []struct {
		names []string
		way   filecopy.Way
	}{{files.copied, filecopy.Copied}, {files.cloned, filecopy.Cloned}, {files.linked, filecopy.Linked}} {
		for _, name := range each.names {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			m.bring(from, to, name, each.way)
		}
	}
	modules := submodules{environ: m.options.Environ, report: &m.report}
	modules.fill(ctx, m.repo, tree, "")
	m.findPointers(ctx, tree)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return m.options.begin(ctx, tree)
}

// bring copies one file or folder, and reports what became of it.
func (m *Making) bring(from, to *os.Root, name string, way filecopy.Way) {
	err := filecopy.Entry(from, to, name, way)
	switch {
	case err == nil:
		if !slices.Contains(m.report.Copied, name) {
			m.report.Copied = append(m.report.Copied, name)
		}
	case errors.Is(err, fs.ErrExist), errors.Is(err, fs.ErrNotExist):
		// The commit has a file of this name, or the file is gone by now.
	case errors.Is(err, filecopy.ErrUnsupported):
		_ = to.RemoveAll(name)
		what := LacksClone
		if way == filecopy.Linked {
			what = LacksLink
		}
		m.report.lacks(what, name, err)
	default:
		_ = to.RemoveAll(name)
		m.report.lacks(LacksFile, name, err)
	}
}

// pointer begins a file whose content git lfs keeps in a store of its own.
const pointer = "version https://git-lfs.github.com/spec/"

// findPointers reports files of git lfs that are pointers, without their content.
func (m *Making) findPointers(ctx context.Context, tree string) {
	out, err := m.read(ctx, tree, "ls-files", "-z", "--", ":(attr:filter=lfs)")
	if err != nil {
		return // git is too old to know
	}
	for name := range strings.SplitSeq(out, "\x00") {
		if name != "" && beginsWith(filepath.Join(tree, name), pointer) {
			m.report.lacks(LacksContent, name, nil)
		}
	}
}

// beginsWith reports whether a regular file begins with a text.
func beginsWith(file, text string) bool {
	info, err := os.Lstat(file)
	if err != nil || !info.Mode().IsRegular() || info.Size() > 1024 {
		return false // pointers are small
	}
	content, err := plainfile.Read(file, plainfile.Text)
	return err == nil && strings.HasPrefix(string(content), text)
}

// read has git answer a question, which runs no program of the repository's.
func (m *Making) read(ctx context.Context, dir string, args ...string) (string, error) {
	return (&git.Command{Dir: dir, Environ: m.options.Environ}).Output(ctx, args...)
}
