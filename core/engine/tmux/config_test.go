package tmux_test

import (
	"os"
	"path/filepath"
	"testing"

	"cupola/core/engine"
	"cupola/core/engine/enginetest"
	"cupola/core/engine/tmux"
)

func TestAConfigFileReplacesTmuxsOwn(t *testing.T) {
	t.Parallel()
	enginetest.NeedsTmux(t)
	for _, test := range []struct{ why, config, want string }{
		{"tmux reads its own files", "", "home"},
		{"another file is read", "other.conf", "other"},
		{"nothing is read", os.DevNull, ""},
	} {
		m := enginetest.Private(t)
		for name, value := range map[string]string{".tmux.conf": "home", "other.conf": "other"} {
			if err := os.WriteFile(filepath.Join(m.Dir, name), []byte("set-option -g @read "+value+"\n"),
				0o600); err != nil {
				t.Fatal(err)
			}
		}
		config := test.config
		if config != "" && !filepath.IsAbs(config) {
			config = filepath.Join(m.Dir, config)
		}
		s, err := tmux.Open(tmux.Options{Binary: m.Binary, Socket: m.Socket, Environ: m.Environ, ConfigFile: config})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Create(t.Context(), engine.Launch{Session: "s", Argv: []string{"sleep", "1000"}}); err != nil {
			t.Fatal(err)
		}
		if got := m.Run("show-options", "-gqv", "@read"); got != test.want {
			t.Errorf("%s: @read is %q, want %q", test.why, got, test.want)
		}
	}
}
