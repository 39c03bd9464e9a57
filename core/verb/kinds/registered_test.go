package kinds

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"cupola/core"
	"cupola/core/agent"
	"cupola/core/agent/account"
	"cupola/core/agent/transcript"
	"cupola/core/agent/usage"
	"cupola/core/run/relay/stream"
)

// lacks are the parts that a kind does not have, each with the reason.
var lacks = map[core.Kind]map[string]string{
	"copilot": {"hooks": "its hooks are unknown"},
	"kilo":    {"account": "it signs in to many providers, each with a key of its own"},
	"auggie":  unproven("recordings"),
	"amp":     unproven("recordings"),
	"omp":     unproven("recordings"),
	"cline":   unproven(),
	"pi":      {"account": "it signs in to many providers, each with a key of its own"},
}

// unproven are the parts of a program whose screens alone were seen, with further parts that it lacks.
func unproven(more ...string) map[string]string {
	missing := map[string]string{}
	for _, part := range append(more,
		"home", "transcript", "usage", "headless", "account", "hooks", "mcp", "skills", "proof") {
		missing[part] = "it is marked unproven"
	}
	return missing
}

// TestEachKindThatComesAlongIsKnownEverywhere holds each kind that starts a program of others to all that only Go code
// knows, so that a new one cannot be half there.
func TestEachKindThatComesAlongIsKnownEverywhere(t *testing.T) {
	env := func(name string) string { return map[string]string{"HOME": "/h"}[name] }
	known, err := agent.Load()
	if err != nil {
		t.Fatal(err)
	}
	counted := usage.New(usage.Options{Env: env}).Folders()
	index, err := os.ReadFile(filepath.Join("..", "..", "agent", "testdata", "screens", "index.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	kinds := 0
	for _, kind := range known.All() {
		if len(kind.Launch.Command) == 0 || kind.Launch.Command[0] == agent.Self {
			continue
		}
		kinds++
		_, hooks := kind.Install()
		recorded := bytes.Count(index, fmt.Appendf(nil, `"agent": %q`, kind.ID))
		for part, has := range map[string]bool{
			"home":       agent.HomeOf(kind.ID, env) != "",
			"transcript": transcript.Keeps(kind.ID),
			"usage":      slices.ContainsFunc(counted, func(p usage.Folder) bool { return p.Kind == kind.ID }),
			"headless":   slices.Contains(stream.Formats(), kind.Headless.Format),
			"account": slices.ContainsFunc(account.Providers, func(p account.Provider) bool {
				return p.Kind == kind.ID
			}),
			"hooks":      hooks,
			"mcp":        kind.MCP.Given(),
			"skills":     kind.Skills.Given(),
			"resume":     len(kind.Launch.Resume) > 0,
			"recordings": kind.Readable() && recorded >= 10,
			"proof":      kind.Unproven == "",
		} {
			if excuse := lacks[kind.ID][part]; has == (excuse != "") {
				t.Errorf("%s: %s is there: %v, and the excuse is %q", kind.ID, part, has, excuse)
			}
		}
	}
	if kinds < 7 {
		t.Errorf("only %d kinds were looked at", kinds)
	}
}
