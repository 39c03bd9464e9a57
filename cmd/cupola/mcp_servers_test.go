//go:build servers

package main

import (
	"path/filepath"
	"strings"
	"testing"

	"cupola/core/engine/enginetest"
	"cupola/core/system/shell"
	"cupola/core/system/shell/shelltest"
	"cupola/robot/service/servicetest"
)

// inspector is the protocol's own client, a package of npm.
const inspector = "@modelcontextprotocol/inspector@2.12.0"

// TestTheProtocolsOwnClientCallsEveryTool lists the tools, whose schemas must be fit for all clients, and calls each of
// them on standard input and output in all eras of the protocol.
func TestTheProtocolsOwnClientCallsEveryTool(t *testing.T) {
	run := servicetest.Program(t, inspector, "mcp-inspector")
	m := newFleet(t)
	// The client passes on neither its environment nor flags of the server.
	target := filepath.Join(m.tmux.Dir, "server")
	environ := m.command("cupola").Env
	script := "#!/bin/sh\nexec env " + shell.Line(environ...) +
		" cupola mcp --allow=destroys --commands --toolsets=all\n"
	if err := shelltest.WriteProgram(target, []byte(script)); err != nil {
		t.Fatal(err)
	}
	ask := func(era string, args ...string) string {
		t.Helper()
		cmd := run(append([]string{"--cli", target, "--protocol-era", era, "--format", "json"}, args...)...)
		cmd.Env, cmd.Dir = environ, m.tmux.Dir
		var said strings.Builder
		cmd.Stderr = &said
		out, err := cmd.Output()
		if err != nil {
			t.Errorf("%s %q: %v: %s%s", era, args, err, out, said.String())
		}
		return string(out)
	}
	calls := map[string][]string{
		"status": {}, "snapshot": {}, "attention": {}, "tokens": {}, "docs": {},
		"spawn":       {"session=new-{era}", "cmd=cat"},
		"send":        {"session=web.1", "msg=from {era}"},
		"wait":        {"session=api.1", `for=["idle","waiting","working"]`},
		"reply":       {"session=api.1"},
		"tail":        {"session=web", "lines=3"},
		"answer":      {"session=api.1", "approve=true"},
		"interrupt":   {"session=api.1", "dry-run=true"},
		"restart":     {"session=api.1", "dry-run=true"},
		"kill":        {"session=new-{era}", "yes=true"},
		"attach_info": {"session=api"},
		"checkpoint":  {"action=list"},
		"budget":      {"action=budget"},
		"runs":        {"action=list"},
		"worktrees":   {"action=list"},
		"relay":       {"prompt=hi", "to=claude", "dry-run=true"},
		"crew":        {"action=run", "agents=dev:claude", "prompt=hi", "dry-run=true"},
		"story":       {"action=list"},
		"call":        {"verb=version"},
	}
	for _, era := range []string{"legacy", "auto", "modern"} {
		list := ask(era, "--method", "tools/list", "--strict")
		for name := range calls {
			if !strings.Contains(list, `"cupola_`+name+`"`) {
				t.Errorf("%s: no tool %s", era, name)
			}
		}
		if named := strings.Count(list, `"name":"cupola_`); named != len(calls) {
			t.Errorf("%s: %d tools are listed, and %d are called", era, named, len(calls))
		}
		m.cupola("send", "api.1", "approve touch "+era)
		enginetest.Eventually(t, testTimeout, func() bool {
			return strings.Contains(m.cupola("status", "api").stdout, `"state":"waiting"`)
		}, func() string { return m.cupola("tail", "api.1").stdout })
		for _, name := range inOrder(calls) {
			args := []string{"--method", "tools/call", "--tool-name", "cupola_" + name}
			for _, given := range calls[name] {
				args = append(args, "--tool-arg", strings.ReplaceAll(given, "{era}", era))
			}
			if answer := ask(era, args...); !strings.Contains(answer, `\"success\":true`) {
				t.Errorf("%s %s: %.500s", era, name, answer)
			}
		}
	}
}

// inOrder are the names of calls; what ends a session is called after what starts it.
func inOrder(calls map[string][]string) []string {
	names := []string{"spawn"}
	for name := range calls {
		if name != "spawn" && name != "kill" {
			names = append(names, name)
		}
	}
	return append(names, "kill")
}
