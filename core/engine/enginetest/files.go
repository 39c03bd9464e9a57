package enginetest

import (
	"os"
	"testing"

	"cupola/core/system/shell/shelltest"
)

func writeProgram(t *testing.T, path, text string) {
	t.Helper()
	if err := shelltest.WriteProgram(path, []byte(text)); err != nil {
		t.Fatal(err)
	}
}

func makeDir(t *testing.T, path string) {
	t.Helper()
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
}

// readFile returns what is in a file, and nothing if there is none yet.
func readFile(path string) string {
	text, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	return string(text)
}
