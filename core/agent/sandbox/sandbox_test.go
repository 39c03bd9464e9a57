package sandbox_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"cupola/core"
	"cupola/core/agent"
	"cupola/core/agent/sandbox"
)

var update = flag.Bool("update", false, "write the golden files")

// home makes a user's home with a project, a worktree of it and the folder of an agent, all without git itself.
func home(t *testing.T) string {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for path, text := range map[string]string{
		"api/.git/HEAD": "ref: refs/heads/main\n", "api/.git/config": "[core]\n", "api/.git/hooks/x": "",
		"api/.git/objects/x": "", "api/.git/refs/x": "", "api/.git/logs/x": "", "api/.envrc": "",
		"api/.git/worktrees/tree/gitdir": top + "/tree/.git\n", "api/.git/worktrees/tree/commondir": "../..\n",
		"tree/.git":   "gitdir: " + top + "/api/.git/worktrees/tree\n",
		"other/.git":  "gitdir: " + top + "/.ssh\n",
		".ssh/gitdir": "", ".ssh/HEAD": "", ".claude/settings.json": "{}", ".claude/sessions/2.json": "{}",
		".claude/history.jsonl": "", ".claude.json": "{}", "bin/claude": "", ".local/bin/x": "", "cupola": "",
	} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(top, path)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(top, path), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return top
}

func request(t *testing.T, top, dir string, settings sandbox.Settings) *sandbox.Request {
	t.Helper()
	kinds, err := agent.Load()
	if err != nil {
		t.Fatal(err)
	}
	kind, _ := kinds.Find("claude")
	return &sandbox.Request{
		Name: "mine", Settings: settings, Kind: kind, Dir: filepath.Join(top, dir), Argv: []string{"claude", "--x"},
		Environ: []string{
			"HOME=" + top, "PATH=" + top + "/bin", "SECRET=x", "SSH_AUTH_SOCK=/x", "ANTHROPIC_API_KEY=k", "LC_ALL=C",
			"OWN_A=1",
		},
		Given: []string{"CUPOLA_SESSION=api", "TOKEN=given"}, Self: filepath.Join(top, "cupola"),
	}
}

// TestCommandLines compares the command line of each holder, in a project and in a worktree of it, with what it was.
func TestCommandLines(t *testing.T) {
	for _, by := range sandbox.Holders() {
		for _, dir := range []string{"api", "tree"} {
			t.Run(by+"-"+dir, func(t *testing.T) {
				top := home(t)
				r := request(t, top, dir, sandbox.Settings{
					By: by, Image: "agents:1", Network: sandbox.NetworkOff, Reads: []string{"~/.local/bin"},
					Caches: []string{"~/.cache"}, Env: []string{"OWN_*"},
				})
				v, err := r.View()
				if err != nil {
					t.Fatal(err)
				}
				// Which folders of the system there are differs from machine to machine.
				v.Access = slices.DeleteFunc(v.Access, func(a sandbox.Access) bool {
					return !strings.HasPrefix(a.Path, top) && a.Path != "/tmp"
				})
				plan, err := r.Plan(v, "/run/user/1/cupola/sb/ID")
				if err != nil {
					t.Fatal(err)
				}
				var lines []string
				for _, word := range slices.Concat(plan.Before, plan.Holder, plan.Program, plan.Copies, plan.Stop) {
					lines = append(lines, strings.ReplaceAll(word, top, "HOME"))
				}
				golden(t, by+"-"+dir, strings.Join(lines, "\n")+"\n")
			})
		}
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name+".golden")
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if want, err := os.ReadFile(path); err != nil || string(want) != got {
		t.Errorf("%s is another one now (%v):\n%s", path, err, got)
	}
}

func TestTheLongestPathDecides(t *testing.T) {
	top := home(t)
	r := request(t, top, "api", sandbox.Settings{Writes: []string{"~/out/"}, Hides: []string{"secret"}})
	if err := os.Mkdir(filepath.Join(top, "api", "secret"), 0o700); err != nil {
		t.Fatal(err)
	}
	v, err := r.View()
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]sandbox.How{
		"/usr/bin": sandbox.Reads, "/etc/passwd": sandbox.Reads, "/run/x": sandbox.Hidden, "/tmp": sandbox.Hidden,
		".ssh/id": sandbox.Hidden, "api/main.go": sandbox.Writes, "api/.git/index": sandbox.Writes,
		"api/.git/config": sandbox.Reads, "api/.git/hooks/x": sandbox.Reads, "api/.git/commondir": sandbox.Reads,
		"api/.envrc": sandbox.Reads, "api/.claude/settings.json": sandbox.Reads, "api/secret/x": sandbox.Hidden,
		".claude/settings.json": sandbox.Reads, ".claude/projects/x": sandbox.Writes,
		".claude/history.jsonl":   sandbox.Writes,
		".claude/sessions/2.json": sandbox.Hidden, ".claude.json": sandbox.Copied, "out/x": sandbox.Writes,
		"tree/x": sandbox.Hidden, "bin/claude": sandbox.Reads,
	} {
		if !filepath.IsAbs(path) {
			path = filepath.Join(top, path)
		}
		if got := v.Of(path); got != want {
			t.Errorf("%s is %q, not %q", path, got, want)
		}
	}
}

func TestAGitFileThatNamesAnotherFolderLeadsNowhere(t *testing.T) {
	top := home(t)
	v, err := request(t, top, "other", sandbox.Settings{}).View()
	if err != nil {
		t.Fatal(err)
	}
	if got := v.Of(filepath.Join(top, ".ssh", "id")); got != sandbox.Hidden {
		t.Errorf("the folder that it names is %q", got)
	}
}

func TestFoldersThatAreNoProjectAreRefused(t *testing.T) {
	top := home(t)
	for _, dir := range []string{"", "../..", "../../.."} {
		if _, err := request(t, top, dir, sandbox.Settings{}).View(); !core.AsError(err).HasCode(core.InvalidInput) {
			t.Errorf("%q: %v", dir, err)
		}
	}
}

func TestVariablesAreThoseThatAreNamed(t *testing.T) {
	r := request(t, home(t), "api", sandbox.Settings{Env: []string{"OWN_*", "SSH_AUTH_SOCK"}})
	var names []string
	for _, pair := range r.Inherited() {
		name, _, _ := strings.Cut(pair, "=")
		names = append(names, name)
	}
	if got := fmt.Sprint(names); got != "[HOME PATH ANTHROPIC_API_KEY LC_ALL OWN_A]" {
		t.Errorf("it gets %s", got)
	}
}

func TestSandboxesAreFoundAndChecked(t *testing.T) {
	known := map[string]sandbox.Settings{
		"mine": {Network: sandbox.NetworkHosts, Hosts: []string{"a"}}, "empty": {Network: sandbox.NetworkHosts},
		"image": {By: sandbox.Podman}, "word": {Network: "on"}, "by": {By: "bwrap"},
		"port": {Network: sandbox.NetworkLoopback, Hosts: []string{"http"}},
	}
	for name, want := range map[string]core.Code{
		"mine": "", "project": "", "offline": "", "projekt": core.InvalidInput, "empty": core.ConfigInvalid,
		"image": core.ConfigInvalid, "word": core.ConfigInvalid, "by": core.ConfigInvalid, "port": core.ConfigInvalid,
	} {
		_, err := sandbox.Find(known, name)
		if want == "" && err != nil || want != "" && !core.AsError(err).HasCode(want) {
			t.Errorf("%s: %v, not %s", name, err, want)
		}
	}
	if _, err := sandbox.Find(known, "projekt"); !slices.Contains(core.AsError(err).Suggestions, "project") {
		t.Errorf("the near miss is not suggested: %v", err)
	}
}

func TestNoSandboxIsHeldWithoutItsProgram(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	set := &sandbox.Set{Settings: map[string]sandbox.Settings{"box": {By: sandbox.Podman, Image: "x"}}}
	for _, name := range []string{"project", "box"} {
		_, _, err := set.Hold(&sandbox.Request{Name: name, Argv: []string{"sh"}, Dir: t.TempDir()})
		if !core.AsError(err).HasCode(core.ToolNotFound) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, _, err := (*sandbox.Set)(nil).Hold(&sandbox.Request{Name: "project"}); err == nil {
		t.Error("a sandbox is held by nothing")
	}
}

func TestHostsAreReachedAsListed(t *testing.T) {
	hosts := []string{"api.example.com", "*.example.org", "127.0.0.1:8080"}
	for target, want := range map[string]bool{
		"api.example.com 443": true, "API.example.com 80": true, "api.example.com 22": false, "x.example.org 443": true,
		"example.org 443": false, "evil-example.org 443": false, "127.0.0.1 8080": true, "127.0.0.1 80": false,
		"api.example.com.evil.net 443": false, "b.example.com 443": false,
	} {
		host, port, _ := strings.Cut(target, " ")
		if got := sandbox.Reaches(hosts, host, port); got != want {
			t.Errorf("%s: %t", target, got)
		}
	}
}
