package worktree_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"cupola/core/git/worktree"
)

// make makes a worktree for an agent and returns its path with the report.
func (p *project) make(agent string, settings worktree.Settings) (string, worktree.Report) {
	p.t.Helper()
	made, err := worktree.Prepare(p.t.Context(), p.top, worktree.Options{Settings: settings})
	if err != nil {
		p.t.Fatal(err)
	}
	added, err := made.Add(p.t.Context(), "api", agent)
	if err != nil {
		p.t.Fatal(err)
	}
	dir := added.Dir
	if err := made.Make(p.t.Context()); err != nil {
		p.t.Fatal(err)
	}
	return dir, made.Report()
}

// put writes a file that git does not track, with the folders above it.
func (p *project) put(dir, name, text string) {
	p.t.Helper()
	if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700); err != nil {
		p.t.Fatal(err)
	}
	p.write(dir, name, text)
}

// contents are the files below a folder but git's, each with its text; a link has an arrow and its target.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	found := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		name, _ := filepath.Rel(dir, path)
		if entry.Type()&os.ModeSymlink != 0 {
			found[name], _ = os.Readlink(path)
			found[name] = "-> " + found[name]
			return nil
		}
		text, err := os.ReadFile(path)
		if name != ".git" {
			found[name] = string(text)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// lacks are the names of what a report says is lacking.
func lacks(report worktree.Report, what worktree.Lacking) []string {
	for _, lack := range report.Lacks {
		if lack.What == what {
			return lack.Names
		}
	}
	return nil
}

func TestANewWorktreeHasTheFilesThatPatternsName(t *testing.T) {
	p := newProject(t)
	p.write(p.top, ".worktreeinclude", "# what work needs\n.env*\n!.env.prod\n/conf/\n")
	p.commit(p.top, ".gitignore", ".env*\nconf/\nnode_modules/\n*.pem\n")
	p.put(p.top, ".env", "KEY=1\n")
	p.put(p.top, ".env.prod", "KEY=2\n")
	p.put(p.top, "pkg/.env.local", "KEY=3\n")
	p.put(p.top, "conf/a/b.json", "{}")
	p.put(p.top, "my.pem", "pem")
	p.put(p.top, "notes.txt", "mine")
	p.put(p.top, "node_modules/x/i.js", "x")
	if err := os.Symlink("/etc/passwd", filepath.Join(p.top, "conf", "absolute")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../../secret", filepath.Join(p.top, "conf", "out")); err != nil {
		t.Fatal(err)
	}
	dir, report := p.make("cc_1", worktree.Settings{Copy: []string{"*.pem", "/notes.txt", "../*", "/etc/*"}})
	want := map[string]string{
		".env": "KEY=1\n", "pkg/.env.local": "KEY=3\n", "conf/a/b.json": "{}", "my.pem": "pem",
		"conf/absolute": "-> /etc/passwd",
	}
	found := contents(t, dir)
	for name, text := range want {
		if found[name] != text {
			t.Errorf("%s is %q", name, found[name])
		}
	}
	for _, name := range []string{".env.prod", "notes.txt", "node_modules/x/i.js", "conf/out"} {
		if text, is := found[name]; is {
			t.Errorf("%s was copied: %q", name, text)
		}
	}
	if len(report.Copied) != len(want) || !slices.Equal(lacks(report, worktree.LacksFile), []string{"conf/out"}) {
		t.Errorf("%+v", report)
	}
	if names := lacks(report, worktree.LacksIgnored); !slices.Equal(names, []string{"notes.txt"}) {
		t.Errorf("git would commit %q", names)
	}
	if local := lacks(report, worktree.LacksLocal); !slices.Equal(local, []string{".env.prod"}) {
		t.Errorf("reported as lacking: %q", local)
	}
}

func TestWhatNobodyAskedForIsReportedAndNotCopied(t *testing.T) {
	p := newProject(t)
	p.commit(p.top, ".gitignore", ".env*\n.dev.vars\ndeps/\n")
	p.put(p.top, "web/index.html", "tracked")
	p.commit(p.top, "web/more.html", "tracked")
	for _, name := range []string{".env", "web/.env.local", ".dev.vars", ".env.example", "deps/.env"} {
		p.put(p.top, name, "SECRET")
	}
	p.put(p.top, ".envrc", "not ignored, and not tracked")
	p.write(p.top, ".env.shared", "tracked")
	p.git(p.top, "add", "-f", ".env.shared")
	p.git(p.top, "commit", "-q", "-m", "tracked")
	dir, report := p.make("cc_1", worktree.Settings{})
	local := lacks(report, worktree.LacksLocal)
	slices.Sort(local)
	if want := []string{".dev.vars", ".env", ".envrc", "web/.env.local"}; !slices.Equal(local, want) {
		t.Errorf("reported: %q", local)
	}
	for name, text := range contents(t, dir) {
		if text == "SECRET" {
			t.Errorf("%s was copied", name)
		}
	}
}

func TestNothingIsCopiedThroughALinkOfTheCommit(t *testing.T) {
	p := newProject(t)
	outside := t.TempDir()
	if err := os.Symlink(outside, filepath.Join(p.top, "conf")); err != nil {
		t.Fatal(err)
	}
	p.commit(p.top, ".gitignore", "*.key\n")
	if err := os.Remove(filepath.Join(p.top, "conf")); err != nil {
		t.Fatal(err)
	}
	p.put(p.top, "conf/a.key", "mine")
	_, report := p.make("cc_1", worktree.Settings{Copy: []string{"*.key"}})
	if left, _ := os.ReadDir(outside); len(left) > 0 {
		t.Errorf("%v was written outside of the worktree", left)
	}
	if !slices.Equal(lacks(report, worktree.LacksFile), []string{"conf/a.key"}) {
		t.Errorf("%+v", report)
	}
}

func TestLargeFoldersAreSharedWhereThatIsPossible(t *testing.T) {
	p := newProject(t)
	p.commit(p.top, ".gitignore", "node_modules/\n.venv/\n")
	p.put(p.top, "node_modules/x/i.js", "x")
	p.put(p.top, "pkg/node_modules/y/i.js", "y")
	p.put(p.top, ".venv/lib/z.py", "z")
	dir, report := p.make("cc_1", worktree.Settings{Link: []string{"node_modules"}, Clone: []string{".venv"}})
	found := contents(t, dir)
	if found["node_modules/x/i.js"] != "x" || found["pkg/node_modules/y/i.js"] != "y" {
		t.Errorf("%q, %+v", found, report)
	}
	one, _ := os.Stat(filepath.Join(p.top, "node_modules", "x", "i.js"))
	other, _ := os.Stat(filepath.Join(dir, "node_modules", "x", "i.js"))
	if !os.SameFile(one, other) {
		t.Error("a linked folder was copied")
	}
	_, there := found[".venv/lib/z.py"]
	if unshared := lacks(report, worktree.LacksClone); there == slices.Contains(unshared, ".venv") {
		t.Errorf("it is there: %v, and reported: %q", there, unshared)
	}
	if _, err := os.Stat(filepath.Join(dir, ".venv")); !there && err == nil {
		t.Error("half a folder was left")
	}
}

// module makes a repository that has another one as its submodule if sub is not empty.
func (p *project) module(name, sub string) string {
	p.t.Helper()
	dir := filepath.Join(filepath.Dir(p.top), name)
	if err := os.Mkdir(dir, 0o700); err != nil {
		p.t.Fatal(err)
	}
	p.git(dir, "init", "-q", "-b", "main")
	p.commit(dir, name+".go", name)
	if sub != "" {
		p.git(dir, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", sub,
			"vendored/"+filepath.Base(sub))
		p.git(dir, "commit", "-q", "-m", "submodule")
	}
	return dir
}

func TestSubmodulesComeFromTheRepositoryWithoutANetwork(t *testing.T) {
	p := newProject(t)
	outer := p.module("outer", p.module("inner", ""))
	p.git(p.top, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", outer, "lib/outer")
	p.git(p.top, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", outer, "bare")
	p.git(p.top, "commit", "-q", "-m", "submodules")
	p.git(p.top, "-c", "protocol.file.allow=always", "submodule", "--quiet", "update", "--init", "--recursive")
	p.git(p.top, "submodule", "--quiet", "deinit", "-f", "bare")
	// What they were cloned from is out of reach.
	if err := os.Rename(outer, outer+"-away"); err != nil {
		t.Fatal(err)
	}
	p.commit(filepath.Join(p.top, "lib", "outer"), "more.go", "only here")
	p.git(p.top, "commit", "-qam", "a commit that is nowhere else")
	settings := p.git(p.top, "config", "--list", "--local")
	dir, report := p.make("cc_1", worktree.Settings{})
	found := contents(t, dir)
	if found["lib/outer/more.go"] != "only here" || found["lib/outer/vendored/inner/inner.go"] != "inner" {
		t.Errorf("%q, %+v", found, report)
	}
	if missing := lacks(report, worktree.LacksSubmodule); !slices.Equal(missing, []string{"bare"}) {
		t.Errorf("lacking: %q", missing)
	}
	if url := p.git(filepath.Join(dir, "lib", "outer"), "config", "remote.origin.url"); url != outer {
		t.Errorf("its remote is %s", url)
	}
	if now := p.git(p.top, "config", "--list", "--local"); !strings.HasPrefix(now, settings) {
		t.Errorf("the settings of the repository were %s\nand are %s", settings, now)
	}
	repo, tree := p.of("cc_1")
	if losses, err := repo.Losses(t.Context(), tree); err != nil || losses.Any() {
		t.Errorf("%+v, %v", losses, err)
	}
	p.commit(filepath.Join(dir, "lib", "outer"), "work.go", "work")
	p.git(dir, "commit", "-qam", "work")
	p.git(p.top, "merge", "-q", tree.Branch)
	if losses, err := repo.Losses(t.Context(), tree); err != nil || !losses.Submodules {
		t.Errorf("a commit of a submodule would be lost: %+v, %v", losses, err)
	}
	p.git(filepath.Join(p.top, "lib", "outer"), "fetch", "-q", filepath.Join(dir, "lib", "outer"), "HEAD:theirs")
	if err := repo.Remove(t.Context(), tree, false); err != nil {
		t.Error(err)
	}
}

func TestPointersOfLargeFilesAreReported(t *testing.T) {
	p := newProject(t)
	p.write(p.top, "movie.bin", "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 12345\n")
	p.write(p.top, "real.bin", strings.Repeat("x", 3000))
	p.commit(p.top, ".gitattributes", "*.bin filter=lfs diff=lfs merge=lfs -text\n")
	_, report := p.make("cc_1", worktree.Settings{})
	if names := lacks(report, worktree.LacksContent); !slices.Equal(names, []string{"movie.bin"}) {
		t.Errorf("%+v", report)
	}
}
