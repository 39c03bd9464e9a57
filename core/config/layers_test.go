package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cupola/core"
	"cupola/core/config"
)

// other is a value of a key that is not its default.
func other(key config.Key) string {
	if last := len(key.Enum) - 1; last >= 0 && key.Type == "list" {
		return `["` + key.Enum[last] + `"]`
	} else if last >= 0 {
		return key.Enum[last]
	}
	values := map[string]string{
		"string": "x" + strings.Join(key.Parts, ""), "int": "7", "number": "2.5", "bool": "true", "duration": "7s",
		"list": `["a", "b"]`,
	}
	if key.Default() == "true" {
		return "false"
	}
	return values[key.Type]
}

// write makes files with texts and returns their paths.
func write(t testing.TB, dir string, texts map[string]string) {
	t.Helper()
	for name, text := range texts {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func TestEveryKeyIsSetByItsVariable(t *testing.T) {
	seen := 0
	for _, key := range config.Keys() {
		if key.Type == "table" {
			continue
		}
		seen++
		c, _, err := load(t, "", map[string]string{key.Env(): other(key)})
		if err != nil {
			t.Errorf("%s: %v", key.Name, err)
			continue
		}
		from := c.Origin(key.Name)
		if c.Value(key) != other(key) || from.Layer != config.Environment ||
			from.String() != "CUPOLA_"+strings.ToUpper(strings.ReplaceAll(key.Name, ".", "_")) {
			t.Errorf("%s is %s, from %s", key.Name, c.Value(key), from)
		}
		if key.Doc == "" || strings.HasSuffix(key.Doc, ".") {
			t.Errorf("%s: its line is %q", key.Name, key.Doc)
		}
	}
	if seen < 16 {
		t.Errorf("only %d keys", seen)
	}
}

func TestTheProjectStandsBetweenTheUserAndTheEnvironment(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{
		"config.toml":  "[alerts]\nidle = \"1m\"\ndisk_mb = 1\n[sessions]\nhide_foreign = false\n",
		".cupola.toml": "[sessions]\nhide_foreign = true\n",
	})
	env := map[string]string{"CUPOLA_ALERTS_IDLE": "3m"}
	c, err := loadAll(config.Paths{Config: dir, Project: filepath.Join(dir, ".cupola.toml")},
		func(name string) string { return env[name] })
	if err != nil {
		t.Fatal(err)
	}
	for key, layer := range map[string]config.Layer{
		"alerts.idle": config.Environment, "sessions.hide_foreign": config.Project, "alerts.disk_mb": config.User,
		"alerts.disk_percent": config.Default,
	} {
		if from := c.Origin(key); from.Layer != layer {
			t.Errorf("%s comes from %+v, not %s", key, from, layer)
		}
	}
	if c.Alerts.Idle.Minutes() != 3 || !c.Sessions.HideForeign || c.Alerts.DiskMB != 1 {
		t.Errorf("%+v", c.Alerts)
	}
}

func TestAProjectCannotSetWhatIsTheUsers(t *testing.T) {
	guarded := 0
	for _, key := range config.Keys() {
		dir := t.TempDir()
		if key.Type == "table" {
			continue
		}
		text := strings.Replace("\n["+key.Name, ".", "]\n", 1) + " = " + quoted(key) + "\n"
		write(t, dir, map[string]string{".cupola.toml": text})
		paths := config.Paths{Config: dir, Project: filepath.Join(dir, ".cupola.toml")}
		_, err := loadAll(paths, func(string) string { return "" })
		_, planned := config.Set(paths, config.Project, key.Name, []string{other(key)})
		if section := key.Section(); key.Guard == "" && (section == "alerts" || section == "notify") {
			t.Errorf("a project's file may set %s, and keep the user from being told", key.Name)
		}
		if key.Guard == "" {
			if err != nil || planned != nil {
				t.Errorf("%s: %v, %v", key.Name, err, planned)
			}
			continue
		}
		guarded++
		if e := core.AsError(err); !e.HasCode(core.ConfigInvalid) ||
			e.Message != paths.Project+": line 3: a project's file cannot set "+key.Name+": "+key.Guard {
			t.Errorf("%s: %v", key.Name, err)
		}
		if e := core.AsError(planned); !e.HasCode(core.InvalidInput) || !strings.Contains(e.Message, key.Guard) {
			t.Errorf("%s: %v", key.Name, planned)
		}
	}
	if guarded < 15 {
		t.Errorf("only %d keys are guarded", guarded)
	}
}

func TestATableIsMergedByEntry(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{
		"config.toml":  "[prices.a]\ninput = 1\n[prices.\"b/c\"]\noutput = 2\n",
		".cupola.toml": "[prices.a]\ninput = 9\n",
	})
	c, err := loadAll(config.Paths{Config: dir}, func(string) string { return "" })
	if err != nil || c.Prices["a"].Input != 1 || c.Prices["b/c"].Output != 2 ||
		c.Origin("prices").String() != dir+"/config.toml:1" {
		t.Errorf("%+v, %v", c, err)
	}
	_, err = loadAll(config.Paths{Config: dir, Project: dir + "/.cupola.toml"}, func(string) string { return "" })
	if e := core.AsError(err); !e.HasCode(core.ConfigInvalid) ||
		!strings.Contains(e.Message, "line 1: a project's file cannot set prices") {
		t.Errorf("got %v", err)
	}
	if _, err := config.Set(config.Paths{Config: dir}, config.User, "prices",
		[]string{"1"}); !core.AsError(err).HasCode(core.InvalidInput) {
		t.Errorf("got %v", err)
	}
}

// quoted is another value of a key as a file holds it.
func quoted(key config.Key) string {
	if key.Type == "string" || key.Type == "duration" {
		return `"` + other(key) + `"`
	}
	return other(key)
}

func TestTheProjectsFileIsFoundUpward(t *testing.T) {
	home := t.TempDir()
	write(t, home, map[string]string{
		"code/.git/HEAD": "", "code/.cupola.toml": "", "code/a/b/x": "", "code/sub/.cupola.toml": "",
		"code/sub/deep/x": "", "bare/.git/HEAD": "", "bare/a/x": "", "loose/a/x": "", "notes/.cupola.toml": "",
		"notes/a/x": "", ".cupola.toml": "",
	})
	unrelated := t.TempDir()
	write(t, unrelated, map[string]string{".cupola.toml": "", "a/x": "", "b/.cupola.toml": ""})
	write(t, unrelated, map[string]string{"above/.git/HEAD": "", "above/a/b/c/x": ""})
	env := map[string]string{
		"HOME": home, "GIT_CEILING_DIRECTORIES": filepath.Dir(unrelated) + ":" + unrelated + "/above/a",
	}
	for _, test := range []struct{ dir, want string }{
		{unrelated + "/above/a", unrelated + "/above/.cupola.toml"},
		{unrelated + "/above/a/b/c", unrelated + "/above/a/b/c/.cupola.toml"},
		{home + "/code", home + "/code/.cupola.toml"},
		{home + "/code/a/b", home + "/code/.cupola.toml"},
		{home + "/code/sub/deep", home + "/code/sub/.cupola.toml"},
		{home + "/bare/a", home + "/bare/.cupola.toml"},
		{home + "/notes/a", home + "/notes/.cupola.toml"},
		{home + "/loose/a", home + "/.cupola.toml"},
		{unrelated + "/a", unrelated + "/a/.cupola.toml"},
		{unrelated + "/b/", unrelated + "/b/.cupola.toml"},
	} {
		if got := config.ProjectFile(test.dir, func(name string) string { return env[name] }); got != test.want {
			t.Errorf("%s: got %s, want %s", test.dir, got, test.want)
		}
	}
}

func TestATemplateChangesNothing(t *testing.T) {
	paths := config.Paths{Config: filepath.Join(t.TempDir(), "new")}
	change, err := config.Init(paths, false)
	if err != nil {
		t.Fatal(err)
	}
	if err := change.Apply(); err != nil {
		t.Fatal(err)
	}
	c, err := loadAll(paths, func(string) string { return "" })
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range config.Keys() {
		if c.Value(key) != key.Default() || !strings.Contains(string(change.After), key.Doc) {
			t.Errorf("%s is %s, from %s", key.Name, c.Value(key), c.Origin(key.Name))
		}
	}
	if _, err := config.Init(paths, false); !core.AsError(err).HasCode(core.AlreadyExists) {
		t.Errorf("got %v", err)
	}
	if again, err := config.Init(paths, true); err != nil || again.Changes() {
		t.Errorf("%+v, %v", again, err)
	}
}
