package ahead

import (
	"os"
	"path/filepath"
	"testing"

	"cupola/core/config"
)

func env(pairs map[string]string) func(string) string {
	return func(name string) string { return pairs[name] }
}

func TestSettingsMayPreventAskingAhead(t *testing.T) {
	for name, c := range map[string]struct {
		settings, transport string
		want                bool
	}{
		"no settings":             {"", "", true},
		"settings of other kinds": {"[alerts]\nidle = \"1h\"\n", "auto", true},
		"a private server":        {"[engine]\nsocket = \"/elsewhere\"\n", "", false},
		"the same, dotted":        {"engine.socket = \"/elsewhere\"\n", "", false},
		"processes only":          {"", "exec", false},
		"a word unknown":          {"", "pigeon", false},
	} {
		dir := t.TempDir()
		getenv := env(map[string]string{
			"XDG_CONFIG_HOME": dir, "CUPOLA_ENGINE_TRANSPORT": c.transport,
			"CUPOLA_ENGINE_SOCKET": "/run/s",
		})
		if c.settings != "" {
			write(t, config.PathsOf(getenv).File(), c.settings)
		}
		if path, ok := socket(getenv); ok != c.want || ok && path != "/run/s" {
			t.Errorf("%s: %q, %v", name, path, ok)
		}
	}
}

func TestSettingsThatCannotBeReadRuleOutAll(t *testing.T) {
	dir := t.TempDir()
	getenv := env(map[string]string{"HOME": dir, "CUPOLA_ENGINE_SOCKET": "/run/s"})
	if err := os.MkdirAll(config.PathsOf(getenv).File(), 0o700); err != nil { // a folder in its place
		t.Fatal(err)
	}
	if path, ok := socket(getenv); ok {
		t.Errorf("%s is asked", path)
	}
}

func TestSettingsLieWhereTheyAreRead(t *testing.T) {
	for name, pairs := range map[string]map[string]string{
		"home": {"HOME": "/home/me"}, "XDG": {"HOME": "/home/me", "XDG_CONFIG_HOME": "/etc/me"},
		"relative": {"HOME": "/home/me", "XDG_CONFIG_HOME": "me"},
	} {
		if got, want := settingsFile(env(pairs)), config.PathsOf(env(pairs)).File(); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
