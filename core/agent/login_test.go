package agent_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cupola/core"
	"cupola/core/agent"
)

// TestTheLoginOfAProgramThatWasSeenNoFurtherIsKnown reads the recorded screens of programs that cannot be used without
// an account.
func TestTheLoginOfAProgramThatWasSeenNoFurtherIsKnown(t *testing.T) {
	kinds := load(t)
	for _, name := range []string{"amp", "auggie"} {
		kind, _ := kinds.Find(name)
		text, err := os.ReadFile(filepath.Join("testdata", "logins", name+".txt"))
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
		block, open := kind.Read(&core.Screen{Lines: lines, Visible: len(lines)}).Blocked()
		if !open || block.Reason != core.ReasonLogin || kind.Unproven == "" {
			t.Errorf("%s: open %v for %s; unproven: %s", name, open, block.Reason, kind.Unproven)
		}
		program := agent.Program{Command: "node", Argv: func() []string {
			return []string{"node", "/usr/lib/node_modules/x/bin/" + name + ".js"}
		}}
		if got, ok := kinds.Recognise(program); !ok || got != kind {
			t.Errorf("node with %s is recognised as %+v", name, got)
		}
	}
}
