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

// TestToolsTakeTheDescription lints the OpenAPI document, and makes a client of it that compiles.
func TestToolsTakeTheDescription(t *testing.T) {
	s := servicetest.New(t)
	s.Border.Level = registry.Destroys
	text, err := json.Marshal(http.OpenAPI(s, "1.2.3"))
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "openapi.json")
	client := filepath.Join(filepath.Dir(file), "client.ts")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
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
