package cli

import (
	"os/exec"
	"testing"

	"cupola/core/bridge"
	"cupola/core/verb/catalog"
)

// BenchmarkCommandTree makes what every call makes before cobra reads the line: the catalog of
// verbs, the global flags, and the tree with the command that the line names.
func BenchmarkCommandTree(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		tools := bridge.Open(nil, exec.LookPath)
		p := newProgram(&Options{Args: []string{"status"}}, tools, catalog.With(tools))
		if found, _, err := p.tree.commands().Find(p.Args); err != nil || found.Name() != "status" {
			b.Fatalf("%v, %v", found, err)
		}
	}
}
