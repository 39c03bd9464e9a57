package wire

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"cupola/core/engine"
	"cupola/core/engine/enginetest"
)

func env(pairs map[string]string) func(string) string {
	return func(name string) string { return pairs[name] }
}

func resolved(path string) string {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		return target
	}
	return path
}

func TestSocketPathPrecedence(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	tmp, err := filepath.EvalSymlinks("/tmp")
	if err != nil {
		t.Fatal(err)
	}
	folder := fmt.Sprintf("/tmux-%d/", os.Getuid())
	inside := map[string]string{"TMUX": "/run/x/s,12,0", "TMUX_TMPDIR": dir}
	for _, c := range []struct {
		name, socket, label string
		env                 map[string]string
		want                string
	}{
		{"socket before all", "rel/s", "work", inside, "rel/s"},
		{"label before TMUX", "", "work", inside, dir + folder + "work"},
		{"TMUX before the default", "", "", inside, "/run/x/s"},
		{
			"TMUX without a path", "", "",
			map[string]string{"TMUX": ",12,0", "TMUX_TMPDIR": dir},
			dir + folder + "default",
		},
		{"links are resolved", "", "", map[string]string{"TMUX_TMPDIR": link}, dir + folder + "default"},
		{
			"missing folder is taken", "", "",
			map[string]string{"TMUX_TMPDIR": dir + "/none"},
			dir + "/none" + folder + "default",
		},
		{"nothing set", "", "no-such-label", nil, tmp + folder + "no-such-label"},
	} {
		got, err := SocketPath(c.socket, c.label, env(c.env), resolved)
		if err != nil || got != c.want {
			t.Errorf("%s: %q, %v; want %q", c.name, got, err, c.want)
		}
	}
}

func TestUnsafeFoldersAreDenied(t *testing.T) {
	for name, make := range map[string]func(string) error{
		"open to all": func(dir string) error { return errors.Join(os.Mkdir(dir, 0o700), os.Chmod(dir, 0o707)) },
		"a file":      func(dir string) error { return os.WriteFile(dir, nil, 0o600) },
		"a link":      func(dir string) error { return os.Symlink(filepath.Dir(dir), dir) },
	} {
		tmp := t.TempDir()
		if err := make(filepath.Join(tmp, fmt.Sprintf("tmux-%d", os.Getuid()))); err != nil {
			t.Fatal(err)
		}
		if path, err := SocketPath("", "", env(map[string]string{"TMUX_TMPDIR": tmp}), resolved); !errors.Is(err,
			engine.ErrDenied) {
			t.Errorf("%s: %q, %v; want engine.ErrDenied", name, path, err)
		}
	}
}

func TestSocketPathIsWhereTheProgramListens(t *testing.T) {
	tmux := program(t)
	tmp, err := filepath.EvalSymlinks(enginetest.ShortDir(t))
	if err != nil {
		t.Fatal(err)
	}
	path, err := SocketPath("", "mine", env(map[string]string{"TMUX_TMPDIR": tmp}), resolved)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(tmux, "-L", "mine", "-f/dev/null", "new-session", "-d", "cat", ";", "display-message", "-p",
		"#{socket_path}")
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "TMUX_TMPDIR=" + tmp, "SHELL=/bin/sh", "LANG=C.UTF-8"}
	out, err := cmd.CombinedOutput()
	t.Cleanup(func() { exec.Command(tmux, "-S", path, "kill-server").Run() })
	if err != nil || strings.TrimSpace(string(out)) != path {
		t.Errorf("tmux listens on %q, %v; want %q", out, err, path)
	}
	if r, err := open(path).Run(within(t), []string{"has-session"}); err != nil || r.Exit != 0 {
		t.Errorf("%v %s", err, r.Stderr)
	}
}
