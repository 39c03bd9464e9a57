package checkout_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cupola/core"
	"cupola/core/git/checkout"
	"cupola/core/git/gittest"
	"cupola/core/system/shell/shelltest"
)

// environ returns the environment that git runs with.
func environ(home string) []string {
	return []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + home, "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=Ada",
		"GIT_AUTHOR_EMAIL=ada@example.org", "GIT_COMMITTER_NAME=Ada", "GIT_COMMITTER_EMAIL=ada@example.org",
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// published is a repository with branches main and fix, and a clone of it whose address another machine could reach.
func published(t *testing.T) (server, clone string) {
	t.Helper()
	dir := t.TempDir()
	server, clone = filepath.Join(dir, "shop.git"), filepath.Join(dir, "clone")
	gittest.Run(t, dir, nil, "init", "--quiet", "--bare", "-b", "main", server)
	gittest.Run(t, dir, nil, "clone", "--quiet", server, clone)
	write(t, filepath.Join(clone, "a.txt"), "one\n")
	gittest.Run(t, clone, nil, "checkout", "-q", "-b", "main")
	gittest.Run(t, clone, nil, "add", ".")
	gittest.Run(t, clone, nil, "commit", "-q", "-m", "one")
	gittest.Run(t, clone, nil, "push", "-q", "origin", "main", "main:fix/it")
	return server, clone
}

// code returns the code of an error, empty for none.
func code(err error) core.Code {
	if err == nil {
		return ""
	}
	return core.AsError(err).Code
}

func TestABranchIsClonedAndBroughtUpToDate(t *testing.T) {
	t.Parallel()
	server, clone := published(t)
	home := t.TempDir()
	want := checkout.Request{Repository: server, Branch: "main", Home: home, Environ: environ(home)}
	dry := want
	dry.DryRun = true
	dir, err := checkout.Bring(t.Context(), dry)
	if _, statErr := os.Stat(dir); err != nil || dir != filepath.Join(home, "shop") || statErr == nil {
		t.Fatalf("a dry run: %q, %v, %v", dir, err, statErr)
	}
	if dir, err = checkout.Bring(t.Context(), want); err != nil || read(t, filepath.Join(dir, "a.txt")) != "one\n" {
		t.Fatalf("cloned into %q: %v", dir, err)
	}
	write(t, filepath.Join(clone, "a.txt"), "two\n")
	gittest.Run(t, clone, nil, "commit", "-qam", "two")
	gittest.Run(t, clone, nil, "push", "-q", "origin", "main")
	write(t, filepath.Join(dir, "own.txt"), "not to be lost\n")
	if again, err := checkout.Bring(t.Context(), want); err != nil || again != dir ||
		read(t, filepath.Join(dir, "a.txt")) != "two\n" || read(t, filepath.Join(dir, "own.txt")) == "" {
		t.Errorf("brought up to date in %q: %v", again, err)
	}
	// Another branch goes beside it, for agents may work here.
	other := want
	other.Branch = "fix/it"
	for range 2 {
		beside, err := checkout.Bring(t.Context(), other)
		if err != nil || beside != filepath.Join(home, "shop-branches", "fix-it") ||
			read(t, filepath.Join(beside, "a.txt")) != "one\n" || read(t, filepath.Join(dir, "a.txt")) != "two\n" {
			t.Errorf("another branch in %q: %v", beside, err)
		}
	}
	// What was changed there is neither lost nor mixed with what comes.
	write(t, filepath.Join(dir, "a.txt"), "mine\n")
	gittest.Run(t, dir, nil, "commit", "-qam", "mine")
	write(t, filepath.Join(clone, "a.txt"), "three\n")
	gittest.Run(t, clone, nil, "commit", "-qam", "three")
	gittest.Run(t, clone, nil, "push", "-q", "origin", "main")
	_, err = checkout.Bring(t.Context(), want)
	if code(err) != core.Conflict || read(t, filepath.Join(dir, "a.txt")) != "mine\n" {
		t.Errorf("a branch that has gone another way: %v", err)
	}
}

func TestAFolderOfSomethingElseIsLeftAlone(t *testing.T) {
	t.Parallel()
	server, _ := published(t)
	home := t.TempDir()
	write(t, filepath.Join(home, "mine.txt"), "mine\n")
	gittest.Run(t, home, nil, "init", "-q", filepath.Join(home, "other"))
	write(t, filepath.Join(home, "other", "b.txt"), "b\n")
	for name, dir := range map[string]string{"a folder": home, "another repository": filepath.Join(home, "other")} {
		_, err := checkout.Bring(t.Context(), checkout.Request{
			Repository: server, Branch: "main", Dir: dir, Environ: environ(home),
		})
		if code(err) != core.Conflict {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, c := range []checkout.Request{
		{Repository: "--upload-pack=touch x", Branch: "main"},
		{Repository: "ext::sh -c touch% x", Branch: "main"},
		{Repository: server, Branch: "-q"},
		{Repository: server, Branch: ""},
		{Repository: server, Branch: "a..b"},
		{Repository: "", Branch: "main"},
	} {
		c.Home, c.Environ = home, environ(home)
		if _, err := checkout.Bring(t.Context(), c); code(err) != core.InvalidInput {
			t.Errorf("%+v: %v", c, err)
		}
	}
	_, err := checkout.Bring(t.Context(), checkout.Request{
		Repository: server, Branch: "gone", Dir: filepath.Join(home, "new"), Environ: environ(home),
	})
	if _, statErr := os.Stat(filepath.Join(home, "new")); code(err) != core.NetworkError || statErr == nil {
		t.Errorf("a branch that is not there: %v, and its folder: %v", err, statErr)
	}
}

func TestWhatIsNotPushedIsCounted(t *testing.T) {
	t.Parallel()
	server, clone := published(t)
	home := t.TempDir()
	if _, err := checkout.Open(t.Context(), clone, "", environ(home)); code(err) != core.InvalidInput ||
		!strings.Contains(core.AsError(err).Message, "on this machine alone") {
		t.Errorf("a repository that no other machine reaches: %v", err)
	}
	// Another machine, by an ssh that runs what it is given on this one.
	bin := filepath.Join(home, "bin")
	if err := os.Mkdir(bin, 0o700); err != nil {
		t.Fatal(err)
	}
	ssh := filepath.Join(bin, "ssh")
	script := "#!/bin/sh\nfor last; do :; done\nexec sh -c \"$last\"\n"
	if err := shelltest.WriteProgram(ssh, []byte(script)); err != nil {
		t.Fatal(err)
	}
	environ := func(home string) []string { return append(environ(home), "PATH="+bin+":"+os.Getenv("PATH")) }
	gittest.Run(t, clone, nil, "remote", "set-url", "origin", "box:"+server)
	write(t, filepath.Join(clone, "a.txt"), "two\n")
	gittest.Run(t, clone, nil, "commit", "-qam", "two")
	write(t, filepath.Join(clone, "a.txt"), "three\n")
	write(t, filepath.Join(clone, "b.txt"), "b\n")
	got, err := checkout.Open(t.Context(), clone, "", environ(home))
	want := checkout.Source{
		Repository: "box:" + server, Branch: "main", Unpushed: 1, Uncommitted: 2,
	}
	if err != nil || got != want {
		t.Errorf("got %+v, %v, want %+v", got, err, want)
	}
	want.Branch, want.Unpushed, want.Uncommitted = "fix/it", 0, 0
	if got, err := checkout.Open(t.Context(), clone, "fix/it", environ(home)); err != nil || got != want {
		t.Errorf("got %+v, %v, want %+v", got, err, want)
	}
	if _, err := checkout.Open(t.Context(), clone, "own", environ(home)); code(err) != core.NotFound {
		t.Errorf("a branch that is not there: %v", err)
	}
	if _, err := checkout.Open(t.Context(), home, "", environ(home)); code(err) != core.InvalidInput {
		t.Errorf("a folder without a repository: %v", err)
	}
}
