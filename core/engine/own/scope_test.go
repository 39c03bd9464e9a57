package own_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cupola/core/engine"
	"cupola/core/engine/own"
	"cupola/core/system/shell/shelltest"
)

// TestAServerRunsInAScopeOfSystemd has a program in the place of systemd-run: one that does what it is asked, and one
// that refuses.
func TestAServerRunsInAScopeOfSystemd(t *testing.T) {
	for name, script := range map[string]string{
		"granted": "echo \"$*\" >>\"$ASKED\"\nwhile [ \"$1\" != -- ]; do shift; done\nshift\nexec \"$@\"\n",
		"refused": "echo \"$*\" >>\"$ASKED\"\nexit 1\n",
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			asked, bin := filepath.Join(dir, "asked"), filepath.Join(dir, "bin")
			err := errors.Join(os.MkdirAll(filepath.Join(dir, "systemd"), 0o700), os.Mkdir(bin, 0o700),
				os.WriteFile(filepath.Join(dir, "systemd", "private"), nil, 0o600),
				shelltest.WriteProgram(filepath.Join(bin, "systemd-run"), []byte("#!/bin/sh\n"+script)))
			if err != nil {
				t.Fatal(err)
			}
			t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
			s := private(t)
			own.Opts(s).Scope = []string{"systemd-run", "--user", "--scope", "--quiet", "--collect", "--"}
			own.Opts(s).Environ = append(own.Opts(s).Environ, "XDG_RUNTIME_DIR="+dir, "ASKED="+asked)
			loc := createIn(t, s, "s", "echo ready; exec sleep 1000")
			shows(t, s, loc.Pane, "ready")
			text, err := os.ReadFile(asked)
			if err != nil || !strings.HasPrefix(string(text), "--user --scope --quiet --collect -- true\n") {
				t.Errorf("asked %q, %v", text, err)
			}
			if granted := strings.Contains(string(text), s.SocketPath()); granted != (name == "granted") {
				t.Errorf("asked %q", text)
			}
			if _, err := s.List(t.Context(), engine.Brief); err != nil {
				t.Error(err)
			}
		})
	}
}
