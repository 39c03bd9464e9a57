package cli

import (
	"os/exec"
	"testing"

	"cupola/core/bridge"
	"cupola/core/verb/catalog"
	"cupola/core/verb/registry"
)

// BenchmarkCommandTree makes what every call makes before cobra reads the line: the catalog of
// verbs, the global flags, and the tree with the command that the line names.
func BenchmarkCommandTree(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		tools := bridge.Open(nil, exec.LookPath)
		p := &program{
			Options: Options{Args: []string{"status"}}, bridges: tools, catalog: catalog.With(tools),
			flags: registry.NewGlobalFlags(),
		}
		p.line = p.catalog.CommandLine(p.Args)
		if found, _, err := (tree{p}).commands().Find(p.Args); err != nil || found.Name() != "status" {
			b.Fatalf("%v, %v", found, err)
		}
	}
}
