package git

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cupola/core/git/gittest"
)

func TestNothingThatARepositoryNamesIsRun(t *testing.T) {
	for _, trap := range gittest.Traps {
		t.Run(trap.Name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "tree")
			sprung := trap.Lay(t, dir)
			tree, err := Open(t.Context(), dir, os.Environ())
			if err != nil {
				t.Fatal(err)
			}
			for name, read := range map[string]func() error{
				"status":  func() error { _, err := tree.Status(t.Context()); return err },
				"log":     func() error { _, err := tree.Log(t.Context(), LogRequest{}); return err },
				"tracked": func() error { _, err := tree.Tracked(t.Context()); return err },
				"diff": func() error {
					_, err := (&Command{Dir: dir, Environ: os.Environ()}).Output(t.Context(), "diff", "HEAD", "--")
					return err
				},
			} {
				if err := read(); err != nil {
					t.Logf("%s: %v", name, err)
				}
				if sprung() {
					t.Fatalf("%s ran the repository's program", name)
				}
			}
		})
	}
}

func TestARepositoryThatCameWithATreeIsNone(t *testing.T) {
	r := started(t)
	r.git("clone", "--quiet", "--bare", ".", "inner")
	mark := filepath.Join(t.TempDir(), "mark")
	r.program("program", "#!/bin/sh\necho ran >"+mark+"\n")
	r.write("inner/config", "[core]\n\tbare = false\n\tworktree = "+r.dir+"\n\tfsmonitor = "+r.dir+"/program\n")
	for _, dir := range []string{"inner", "inner/refs"} {
		if tree, err := Open(t.Context(), filepath.Join(r.dir, dir), os.Environ()); !errors.Is(err, ErrNoTree) {
			t.Errorf("%s: %+v, %v", dir, tree, err)
		}
	}
	if _, err := os.Stat(mark); err == nil {
		t.Error("its program ran")
	}
}

func TestARepositoryIsReadOnlyWhereItIs(t *testing.T) {
	home := t.TempDir()
	for _, name := range []string{"private", "project/x"} {
		path := filepath.Join(home, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	dir := filepath.Join(home, "project")
	gittest.Run(t, dir, nil, "init", "--quiet")
	gittest.Run(t, dir, nil, "config", "core.worktree", home)
	if tree, err := Open(t.Context(), dir, os.Environ()); !errors.Is(err, errOtherTree) {
		t.Errorf("%+v, %v", tree, err)
	}
	gittest.Run(t, home, nil, "init", "--quiet")
	if tree, err := Open(t.Context(), dir, os.Environ()); !errors.Is(err, errOtherTree) {
		t.Errorf("where the other folder is a tree, too: %+v, %v", tree, err)
	}
}

func TestSubmodulesAndWorktreesAreTreesOfTheirOwn(t *testing.T) {
	r, other := started(t), started(t)
	r.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", other.dir, "sub")
	if tree := r.open("sub"); tree.Root != filepath.Join(r.dir, "sub") {
		t.Errorf("%+v", tree)
	}
	r.git("worktree", "add", "--quiet", "-b", "other", filepath.Join(r.dir, "linked"))
	if tree := r.open("linked"); tree.Root != filepath.Join(r.dir, "linked") {
		t.Errorf("%+v", tree)
	}
}

func TestWhatOnlyAFilterKnowsIsSaid(t *testing.T) {
	r := started(t)
	r.write(".gitattributes", "*.big filter=big\n*.other filter=undefined\n")
	r.write("one.big", "1")
	r.write("two.other", "1")
	r.git("add", ".")
	r.git("commit", "--quiet", "--message=second")
	r.git("config", "filter.big.clean", "false")
	r.git("config", "filter.big.required", "true")
	r.git("config", "filter.other.clean", "~nobody-of-that-name/x")
	settings, err := os.ReadFile(filepath.Join(r.dir, ".git", "config"))
	if err != nil {
		t.Fatal(err)
	}
	r.write(".git/config", string(settings)+"[filter \"bare\"]\n\trequired\n")
	for _, name := range []string{"a", "one.big", "two.other"} {
		r.write(name, "2 or more")
	}
	status, err := r.open("").Status(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, change := range status.Changes {
		got[change.Path] = change.Filter
	}
	if len(got) != 3 || got["one.big"] != "big" || got["a"]+got["two.other"] != "" {
		t.Errorf("%v", got)
	}
}

func TestSettingsThatNameEndlessFilesAreRefused(t *testing.T) {
	t.Setenv("HOME", "/dev")
	for _, value := range []string{"~/zero", "%(prefix)/x"} {
		r := started(t)
		r.git("config", "core.excludesFile", value)
		if _, err := r.open("").Status(t.Context()); err == nil ||
			!strings.Contains(err.Error(), "core.excludesfile names ") {
			t.Errorf("%s: %v", value, err)
		}
	}
	for _, key := range []string{"core.attributesFile", "core.excludesFile", "mailmap.file"} {
		r := started(t)
		r.git("config", key, "/dev/zero")
		if _, err := r.open("").Status(t.Context()); err == nil || !strings.Contains(err.Error(), "no regular file") {
			t.Errorf("%s: %v", key, err)
		}
		if _, err := r.open("").Log(t.Context(), LogRequest{}); err != nil {
			t.Errorf("%s: %v", key, err)
		}
	}
	r := started(t)
	r.git("config", "diff.orderFile", "/dev/zero")
	if _, err := r.open("").Status(t.Context()); err != nil {
		t.Error(err)
	}
}
