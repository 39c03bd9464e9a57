package config_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"cupola/core"
	"cupola/core/config"
)

// wrongFor returns what no setting of a type may be, in a file and in the environment; the latter is empty where the
// environment cannot be wrong.
func wrongFor(key config.Key) (file, env string) {
	switch {
	case len(key.Enum) > 0:
		return `"nosuch"`, "nosuch"
	case key.Type == "string":
		return "5", ""
	case key.Type == "list":
		return "5", "[5]"
	case key.Type == "table":
		return "5", ""
	}
	return `"nosuch"`, "nosuch"
}

func TestAnUnknownValueOfAnySettingIsAWarningAndTheDefaultHolds(t *testing.T) {
	seen := 0
	for _, key := range config.Keys() {
		seen++
		want := key.Default()
		if key.Safe != "" {
			want = key.Safe
		}
		file, env := wrongFor(key)
		check := func(where string, c *config.Config) {
			t.Helper()
			warnings := c.Warnings()
			if len(warnings) != 1 || !strings.Contains(warnings[0], key.Name) {
				t.Errorf("%s in %s: warnings %q", key.Name, where, warnings)
			}
			if c.Value(key) != want {
				t.Errorf("%s in %s: what holds is %q, not %q", key.Name, where, c.Value(key), want)
			}
			if err := c.Need(key.Name); core.AsError(err) == nil || !core.AsError(err).HasCode(core.ConfigInvalid) {
				t.Errorf("%s in %s: who needs it gets %v", key.Name, where, err)
			}
			if err := c.Need("sessions.none"); err != nil {
				t.Errorf("%s in %s: who does not need it gets %v", key.Name, where, err)
			}
		}
		c, _, _ := load(t, key.Name+" = "+file+"\n", nil)
		check("a file", c)
		if env != "" {
			c, _, _ = load(t, "", map[string]string{key.Env(): env})
			check("the environment", c)
		}
	}
	if seen < 58 {
		t.Errorf("only %d settings were tried", seen)
	}
}

func TestAnUnknownKeyIsAWarningAndTheRestHolds(t *testing.T) {
	seen := map[string]bool{}
	for _, key := range config.Keys() {
		if seen[key.Section()] {
			continue
		}
		seen[key.Section()] = true
		name := key.Section() + ".zzzz_newer"
		if key.Type == "table" {
			name = key.Section() + ".one.zzzz_newer"
		}
		c, _, _ := load(t, name+" = 1\ndisplay.group = \"state\"\nzzzz = 1\nfuture.x = 1\n", nil)
		if warnings := c.Warnings(); len(warnings) != 3 || !strings.Contains(strings.Join(warnings, "\n"), name) {
			t.Errorf("%s: warnings %q", name, warnings)
		}
		if c.Display.Group != "state" {
			t.Errorf("%s: the rest of the file does not hold", name)
		}
		if err := c.Need(key.Section()); err != nil {
			t.Errorf("%s: a key of a newer version is refused: %v", name, err)
		}
		for _, warning := range c.Warnings() {
			if len(warning) > 200+len(os.TempDir())+100 {
				t.Errorf("a warning of %d bytes: %s", len(warning), warning)
			}
		}
	}
}

func TestANearMissIsReportedAndMakesTheSettingUnreliable(t *testing.T) {
	c, _, _ := load(t, "[crew]\nmax_cost_usdd = 5\n[store]\ndais = 7\n[hosts.a]\nssh = \"a\"\ndisabld = true\n", nil)
	if c.Need("crew") == nil || c.Need("hosts.a") == nil || c.Need("relay") != nil {
		t.Errorf("needed: %v, %v, %v", c.Need("crew"), c.Need("hosts.a"), c.Need("relay"))
	}
	if c.Store.Days != 0 {
		t.Errorf("records older than %d days would be removed", c.Store.Days)
	}
	if len(c.Hosts) != 0 {
		t.Errorf("a host that was to be disabled is used: %v", c.Hosts)
	}
	if said := strings.Join(c.Warnings(), "\n"); !strings.Contains(said, "did you mean crew.max_cost_usd?") {
		t.Errorf("warnings %s", said)
	}
}

// broken makes a file that cannot be read as settings, for each way in which that can be.
var broken = map[string]func(path string) error{
	"no TOML":     text("[display]\ngroup = [\n"),
	"a key twice": text("[display]\ngroup = \"state\"\ngroup = \"kind\"\n"),
	"NUL":         text("[display]\n\x00\n"),
	"no UTF-8":    text("a = \"\xff\"\n"),
	"a bomb":      text("a = " + strings.Repeat("[", 100_000)),
	"too long":    text(strings.Repeat("#", 5<<20)),
	"many keys":   text(manyKeys()),
	"FIFO":        func(path string) error { return syscall.Mkfifo(path, 0o600) },
	"folder":      func(path string) error { return os.Mkdir(path, 0o700) },
	"device":      func(path string) error { return os.Symlink("/dev/zero", path) },
	"link to it":  func(path string) error { return os.Symlink(filepath.Base(path), path) },
	"no end":      func(path string) error { return os.Symlink("/nonexistent/file", path) },
}

func text(text string) func(string) error {
	return func(path string) error { return os.WriteFile(path, []byte(text), 0o600) }
}

func manyKeys() string {
	var b strings.Builder
	for i := range 6000 {
		fmt.Fprintf(&b, "k%d=1\n", i)
	}
	return b.String()
}

func TestAFileThatCannotBeReadIsNamedAndLeftOut(t *testing.T) {
	for why, make := range broken {
		for _, layer := range []config.Layer{config.User, config.Project} {
			dir := t.TempDir()
			paths := config.Paths{Config: dir, Project: filepath.Join(dir, ".cupola.toml")}
			if err := make(paths.Of(layer)); err != nil {
				t.Fatal(err)
			}
			c := config.Load(paths, func(name string) string {
				if name == "CUPOLA_DISPLAY_GROUP" {
					return "state"
				}
				return ""
			})
			if warnings := c.Warnings(); len(warnings) != 1 || !strings.Contains(warnings[0], paths.Of(layer)) {
				t.Errorf("%s as %s: warnings %.300q", why, layer, warnings)
			}
			if c.Display.Group != "state" || c.Relay.Sandbox != "read-only" {
				t.Errorf("%s as %s: %+v", why, layer, c)
			}
			if days := c.Store.Days; (days == 0) != (layer == config.User) {
				t.Errorf("%s as %s: records are kept %d days", why, layer, days)
			}
			if err := c.Need("crew"); (err != nil) != (layer == config.User) {
				t.Errorf("%s as %s: who needs limits gets %v", why, layer, err)
			}
		}
	}
}

func TestTheTerminalServerOfABrokenFileIsStillAsked(t *testing.T) {
	for _, test := range []struct {
		text, socket string
		certain      bool
	}{
		{"[engine]\nsocket = \"/s\"\n[display]\nbroken = [\n", "/s", true},
		{"broken = [\n[engine] # mine\n# here\nsocket = \"/s\" # there\nkind = \"tmux\"\n", "/s", true},
		{"engine.socket = \"/s\"\nbroken = [\n", "/s", true},
		{"\ufeff[engine]\r\nsocket = '/s'\r\n[x\r\n", "/s", false},
		{"[engine]\nsocket = \"/s\n", "", false},
		{"[engine\nsocket = \"/s\"\n", "/s", false},
		{"[engine]\nsocket = \"/s\"\nsocket = \"/t\"\n", "/t", false},
		{"[story]\nsetup = [\"\"\"\n[engine]\nsocket = \"/s\"\n\"\"\"\n", "", false},
		{"[engines]\nsocket = \"/s\"\nbroken = [\n", "", true},
	} {
		c, _, _ := load(t, test.text, nil)
		err := c.Need("engine")
		if c.Engine.Socket != test.socket || (err == nil) != test.certain {
			t.Errorf("%q: socket %q, who needs it gets %v", test.text, c.Engine.Socket, err)
		}
		said := strings.Join(c.Warnings(), "\n")
		if strings.Contains(said, "usual terminal servers") == test.certain {
			t.Errorf("%q: warnings %s", test.text, said)
		}
	}
}

func TestNothingHoldsOfAProjectThatSetsWhatItMustNot(t *testing.T) {
	seen := 0
	for _, key := range config.Keys() {
		if key.Guard == "" || key.Type == "table" {
			continue
		}
		seen++
		dir := t.TempDir()
		paths := config.Paths{Config: dir, Project: filepath.Join(dir, ".cupola.toml")}
		set := other(key)
		if key.Type == "string" || key.Type == "duration" {
			set = fmt.Sprintf("%q", set)
		}
		write(t, dir, map[string]string{".cupola.toml": "display.group = \"state\"\n" + key.Name + " = " + set + "\n"})
		c := config.Load(paths, func(string) string { return "" })
		if c.Value(key) != key.Default() || c.Display.Group != "session" || len(c.Warnings()) != 1 {
			t.Errorf("%s is %s, the group %s; warnings %q", key.Name, c.Value(key), c.Display.Group, c.Warnings())
		}
	}
	if seen < 20 {
		t.Errorf("only %d settings are guarded", seen)
	}
}
