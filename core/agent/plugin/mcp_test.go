package plugin

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cupola/core"
	"cupola/core/agent"
)

// change plans the change of a part and makes it.
func change(t *testing.T, d *desk, plan func(...Part) (*Change, error), parts ...Part) *Change {
	t.Helper()
	planned, err := plan(parts...)
	if err == nil {
		err = planned.Apply()
	}
	if err != nil {
		t.Fatal(err)
	}
	return planned
}

func stateOf(t *testing.T, d *desk) State {
	t.Helper()
	status, err := d.StatusOf(MCP)
	if err != nil {
		t.Fatal(err)
	}
	return status.State
}

func TestServersGetInAndOutWithoutATrace(t *testing.T) {
	texts := map[string][]string{
		".json": {
			"", "{}", "{}\n", "{\n  \"a\": 1\n}\n", `{"a": 1, "TABLE": {}}`, `{"TABLE": {"other": {"command": "x"}}}`,
			"// a comment\n{\n\t\"TABLE\": {\n\t\t\"other\": {}, // this one\n\t},\n}\n", "{\r\n  \"a\": 1\r\n}\r\n",
		},
		".toml": {
			"", "a = 1", "a = 1\n", "# only a comment\n", "a = 1\n\n[TABLE.other]\ncommand = \"x\"\n", "[TABLE]\n",
			"[TABLE.other]\ncommand = \"x\"\n\n[behind]\na = 1",
		},
	}
	for _, kind := range []string{"claude", "codex", "gemini", "opencode", "copilot", "pi", "qwen"} {
		t.Run(kind, func(t *testing.T) {
			probe := deskOf(t, kind, "/bin/cupola")
			for _, text := range texts[filepath.Ext(probe.server.file)] {
				text = strings.ReplaceAll(text, "TABLE", probe.server.spec.Table)
				d := deskOf(t, kind, "/bin/cupola")
				file := d.Path(MCP)
				if text != "" {
					if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
						t.Fatal(err)
					}
					if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
						t.Fatal(err)
					}
				}
				change(t, d, d.InstallParts, MCP)
				if state := stateOf(t, d); state != Installed {
					t.Errorf("%q: %s", text, state)
				}
				if again := change(t, d, d.InstallParts, MCP); again.Changes() {
					t.Errorf("%q: it is installed twice:\n%s", text, again.Diff())
				}
				moved := deskAt(t, kind, "/elsewhere/cupola", d.home)
				if state := stateOf(t, moved); state != Drifted {
					t.Errorf("%q: for another program it is %s", text, state)
				}
				change(t, moved, moved.InstallParts, MCP)
				if state := stateOf(t, moved); state != Installed {
					t.Errorf("%q: once repaired it is %s", text, state)
				}
				change(t, moved, moved.RemoveParts, MCP)
				got, err := os.ReadFile(file)
				if text == "" {
					if entries, _ := os.ReadDir(d.home); len(entries) > 0 {
						t.Errorf("%s is left, %v", entries[0].Name(), err)
					}
				} else if string(got) != text {
					t.Errorf("%q became %q", text, got)
				}
			}
		})
	}
}

// TestServersGetOutOfWhatAnAgentHasWritten takes the server out of files that an agent wrote anew: without empty lines,
// and with tables of its own below the server's.
func TestServersGetOutOfWhatAnAgentHasWritten(t *testing.T) {
	const approved = "\n[mcp_servers.cupola.tools.cupola_status]\napproval_mode = \"approve\"\n"
	for name, test := range map[string]struct {
		before, want string
		rewrite      func(string) string
	}{
		"no empty lines": {"a = 1\n", "a = 1\n[projects.x]\nb = 2\n", func(text string) string {
			return strings.ReplaceAll(text, "\n\n", "\n") + "[projects.x]\nb = 2\n"
		}},
		"a table below": {"a = 1\n", "a = 1\n[projects.x]\nb = 2\n", func(text string) string {
			return text + approved + "[projects.x]\nb = 2\n"
		}},
		"a table at the end": {"a = 1\n", "a = 1\n", func(text string) string { return text + approved }},
		"behind an unended line": {"a = 1", "a = 1\n[projects.x]\n", func(text string) string {
			return text + "[projects.x]\n"
		}},
	} {
		t.Run(name, func(t *testing.T) {
			d := deskOf(t, "codex", "/bin/cupola")
			file := d.Path(MCP)
			write := func(text string) {
				if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
				t.Fatal(err)
			}
			write(test.before)
			change(t, d, d.InstallParts, MCP)
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			write(test.rewrite(string(text)))
			change(t, d, d.RemoveParts, MCP)
			if got, err := os.ReadFile(file); err != nil || string(got) != test.want {
				t.Errorf("%v: %q", err, got)
			}
		})
	}
}

func TestServersAndHooksShareAFile(t *testing.T) {
	d := deskOf(t, "gemini", "/bin/cupola").have(t, "{\n  \"theme\": \"dark\"\n}\n")
	change(t, d, d.InstallParts, Hooks, MCP)
	hooks, err := d.Status()
	if err != nil || hooks.State != Installed || stateOf(t, d) != Installed {
		t.Fatalf("%v: hooks %s, server %s", err, hooks.State, stateOf(t, d))
	}
	change(t, d, d.RemoveParts, Hooks, MCP)
	if text, err := os.ReadFile(d.File); err != nil || string(text) != "{\n  \"theme\": \"dark\"\n}\n" {
		t.Errorf("%v: %q", err, text)
	}
}

func TestServersAreNotPutIntoWhatCannotBeRead(t *testing.T) {
	for kind, texts := range map[string][]string{
		"claude": {"{", "[]", `{"mcpServers": 3}`},
		"codex":  {"a = ", "[a]\n[a]\n", "mcp_servers = {cupola = {command = \"x\"}}\n"},
	} {
		for _, text := range texts {
			d := deskOf(t, kind, "/bin/cupola")
			file := d.Path(MCP)
			if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := d.InstallParts(MCP); !core.AsError(err).HasCode(core.DecodeFailed) {
				t.Errorf("%s %q: %v", kind, text, err)
			}
			if got, err := os.ReadFile(file); err != nil || string(got) != text {
				t.Errorf("%q became %q, %v", text, got, err)
			}
		}
	}
}

// TestAnEntryNamesTheFleet goes over all kinds: a client with an environment of its own sees the fleet that was meant,
// other variables and arguments are no drift, and installing again writes them.
func TestAnEntryNamesTheFleet(t *testing.T) {
	kinds, err := agent.Load()
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range kinds.All() {
		env := map[string]string{"HOME": t.TempDir(), "CUPOLA_ENGINE_KIND": "own", "XDG_STATE_HOME": `/s "a"`}
		getenv := func(name string) string { return env[name] }
		p, ok := Of(kind, "/bin/cupola", words, getenv)
		if !ok || !p.Supports(MCP) {
			continue
		}
		install := func(arguments ...string) string {
			t.Helper()
			p, _ := Of(kind, "/bin/cupola", words, getenv)
			StartServer(p, arguments...)
			change, err := p.InstallParts(MCP)
			if err == nil {
				err = change.Apply()
			}
			if err != nil {
				t.Fatalf("%s: %v", kind.ID, err)
			}
			text, err := os.ReadFile(p.Path(MCP))
			if err != nil {
				t.Fatal(err)
			}
			status, err := p.StatusOf(MCP)
			if err != nil || status.State != Installed {
				t.Errorf("%s: %v, %v", kind.ID, status, err)
			}
			return string(text)
		}
		text := install()
		if !strings.Contains(text, "own") || !strings.Contains(text, `/s \"a\"`) || strings.Contains(text, agent.Fleet) {
			t.Errorf("%s: %s", kind.ID, text)
		}
		if text := install("--session=api,web"); !strings.Contains(text, `"mcp"`) || !strings.Contains(text, "--session=api,web") {
			t.Errorf("%s: %s", kind.ID, text)
		}
		delete(env, "CUPOLA_ENGINE_KIND")
		status, err := p.StatusOf(MCP)
		if err != nil || status.State != Installed {
			t.Errorf("%s with other variables: %v, %v", kind.ID, status, err)
		}
		if text := install(); strings.Contains(text, "--session") || strings.Contains(text, `"own"`) {
			t.Errorf("%s again: %s", kind.ID, text)
		}
	}
}
