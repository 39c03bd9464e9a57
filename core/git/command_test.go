package git

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// started returns a repository with one commit.
func started(t *testing.T) *repository {
	t.Helper()
	r := newRepository(t)
	r.write("a", "1")
	r.git("add", ".")
	r.git("commit", "--quiet", "--message=first")
	return r
}

// hook has the repository run a script where another branch is checked out.
func (r *repository) hook(script string) {
	r.t.Helper()
	r.program(".git/hooks/post-checkout", "#!/bin/sh\n"+script)
}

func TestHooksRunOnlyWhereTheyMay(t *testing.T) {
	r := started(t)
	mark := filepath.Join(t.TempDir(), "mark")
	r.hook("echo ran >" + mark + "\n")
	for i, hooks := range []bool{false, true} {
		c := Command{Dir: r.dir, Environ: os.Environ(), Programs: hooks}
		if _, err := c.Output(t.Context(), "checkout", "--quiet", "-b", []string{"one", "two"}[i]); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(mark); (err == nil) != hooks {
			t.Errorf("hooks %v: %v", hooks, err)
		}
	}
}

func TestWhatAHookLeavesRunningIsNoFailure(t *testing.T) {
	r := started(t)
	left := filepath.Join(t.TempDir(), "left")
	r.hook("sleep 60 &\necho $! >" + left + "\n")
	c := Command{Dir: r.dir, Environ: os.Environ(), Programs: true}
	if _, err := c.Output(t.Context(), "checkout", "--quiet", "-b", "other"); err != nil {
		t.Error(err)
	}
	pid, err := os.ReadFile(left)
	if err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("kill", strings.TrimSpace(string(pid))).CombinedOutput(); err != nil {
		t.Errorf("the hook left nothing running: %s", out)
	}
	if branch, err := c.Line(t.Context(), "symbolic-ref", "--short", "HEAD"); err != nil || branch != "other" {
		t.Errorf("on %q, %v", branch, err)
	}
}

func TestGitThatTakesTooLongEndsWithAllThatItStarted(t *testing.T) {
	r := newRepository(t)
	r.git("config", "alias.wait", "!sleep 60; echo never")
	c := Command{Dir: r.dir, Environ: os.Environ(), Within: 50 * time.Millisecond}
	began := time.Now()
	if out, err := c.Output(t.Context(), "wait"); !errors.Is(err, ErrLate) || out != "" {
		t.Errorf("%q, %v", out, err)
	}
	if took := time.Since(began); took > 30*time.Second {
		t.Errorf("it took %s", took)
	}
}

func TestGitWorksOnTheFolderThatItIsGiven(t *testing.T) {
	r := newRepository(t)
	other := newRepository(t)
	environ := slices.Concat(os.Environ(),
		[]string{
			"GIT_DIR=" + filepath.Join(other.dir, ".git"), "GIT_WORK_TREE=" + other.dir, "GIT_PREFIX=x/",
			"LANGUAGE=de",
		})
	c := Command{Dir: r.dir, Environ: environ, Env: []string{"GIT_AUTHOR_NAME=Ada"}}
	if top, err := c.Line(t.Context(), "rev-parse", "--show-toplevel"); err != nil || top != r.dir {
		t.Errorf("%q, %v", top, err)
	}
	if author, err := c.Line(t.Context(), "var", "GIT_AUTHOR_IDENT"); err == nil && !strings.HasPrefix(author, "Ada ") {
		t.Errorf("%q, %v", author, err)
	}
}

func TestSettingsInTheEnvironmentAreKept(t *testing.T) {
	r := newRepository(t)
	c := Command{Dir: r.dir, Environ: append(os.Environ(), "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=cupola.word",
		"GIT_CONFIG_VALUE_0=kept")}
	if word, err := c.Line(t.Context(), "config", "cupola.word"); err != nil || word != "kept" {
		t.Errorf("%q, %v", word, err)
	}
}

func TestErrorsHoldGitsComplaint(t *testing.T) {
	r := newRepository(t)
	c := Command{Dir: r.dir, Environ: os.Environ()}
	_, err := c.Output(t.Context(), "switch", "nowhere")
	if err == nil || !strings.Contains(err.Error(), "git switch in "+r.dir) ||
		!strings.Contains(err.Error(), "nowhere") {
		t.Errorf("%v", err)
	}
	c.Dir = t.TempDir()
	if _, err := c.Output(t.Context(), "status"); !errors.Is(err, ErrNoTree) {
		t.Errorf("%v", err)
	}
}
