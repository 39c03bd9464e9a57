// Package fleettest has what tests of the fleet need: fake engines, snapshots and journals,
// and a harness that runs real agents against a fake model and returns the prompts that the
// model got.
package fleettest

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"cupola/core/system/shell/shelltest"
)

// Variable names the folder of the harness in the environment.
const Variable = "CUPOLA_HARNESS"

// Harness runs real agents offline.
type Harness struct {
	// Program is the path of its program.
	Program string
}

// Real returns the harness. Without one, the test is skipped. If Real starts the model, it
// stops when the test ends.
func Real(t testing.TB) *Harness {
	t.Helper()
	folder := os.Getenv(Variable)
	if folder == "" {
		t.Skipf("needs real agents: set %s to the folder that runs them offline", Variable)
	}
	h := &Harness{Program: filepath.Join(folder, "agents")}
	running := exec.Command(h.Program, "mock", "status").Run() == nil
	t.Cleanup(func() {
		if !running {
			h.Run(t, "mock", "stop")
		}
	})
	return h
}

// Extended makes a copy of the harness the one of this test and of Real: its model also runs an extension, which is
// Python text, before it serves. The agents' programs belong to the harness. It returns the folder of the copy.
func Extended(t *testing.T, extension string) string {
	t.Helper()
	original := Real(t)
	from, folder, own := os.Getenv(Variable), t.TempDir(), t.TempDir()
	end := []byte("if __name__ ==")
	for _, name := range []string{"agents", "mock.py"} {
		text, err := os.ReadFile(filepath.Join(from, name))
		if err != nil {
			t.Fatal(err)
		}
		if name == "mock.py" {
			before, after, found := bytes.Cut(text, end)
			if !found {
				t.Fatal("the model has no end that is known")
			}
			text = slices.Concat(before, []byte(extension), end, after)
		}
		if err := shelltest.WriteProgram(filepath.Join(folder, name), text); err != nil {
			t.Fatal(err)
		}
	}
	installed := filepath.Dir(original.Path(t))
	if err := os.Symlink(filepath.Join(installed, "npm"), filepath.Join(own, "npm")); err != nil {
		t.Fatal(err)
	}
	t.Setenv(Variable, folder)
	t.Setenv("REAL_AGENTS_DIR", own)
	return folder
}

// Environ returns what to add to an environment so that agents are found and have homes of
// their own, which are folders below dir.
func (h *Harness) Environ(t testing.TB, dir string, kinds ...string) []string {
	t.Helper()
	environ := []string{"COLORTERM=truecolor", "PATH=" + h.Path(t) + ":" + os.Getenv("PATH")}
	for _, kind := range kinds {
		home := filepath.Join(dir, "home-"+kind)
		if err := os.Mkdir(home, 0o700); err != nil {
			t.Fatal(err)
		}
		environ = append(environ, "REAL_AGENTS_HOME_"+strings.ToUpper(kind)+"="+home)
	}
	return environ
}

// Path is the folder of the agents' programs.
func (h *Harness) Path(t testing.TB) string {
	t.Helper()
	return strings.TrimSpace(h.Run(t, "path"))
}

// Run runs the program of the harness with some words and returns what it printed.
func (h *Harness) Run(t testing.TB, args ...string) string {
	t.Helper()
	out, err := exec.Command(h.Program, args...).Output()
	if err != nil {
		t.Fatalf("%s %q: %v", h.Program, args, err)
	}
	return string(out)
}

// Token returns a word that no other prompt contains.
func Token() string { return "tok" + strconv.FormatInt(time.Now().UnixNano(), 36) }

// wrapped is how an agent puts a long prompt.
var wrapped = regexp.MustCompile(`(?s)^\s*<pasted_content id="[^"]*">\n(.*)\n</pasted_content[^>]*>\s*$`)

// Received returns the prompts with a token that the model got, in order and without what
// the agent added around them.
func (h *Harness) Received(t testing.TB, token string) []string {
	t.Helper()
	var found []string
	for line := range bytes.Lines([]byte(h.Run(t, "mock", "prompts"))) {
		var prompt struct{ Prompt string }
		if err := json.Unmarshal(line, &prompt); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(prompt.Prompt, token) {
			found = append(found, Unwrapped(prompt.Prompt))
		}
	}
	return found
}

// Unwrapped returns a prompt without what agents add around it.
func Unwrapped(prompt string) string {
	if inner := wrapped.FindStringSubmatch(prompt); inner != nil {
		prompt = inner[1]
	}
	return strings.TrimSpace(prompt)
}
