package tmux_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cupola/core/engine"
	"cupola/core/engine/enginetest"
	"cupola/core/system/shell/shelltest"
)

// What is passed to a process as an argument can be read by everybody on the machine.
func TestNoVariableOfAPaneIsAnArgument(t *testing.T) {
	t.Parallel()
	for _, transport := range transports {
		server := enginetest.Private(t)
		dir := t.TempDir()
		log, wrapper := filepath.Join(dir, "arguments"), filepath.Join(dir, "tmux")
		script := "#!/bin/sh\nprintf '%s\\n' \"$@\" >>" + log + "\nexec " + server.Binary + " \"$@\"\n"
		if err := shelltest.WriteProgram(wrapper, []byte(script)); err != nil {
			t.Fatal(err)
		}
		logged := *server
		logged.Binary = wrapper
		eng := open(t, &logged, transport)
		environ := []string{"PATH=/usr/bin:/bin", "HOME=/", "INHERITED_KEY=inherited-value"}
		launch := engine.Launch{
			Session: "s", Argv: []string{"/bin/sh", "-c", "sleep 100"}, Environ: environ,
			Env: []string{"GIVEN_KEY=given-value"},
		}
		loc, err := eng.Create(t.Context(), launch)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := eng.Create(t.Context(), engine.Launch{Into: loc.Session, Environ: environ}); err != nil {
			t.Fatal(err)
		}
		if _, err := eng.Respawn(t.Context(), loc.Pane, launch); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(log)
		if err != nil || !strings.Contains(string(text), "new-session") {
			t.Fatalf("%v: no arguments were seen: %s", err, text)
		}
		if strings.Contains(string(text), "-value") {
			t.Errorf("a value is an argument:\n%s", text)
		}
	}
}
