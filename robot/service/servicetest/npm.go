package servicetest

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// node is the package of npm that has Node.js, whose newest version the protocol's programs need.
const node = "node@24"

// Modules returns the folder of the modules of a package of npm, which npx installs first, with Node.js beside it. The
// test fails without npx.
func Modules(t *testing.T, of string) string {
	t.Helper()
	npx, err := exec.LookPath("npx")
	if err != nil {
		t.Fatal("npx is missing: install Node.js and npm")
	}
	cmd := exec.CommandContext(t.Context(), npx, "--yes", "--prefer-offline", "--loglevel=error",
		"--package="+node, "--package="+of, "--call=command -v node")
	found, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s cannot be installed: %v", of, err)
	}
	return filepath.Dir(filepath.Dir(strings.TrimSpace(string(found))))
}

// Program returns what makes commands of a program of a package of npm.
func Program(t *testing.T, of, program string) func(args ...string) *exec.Cmd {
	t.Helper()
	bin := filepath.Join(Modules(t, of), ".bin")
	script, err := filepath.EvalSymlinks(filepath.Join(bin, program))
	if err != nil {
		t.Fatal(err)
	}
	return func(args ...string) *exec.Cmd {
		return exec.CommandContext(t.Context(), filepath.Join(bin, "node"), append([]string{script}, args...)...)
	}
}
