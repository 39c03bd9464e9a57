package servicetest

import (
	"context"
	"os/exec"
	"path/filepath"
	"testing"
)

// node is the package of npm that has Node.js, whose newest version the protocol's programs need.
const node = "node@24"

// Program returns a command that runs a program of a package of npm, which npx installs first. The test fails without
// npx.
func Program(t *testing.T, from, program string) func(args ...string) *exec.Cmd {
	t.Helper()
	npx, err := exec.LookPath("npx")
	if err != nil {
		t.Fatal("npx is missing: install Node.js and npm")
	}
	where := func(name string) string {
		cmd := exec.CommandContext(t.Context(), npx, "--yes", "--prefer-offline", "--loglevel=error",
			"--package="+node, "--package="+from, "--call=command -v "+name)
		path, err := cmd.Output()
		if err != nil {
			t.Fatalf("%s: %v", from, err)
		}
		resolved, err := filepath.EvalSymlinks(string(path[:max(len(path)-1, 0)]))
		if err != nil {
			t.Fatal(err)
		}
		return resolved
	}
	runtime, script := where("node"), where(program)
	return func(args ...string) *exec.Cmd {
		return exec.CommandContext(context.WithoutCancel(t.Context()), runtime, append([]string{script}, args...)...)
	}
}
