package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/BurntSushi/toml"

	"cupola/core"
	"cupola/core/config"
)

func TestSettingAKeyKeepsTheRest(t *testing.T) {
	for _, test := range []struct{ why, before, key, value, after string }{
		{"no file", "", "alerts.idle", "1h", "[alerts]\nidle = \"1h\"\n"},
		{
			"the value is there", "# mine\n[alerts] # these\nidle =   \"5m\"   # long\n\n[store]\ndays=1\n",
			"alerts.idle", "1h", "# mine\n[alerts] # these\nidle =   \"1h\"   # long\n\n[store]\ndays=1\n",
		},
		{
			"the section is there", "[store]\ndays = 1\n\n[alerts]\nidle = \"1m\"\n", "store.events", "5",
			"[store]\ndays = 1\nevents = 5\n\n[alerts]\nidle = \"1m\"\n",
		},
		{"the section is empty", "[store]\n[alerts]\n", "store.days", "5", "[store]\ndays = 5\n[alerts]\n"},
		{
			"another section", "[store]\ndays = 1", "notify.bell", "false",
			"[store]\ndays = 1\n\n[notify]\nbell = false\n",
		},
		{
			"a comment shows it", "[store]\n# days = 90\n# events = 3\n", "store.days", "5",
			"[store]\n# days = 90\ndays = 5\n# events = 3\n",
		},
		{
			"dotted names", "store.days = 1 # d\n[alerts]\n", "store.events", "5",
			"store.days = 1 # d\nstore.events = 5\n[alerts]\n",
		},
		{"a dotted name", "store.days = 1 # d\n", "store.days", "5", "store.days = 5 # d\n"},
		{"quoted names", "[\"store\"]\n'days' = 1\n", "store.days", "5", "[\"store\"]\n'days' = 5\n"},
		{
			"line ends of Windows", "[store]\r\ndays = 1\r\n", "store.events", "5",
			"[store]\r\ndays = 1\r\nevents = 5\r\n",
		},
		{
			"a list over lines", "[notify]\ncommand = [ # who\n  \"a ] b\", 'c#',\n]  # end\nbell = true\n",
			"notify.command", "[\"x\", \"y\"]", "[notify]\ncommand = [\"x\", \"y\"]  # end\nbell = true\n",
		},
		{
			"a long text", "[engine]\nsocket = \"\"\"a\n[store]\ndays = 1\"\"\"\n", "engine.socket", "/s",
			"[engine]\nsocket = \"/s\"\n",
		},
		{"a list by commas", "", "notify.command", "say, it", "[notify]\ncommand = [\"say\", \"it\"]\n"},
	} {
		paths := config.Paths{Config: t.TempDir()}
		write(t, paths.Config, map[string]string{"config.toml": test.before})
		change, err := config.Set(paths, config.User, test.key, []string{test.value})
		if err != nil {
			t.Errorf("%s: %v", test.why, err)
			continue
		}
		if string(change.After) != test.after {
			t.Errorf("%s: got\n%s\nwant\n%s", test.why, change.After, test.after)
		}
	}
}

func TestUnsettingAKeyKeepsTheRest(t *testing.T) {
	for _, test := range []struct{ why, before, key, after string }{
		{"a line", "# a\n[store]\n# b\ndays = 1 # c\nevents = 2\n", "store.days", "# a\n[store]\n# b\nevents = 2\n"},
		{
			"several lines", "[notify]\ncommand = [\n\"a\",\n]\nbell = true\n", "notify.command",
			"[notify]\nbell = true\n",
		},
		{"not there", "[store]\ndays = 1\n", "store.events", "[store]\ndays = 1\n"},
		{"no key", "[store]\ndasy = 1\ndays = 2\n", "store.dasy", "[store]\ndays = 2\n"},
		{"a dotted name", "store.days = 1\nalerts.idle = \"1m\"\n", "store.days", "alerts.idle = \"1m\"\n"},
	} {
		paths := config.Paths{Config: t.TempDir()}
		write(t, paths.Config, map[string]string{"config.toml": test.before})
		change, err := config.Unset(paths, config.User, test.key)
		if err != nil || string(change.After) != test.after {
			t.Errorf("%s: %v; got\n%s\nwant\n%s", test.why, err, change.After, test.after)
		}
	}
	if _, err := config.Unset(config.Paths{Config: t.TempDir()}, config.User,
		"store.dasy"); !core.AsError(err).HasCode(core.InvalidInput) {
		t.Errorf("got %v", err)
	}
}

func TestWhatCannotBeSetIsExplained(t *testing.T) {
	for _, test := range []struct {
		why, text, key string
		values         []string
		code           core.Code
		says           string
	}{
		{"no such key", "", "store.dasy", []string{"1"}, core.InvalidInput, `no setting is named "store.dasy"`},
		{
			"a wrong choice", "", "engine.transport",
			[]string{"exce"},
			core.InvalidInput,
			`engine.transport is "exce"; it must be one of auto, socket, exec`,
		},
		{
			"a wrong number", "", "store.days",
			[]string{"ten"},
			core.InvalidInput,
			`store.days is "ten"; it must be a whole number`,
		},
		{
			"below nothing", "", "store.days",
			[]string{"-1"},
			core.InvalidInput,
			"store.days is -1; it must be 0 or more",
		},
		{
			"a wrong time", "", "alerts.idle",
			[]string{"ten"},
			core.InvalidInput,
			`alerts.idle is "ten"; it must be a time`,
		},
		{
			"neither true nor false", "", "notify.bell",
			[]string{"maybe"},
			core.InvalidInput,
			`notify.bell is "maybe"; it must be true or false`,
		},
		{"no UTF-8", "", "notify.command", []string{"a", "\xae"}, core.InvalidInput, "notify.command is not UTF-8"},
		{"two values", "", "store.days", []string{"1", "2"}, core.InvalidInput, "store.days takes one value, not 2"},
		{"half a list", "", "notify.command", []string{"[\"a\""}, core.InvalidInput, "it must be a list of texts"},
		{
			"more than a list", "", "notify.command",
			[]string{"[]\nx = 1"},
			core.InvalidInput,
			"it must be a list of texts",
		},
		{"a broken file", "[store\n", "store.days", []string{"1"}, core.ConfigInvalid, "config.toml: line 2: "},
		{
			"an inline section", "store = { days = 1 }\n", "store.days",
			[]string{"2"},
			core.ConfigInvalid,
			"cannot be changed alone",
		},
	} {
		paths := config.Paths{Config: t.TempDir()}
		write(t, paths.Config, map[string]string{"config.toml": test.text})
		_, err := config.Set(paths, config.User, test.key, test.values)
		if e := core.AsError(err); !e.HasCode(test.code) || !strings.Contains(e.Message, test.says) {
			t.Errorf("%s: got %v", test.why, err)
		}
	}
}

func FuzzAKeyIsSetAndNothingElse(f *testing.F) {
	f.Add("[store]\ndays = 1 # a\n", "store.days", "5")
	f.Add("store.days = 1\n[alerts]\nidle = '''\n[x]'''\n", "store.events", "5")
	f.Add("a = [ \"]\", # ]\n]\n[[b]]\nc = {d = \"}\"}\n", "alerts.idle", "1h")
	f.Add("", "notify.command", "\xae")
	f.Add("\"\\u0061\" = 1\r\n[ store . x ]\r\ny=1\n", "notify.command", "a,b")
	f.Fuzz(func(t *testing.T, text, key, value string) {
		paths := config.Paths{Config: t.TempDir()}
		write(t, paths.Config, map[string]string{"config.toml": text})
		change, err := config.Set(paths, config.User, key, []string{value})
		if err != nil {
			if core.AsError(err).HasCode(core.InternalError) {
				t.Error(err)
			}
			return
		}
		var before, after map[string]any
		if _, err := toml.Decode(text, &before); err != nil {
			t.Fatalf("a broken file is changed: %v", err)
		}
		if _, err := toml.Decode(string(change.After), &after); err != nil {
			t.Fatalf("%q became %q: %v", text, change.After, err)
		}
		if err := os.WriteFile(filepath.Join(paths.Config, "config.toml"), change.After, 0o600); err != nil {
			t.Fatal(err)
		}
		if again, err := config.Set(paths, config.User, key, []string{value}); err != nil || again.Changes() {
			t.Errorf("%q became %q, and changes again: %v", text, change.After, err)
		}
	})
}

// A change is foreseen as it holds once it is made, below what is stronger.
func TestAChangeIsForeseen(t *testing.T) {
	paths := config.Paths{Config: t.TempDir()}
	key, err := config.KeyNamed("display.theme")
	if err != nil {
		t.Fatal(err)
	}
	change, err := config.Set(paths, config.User, key.Name, []string{"nord"})
	if err != nil {
		t.Fatal(err)
	}
	unset := func(string) string { return "" }
	now, then := config.Load(paths, unset).Value(key), config.LoadWith(paths, unset, change).Value(key)
	if now == "nord" || then != "nord" {
		t.Errorf("it is %s and will be %s", now, then)
	}
	stronger := func(name string) string {
		if name == key.Env() {
			return "dracula"
		}
		return ""
	}
	if then := config.LoadWith(paths, stronger, change).Value(key); then != "dracula" {
		t.Errorf("below the environment it will be %s", then)
	}
}

// A field of an entry of a table is set, read and unset by its name, and a time may lack its unit.
func TestAFieldOfAnEntryAndABareTimeCanBeSet(t *testing.T) {
	paths := config.Paths{Config: t.TempDir()}
	for _, set := range [][2]string{{"backends.ollama.model", "1.5"}, {"relay.timeout", "30"}, {"relay.quiet", "2m"}} {
		change, err := config.Set(paths, config.User, set[0], []string{set[1]})
		if err == nil {
			err = change.Apply()
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	loaded := config.Load(paths, func(string) string { return "" })
	for name, want := range map[string]string{
		"backends.ollama.model": "1.5", "backends.ollama.api": "", "relay.timeout": "30s", "relay.quiet": "2m",
	} {
		key, err := config.KeyNamed(name)
		if err != nil {
			t.Fatal(err)
		}
		if got := loaded.Value(key); got != want && name != "backends.ollama.api" {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	if layer := loaded.Origin("backends.ollama.model").Layer; layer != config.User {
		t.Errorf("the model comes from %s", layer)
	}
	_, err := config.KeyNamed("backends.ollama.modell")
	if e := core.AsError(err); !e.HasCode(core.InvalidInput) || len(e.Suggestions) != 1 ||
		e.Suggestions[0] != "backends.ollama.model" {
		t.Errorf("a slip: %+v", e)
	}
}
