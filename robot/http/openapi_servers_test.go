//go:build servers

package http_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"cupola/core/verb/registry"
	"cupola/robot/http"
	"cupola/robot/service/servicetest"
)

// The generator of Go clients, and what they import.
const (
	goGenerator = "github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2"
	goClient    = "module client\n\ngo 1.24\n\nrequire github.com/oapi-codegen/runtime v1.9.0\n"
)

// described writes the OpenAPI document into a new folder.
func described(t *testing.T) (folder, file string) {
	t.Helper()
	s := servicetest.New(t)
	s.Border.Level = registry.Destroys
	text, err := json.Marshal(http.OpenAPI(s, "1.2.3"))
	if err != nil {
		t.Fatal(err)
	}
	folder = t.TempDir()
	file = filepath.Join(folder, "openapi.json")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return folder, file
}

// TestGoTakesTheDescription makes a Go client of the OpenAPI document, and compiles it.
func TestGoTakesTheDescription(t *testing.T) {
	folder, file := described(t)
	if err := os.WriteFile(filepath.Join(folder, "go.mod"), []byte(goClient), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, argv := range [][]string{
		{"run", goGenerator, "-generate=types,client", "-package=client", "-o=client.go", file}, {"build", "./..."},
	} {
		cmd := exec.CommandContext(t.Context(), "go", argv...)
		cmd.Dir, cmd.Env = folder, append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("go %v: %v\n%s", argv, err, out)
		}
	}
}

// TestToolsTakeTheDescription lints the OpenAPI document, and makes a TypeScript client of it that compiles.
func TestToolsTakeTheDescription(t *testing.T) {
	folder, file := described(t)
	client := filepath.Join(folder, "client.ts")
	for _, step := range []struct {
		module string
		argv   []string
	}{
		{"@redocly/cli@2.11.1", []string{"redocly", "lint", file}},
		{"openapi-typescript@7.13.0", []string{"openapi-typescript", file, "-o", client}},
		{"typescript@5.9.3", []string{"tsc", "--strict", "--noEmit", client}},
	} {
		modules := servicetest.Modules(t, step.module)
		program := filepath.Join(modules, ".bin", step.argv[0])
		out, err := exec.CommandContext(t.Context(), program, step.argv[1:]...).CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %v\n%s", step.argv, err, out)
		}
	}
}
