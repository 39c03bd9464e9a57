package config_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/config"
)

// loadAll loads settings; the error is the first fault of them.
func loadAll(paths config.Paths, getenv func(string) string) (*config.Config, error) {
	c := config.Load(paths, getenv)
	if faults := c.Faults(); len(faults) > 0 {
		return c, faults[0].Err
	}
	return c, nil
}

// load reads a file with the given text under an environment.
func load(t *testing.T, text string, env map[string]string) (*config.Config, config.Paths, error) {
	t.Helper()
	paths := config.Paths{Config: t.TempDir()}
	if err := os.WriteFile(paths.File(), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := loadAll(paths, func(name string) string { return env[name] })
	return c, paths, err
}

func TestWithoutAFileTheDefaultsHold(t *testing.T) {
	c, err := loadAll(config.Paths{Config: filepath.Join(t.TempDir(), "none")}, func(string) string { return "" })
	if err != nil {
		t.Fatal(err)
	}
	if c.Engine.Transport != "auto" || c.Engine.Socket != "" || c.Sessions.HideForeign ||
		c.Origin("engine.transport") != (config.Origin{Layer: config.Default}) {
		t.Errorf("got %+v", c)
	}
}

func TestLaterSourcesWinAndAreNamed(t *testing.T) {
	text := "[engine]\nsocket = \"/file\"\ntransport = \"exec\"\n[sessions]\nhide_foreign = true\n[store]\ndays = 7\n"
	c, paths, err := load(t, text, map[string]string{"CUPOLA_ENGINE_SOCKET": "/env"})
	if err != nil {
		t.Fatal(err)
	}
	if c.Store.Days != 7 || c.Store.Prompts == 0 || c.Engine.Socket != "/env" || c.Engine.Transport != "exec" ||
		!c.Sessions.HideForeign {
		t.Errorf("got %+v", c)
	}
	for key, want := range map[string]string{
		"engine.socket": "CUPOLA_ENGINE_SOCKET", "engine.transport": paths.File() + ":3",
		"sessions.hide_foreign": paths.File() + ":5", "store.events": "default",
	} {
		if got := c.Origin(key).String(); got != want {
			t.Errorf("%s comes from %s, want %s", key, got, want)
		}
	}
}

func TestAFileThatCannotBeUnderstoodNamesItsFault(t *testing.T) {
	for _, test := range []struct{ why, text, says, near string }{
		{"no TOML", "[engine]\nsocket = \n", "line 2: ", ""},
		{"a wrong type", "[engine]\nsocket = 5\n", "line 2: engine.socket is 5; it must be a text", ""},
		{"an unknown key", "[engine]\nsoket = \"x\"\n", "unknown key engine.soket", "engine.socket"},
		{
			"a price below nothing", "[prices.\"m\"]\ninput = -1\n",
			`line 1: prices.m has input = -1; it must be 0 or more`, "",
		},
		{"an unknown part of a price", "[prices.m]\ninputs = 1\n", "line 2: unknown key prices.m.inputs", ""},
		{"prices that are none", "prices = 5\n", "line 1: prices is a section; write it as [prices]", ""},
		{"a price that is none", "[prices]\nm = 5\n", `line 2: prices.m is a whole number; it must be a section`, ""},
		{"an unknown table", "[zzzz]\n", "line 1: unknown key zzzz", ""},
		{"a count below nothing", "[store]\ndays = -1\n", "store.days is -1; it must be 0 or more", ""},
		{
			"a wrong value", "[engine]\ntransport = \"pigeon\"\n",
			"engine.transport is \"pigeon\"; it must be one of auto, socket, exec", "",
		},
		{"a time below nothing", "[alerts]\nidle = \"-1m\"\n", "alerts.idle is -1m; it must be 0 or more", ""},
		{"no time", "[alerts]\nidle = \"soon\"\n", "line 2: alerts.idle is \"soon\"; it must be a time", ""},
		{"no section", "engine = 5\n", "line 1: engine is a section; write it as [engine]", ""},
		{"a list of sections", "[[engine]]\nsocket = \"x\"\n", "line 1: engine is a section; write it as [engine]", ""},
		{
			"no list of texts", "[notify]\ncommand = [\"a\", 5]\n",
			"line 2: notify.command is [a 5]; it must be a list of texts", "",
		},
		{
			"a wrong severity", "[notify]\nseverity = \"loud\"\n",
			"notify.severity is \"loud\"; it must be one of critical, error, warning, info", "",
		},
	} {
		_, paths, err := load(t, test.text, nil)
		e := core.AsError(err)
		if e == nil || e.Code != core.ConfigInvalid || !strings.HasPrefix(e.Message, paths.File()+": ") ||
			!strings.Contains(e.Message, test.says) {
			t.Errorf("%s: got %v, want %s", test.why, err, test.says)
			continue
		}
		if test.near != "" && (!slices.Contains(e.Suggestions, test.near) || e.Hint != "Did you mean "+test.near+"?") {
			t.Errorf("%s: suggestions %q, hint %q", test.why, e.Suggestions, e.Hint)
		}
	}
}

func TestAWrongValueInTheEnvironmentSaysSo(t *testing.T) {
	_, _, err := load(t, "", map[string]string{"CUPOLA_ENGINE_TRANSPORT": "pigeon"})
	if e := core.AsError(err); e == nil || e.Code != core.ConfigInvalid ||
		!strings.HasPrefix(e.Message, "environment: ") {
		t.Errorf("got %v", err)
	}
}

func TestAFileThatCannotBeReadIsAnError(t *testing.T) {
	paths := config.Paths{Config: t.TempDir()}
	if err := os.Mkdir(paths.File(), 0o700); err != nil {
		t.Fatal(err)
	}
	_, err := loadAll(paths, func(string) string { return "" })
	if e := core.AsError(err); e == nil || e.Code != core.ConfigInvalid {
		t.Errorf("got %v", err)
	}
}

func TestFoldersFollowTheEnvironment(t *testing.T) {
	uid := filepath.Base(config.PathsOf(func(string) string { return "" }).Runtime)
	for _, test := range []struct {
		why string
		env map[string]string
		cfg config.Paths
	}{
		{
			"home only",
			map[string]string{"HOME": "/h"},
			config.Paths{
				Config: "/h/.config/cupola", Data: "/h/.local/share/cupola", State: "/h/.local/state/cupola",
				Runtime: filepath.Join(os.TempDir(), uid),
			},
		},
		{
			"all set",
			map[string]string{
				"HOME": "/h", "XDG_CONFIG_HOME": "/c", "XDG_DATA_HOME": "/d", "XDG_STATE_HOME": "/s",
				"XDG_RUNTIME_DIR": "/r",
			},
			config.Paths{Config: "/c/cupola", Data: "/d/cupola", State: "/s/cupola", Runtime: "/r/cupola"},
		},
		{
			"relative values",
			map[string]string{"HOME": "h", "XDG_CONFIG_HOME": "c", "XDG_STATE_HOME": ".", "XDG_RUNTIME_DIR": "r"},
			config.Paths{
				Config: "/.config/cupola", Data: "/.local/share/cupola", State: "/.local/state/cupola",
				Runtime: filepath.Join(os.TempDir(), uid),
			},
		},
		{"nothing", nil, config.Paths{
			Config: "/.config/cupola", Data: "/.local/share/cupola",
			State: "/.local/state/cupola", Runtime: filepath.Join(os.TempDir(), uid),
		}},
	} {
		if got := config.PathsOf(func(name string) string { return test.env[name] }); got != test.cfg {
			t.Errorf("%s: got %+v, want %+v", test.why, got, test.cfg)
		}
	}
	paths := config.Paths{Config: "/c", Data: "/d"}
	if paths.File() != "/c/config.toml" || paths.Agents() != "/c/agents" || paths.Store() != "/d/cupola.db" {
		t.Errorf("got %s and %s", paths.File(), paths.Agents())
	}
}

func FuzzLoadReadsOrExplains(f *testing.F) {
	f.Add("[engine]\nsocket = \"x\"\n")
	f.Add("engine = 5\n[sessions]\nhide_foreign = 1\n")
	f.Add("\xff[[engine]]\n\x00")
	f.Fuzz(func(t *testing.T, text string) {
		c, _, err := load(t, text, nil)
		if (len(c.Warnings()) == 0) != (err == nil) {
			t.Fatalf("%q: %q, %v", text, c.Warnings(), err)
		}
		if err != nil && core.AsError(err).Code != core.ConfigInvalid {
			t.Errorf("%q: %v", text, err)
		}
	})
}

func TestTimesAndCommandsAreRead(t *testing.T) {
	c, _, err := load(t, "[alerts]\nwaiting_critical = \"90s\"\nstalled = \"0s\"\n[notify]\ncommand = [\"say\", "+
		"\"it\"]\nbell = false\n", nil)
	if err != nil || c.Alerts.WaitingCritical != 90*time.Second || c.Alerts.Stalled != 0 ||
		c.Alerts.Idle != 30*time.Minute {
		t.Errorf("%+v, %v", c, err)
	}
	if !slices.Equal(c.Notify.Command, []string{"say", "it"}) || c.Notify.Bell || c.Notify.Severity != "warning" {
		t.Errorf("%+v", c.Notify)
	}
}
