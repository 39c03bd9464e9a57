package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"cupola/core/fleet/fleettest"
	"cupola/core/system/shell/shelltest"
)

// othersVariable names the folder with the programs of otherKinds in the environment, one npm prefix for each kind.
const othersVariable = "CUPOLA_OTHER_AGENTS"

// otherKinds are kinds whose programs the harness does not run. They speak to its model all the same.
var otherKinds = []string{"pi", "kilo", "cline"}

// othersTools lets the model of the harness ask for the tools of otherKinds, as an extension for fleettest.Extended.
const othersTools = `
as_ever = CALLS["tool-bash"]
CALLS["tool-bash"] = (as_ever[0],
    lambda name, tool, arg, prompt: {"commands": [arg]} if name == "run_commands" else as_ever[1](name, tool, arg, prompt),
    as_ever[2] + ("run_commands",))

`

// writeOther writes a wrapper of a program of otherKinds and settings in a home that point it at the model of the
// harness. It returns the folder of the wrapper. A test whose program is not installed is skipped.
func writeOther(t testing.TB, h *fleettest.Harness, kind, home string) string {
	t.Helper()
	h.Run(t, "mock", "start")
	url := strings.TrimSpace(h.Run(t, "mock", "url"))
	bin := t.TempDir()
	program := otherProgram(t, kind)
	var script string
	switch kind {
	case "pi":
		script = fmt.Sprintf("PATH=%s:$PATH\nexec node %s \"$@\"\n", recentNode(t), program)
		writeTo(t, home+"/.pi/agent/settings.json",
			`{"defaultProvider": "mock", "defaultModel": "mock-model"}`)
		writeTo(t, home+"/.pi/agent/models.json", fmt.Sprintf(`{"providers": {"mock": {"baseUrl": "%s/v1",
			"api": "openai-completions", "apiKey": "sk-test-000", "models": [{"id": "mock-model"}]}}}`, url))
	case "kilo":
		script = "export KILO_DISABLE_AUTOUPDATE=1 KILO_DISABLE_MODELS_FETCH=1 KILO_DISABLE_DEFAULT_PLUGINS=1 " +
			"KILO_DISABLE_LSP_DOWNLOAD=1 KILO_DISABLE_SHARE=1\nexec " + program + " \"$@\"\n"
		writeTo(t, home+"/.config/kilo/kilo.json", fmt.Sprintf(`{"autoupdate": false, "share": "disabled",
			"model": "mock/mock-model", "small_model": "mock/mock-model", "permission": {"bash": "ask", "edit": "ask"},
			"provider": {"mock": {"npm": "@ai-sdk/openai-compatible", "name": "Mock",
				"options": {"baseURL": "%s/v1", "apiKey": "sk-test-000"},
				"models": {"mock-model": {"name": "Mock Model", "tool_call": true,
					"limit": {"context": 200000, "output": 8192}}}}}}`, url))
	case "cline":
		script = "exec " + program + " \"$@\"\n"
		login := exec.Command(program, "auth", "-p", "openai-compatible", "-b", url+"/v1", "-k", "sk-test-000", "-m",
			"mock-model")
		login.Env = append(os.Environ(), "HOME="+home)
		if out, err := login.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	if err := shelltest.WriteProgram(filepath.Join(bin, kind), []byte("#!/bin/sh\n"+script)); err != nil {
		t.Fatal(err)
	}
	return bin
}

// adapters are the programs through which kinds of the harness speak the Agent Client Protocol that do not speak it
// themselves.
var adapters = map[string]string{"claude": "claude-agent-acp", "codex": "codex-acp"}

// adapted runs an adapter as the harness runs its agent: same environment, same home, another program.
const adapted = `
import importlib.machinery as machinery, importlib.util as util, os, sys
program, kind, adapter, node = sys.argv[1:5]
loader = machinery.SourceFileLoader("agents", program)
agents = util.module_from_spec(util.spec_from_loader("agents", loader))
sys.modules["agents"] = agents
loader.exec_module(agents)
argv, env = agents.command(kind, sys.argv[5:], agents.home_of(kind))
env["PATH"] = node + ":" + env["PATH"]
os.execve(adapter, [adapter] + argv[1:], env)
`

// writeAdapter writes a wrapper of the adapter of a kind of the harness, and returns its folder. A test whose adapter
// is not installed is skipped.
func writeAdapter(t testing.TB, h *fleettest.Harness, kind string) string {
	t.Helper()
	h.Run(t, "mock", "start")
	bin, name := t.TempDir(), adapters[kind]
	program := otherProgram(t, name)
	code := filepath.Join(bin, "adapted.py")
	writeTo(t, code, adapted)
	script := fmt.Sprintf("#!/bin/sh\nREAL_AGENTS_DIR=%s REAL_AGENTS_SET=%s exec python3 -I %s %s %s %s %s \"$@\"\n",
		filepath.Dir(h.Path(t)), os.Getenv("REAL_AGENTS_SET"), code, h.Program, kind, program, recentNode(t))
	if err := shelltest.WriteProgram(filepath.Join(bin, name), []byte(script)); err != nil {
		t.Fatal(err)
	}
	return bin
}

// otherProgram returns the path of the installed program of a kind.
func otherProgram(t testing.TB, kind string) string {
	t.Helper()
	folder := os.Getenv(othersVariable)
	if folder == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			t.Skip(err)
		}
		folder = filepath.Join(cache, "real-agents-kinds", "npm")
	}
	program := filepath.Join(folder, kind, "node_modules", ".bin", kind)
	if kind == "kilo" { // npm's package of all systems downloads it when it is installed
		program = filepath.Join(folder, kind, "node_modules", "@kilocode", "cli-linux-x64", "bin", "kilo")
	}
	if _, err := os.Stat(program); err != nil {
		t.Skipf("needs %s: %v", kind, err)
	}
	return program
}

// recentNode returns the folder of the newest node that the harness has installed, else of the one in PATH.
func recentNode(t testing.TB) string {
	t.Helper()
	if cache, err := os.UserCacheDir(); err == nil {
		found, _ := filepath.Glob(cache +
			"/real-agents*/npm/node-*/node_modules/node/node_modules/node-*/bin")
		if len(found) > 0 {
			return found[len(found)-1]
		}
	}
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip(err)
	}
	return filepath.Dir(node)
}

func writeTo(t testing.TB, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
