package verbtest

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"cupola/core/bridge"
	"cupola/core/bridge/bead/beadtest"
	"cupola/core/config"
	"cupola/core/engine"
	"cupola/core/git/worktree/worktreetest"
	"cupola/core/record/store"
	"cupola/core/run/crew/crewtest"
	"cupola/core/run/relay/relaytest"
	"cupola/core/run/story/agentsession/agentsessiontest"
	"cupola/core/run/story/storytest"
	"cupola/core/system/shell/shelltest"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

// Staged is Env where the examples of a verb run, too. The test's package is two folders below the module's.
func Staged(t *testing.T, s engine.Engine, catalog *registry.Catalog, v *registry.Verb) *verb.Env {
	t.Helper()
	env := Env(t, s, catalog)
	if v.Group == verb.GroupWork && v.Field("since") != nil {
		beadtest.Repository(t, env.Dir)
	}
	if strings.HasPrefix(v.Name, "worktree-") {
		worktreetest.Repository(t, env.Dir)
		giveWorktree(t, env.Dir, v)
	}
	if v.Group == verb.GroupPipes {
		WritePipeline(t, env)
	}
	if v.Group == verb.GroupRelay {
		env.Bridges = bridge.Open(nil, func(name string) (string, error) { return "/opt/bin/" + name, nil })
		worktreetest.Repository(t, env.Dir)
		relaytest.Put(t, env.Paths.Relays(), v.Name == "relay-cancel")
	}
	if v.Group == verb.GroupCrew {
		withCrew(t, env, v.Name)
	}
	if v.Group == verb.GroupStory {
		env.Bridges = bridge.Open(nil, func(name string) (string, error) { return "/opt/bin/" + name, nil })
		storytest.Project(t, env.Dir)
		storytest.Repository(t, env.Dir)
		storytest.Put(t, env.Dir, env.Paths.Stories())
		if slices.Contains([]string{"story-pause", "story-resume", "story-stop"}, v.Name) {
			storytest.Work(t, env.Paths.Stories())
		}
	}
	if v.Group == verb.GroupRuns {
		withRuns(t, env, slices.Contains([]string{"run-pause", "run-resume", "run-cancel"}, v.Name))
	}
	if v.Group == verb.GroupInside {
		agentsessiontest.Put(t, env.Dir, env.Paths.StorySessions(), v.Name != "agent-session-resume")
	}
	if v.Group == verb.GroupHosts {
		withHost(t, env)
	}
	if v.Name == "config-paths" { // some of what it lists is there
		if err := os.MkdirAll(env.Paths.State, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if v.Group == verb.GroupTools {
		env.Bridges = bridge.Open(nil, fakeTool)
	}
	if slices.Contains([]string{"tools", "doctor", "setup", "backends"}, v.Name) {
		equip(t, env)
	}
	return env
}

// withHost adds a host to the settings, which refuses every connection.
func withHost(t *testing.T, env *verb.Env) {
	t.Helper()
	file := env.Files().Of(config.User)
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("[hosts.gpu1]\nssh = \"dev@gpu1\"\n"+
		"[bus]\nurl = \"nats://bus.example.com\"\nhost = \"laptop\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	env.Hosts.Program = filepath.Join(t.TempDir(), "ssh")
	script := "#!/bin/sh\necho 'ssh: connect to host gpu1 port 22: Connection refused' >&2\nexit 255\n"
	if err := shelltest.WriteProgram(env.Hosts.Program, []byte(script)); err != nil {
		t.Fatal(err)
	}
}

// withRuns puts a run of each kind on record; the one over stories works if it is to be acted on.
func withRuns(t *testing.T, env *verb.Env, working bool) {
	t.Helper()
	withCrew(t, env, "crew-list")
	storytest.Repository(t, env.Dir)
	relaytest.Put(t, env.Paths.Relays(), false)
	storytest.Project(t, env.Dir)
	storytest.Put(t, env.Dir, env.Paths.Stories())
	if working {
		storytest.Work(t, env.Paths.Stories())
	}
}

// withCrew puts a crew on record, and programs that could be asked.
func withCrew(t *testing.T, env *verb.Env, name string) {
	t.Helper()
	env.Bridges = bridge.Open(nil, func(name string) (string, error) { return "/opt/bin/" + name, nil })
	path := filepath.Join(t.TempDir(), "cupola.db")
	crewtest.Put(t, path, env.Paths.Crews(), name == "crew-stop", name == "crew-pause" || name == "crew-resume")
	env.OpenStore = func(ctx context.Context) (*store.Store, error) {
		return store.OpenReadOnly(ctx, path, store.Options{})
	}
	env.OpenForWriting = func(ctx context.Context) (*store.Store, error) {
		return store.Open(ctx, path, store.Options{})
	}
}

// giveWorktree gives an agent the worktree that the examples of a verb are about.
func giveWorktree(t *testing.T, dir string, verb *registry.Verb) {
	t.Helper()
	file := "main.go"
	if verb.Name == "worktree-remove" {
		file = ""
	}
	worktreetest.Give(t, dir, "api", "cc_1", file)
}

// fakeTools is the directory of the scripts that replace tools.
var fakeTools = filepath.Join("..", "..", "core", "bridge", "testdata", "fakes")

// fakeTool finds the script that replaces a tool.
func fakeTool(name string) (string, error) {
	path, err := filepath.Abs(filepath.Join(fakeTools, name))
	if err != nil {
		return "", err
	}
	_, err = os.Stat(path)
	return path, err
}

// equip makes the stage a machine of its own: with brew, with Claude Code, whose package has its version, with a tool
// that does not start, and with room.
func equip(t *testing.T, env *verb.Env) {
	t.Helper()
	home, packed := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(packed, "package.json"), []byte(`{"version":"2.1.4"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	claude := filepath.Join(packed, "cli.js")
	if err := os.WriteFile(claude, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	env.Bridges = bridge.Open(nil, func(name string) (string, error) {
		path, ok := map[string]string{"brew": "/nowhere/brew", "claude": claude, "xf": "/opt/bin/xf"}[name]
		if !ok {
			return "", exec.ErrNotFound
		}
		return path, nil
	})
	env.Getenv = func(name string) string {
		return map[string]string{
			ceiling: os.Getenv(ceiling), "HOME": home, "LANG": "C.UTF-8", "TERM": "xterm-256color",
			"CUPOLA_ALERTS_DISK_PERCENT": "0", "CUPOLA_ALERTS_DISK_MB": "0",
		}[name]
	}
	env.Paths.Runtime = t.TempDir()
	// What the umask leaves of their modes is the machine's.
	for _, dir := range []string{env.Paths.Config, env.Paths.Data, env.Paths.State, env.Paths.Runtime} {
		if err := errors.Join(os.MkdirAll(dir, 0o700), os.Chmod(dir, 0o700)); err != nil {
			t.Fatal(err)
		}
	}
}
