package config_test

import (
	"os"
	"path/filepath"
	"testing"

	"cupola/core/config"
	"cupola/core/host"
)

func TestHostsAreWrittenIntoSectionsOfTheirOwn(t *testing.T) {
	paths := config.Paths{Config: t.TempDir()}
	file := filepath.Join(paths.Config, "config.toml")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	set := func(name string, settings host.Settings) string {
		t.Helper()
		change, err := config.SetHosts(paths, map[string]*host.Settings{name: &settings})
		if err != nil {
			t.Fatal(err)
		}
		write(string(change.After))
		return string(change.After)
	}
	const other = "# mine\n[display]\ntheme = \"nord\" # dark\n"
	write(other)
	one := set("gpu1", host.Settings{SSH: "dev@gpu1", Options: []string{"-p", "2222"}})
	if want := other + "\n[hosts.gpu1]\nssh = \"dev@gpu1\"\noptions = [\"-p\", \"2222\"]\n"; one != want {
		t.Errorf("added:\n%s", one)
	}
	two := set("gpu2", host.Settings{SSH: "gpu2", Disabled: true})
	if want := one + "\n[hosts.gpu2]\nssh = \"gpu2\"\ndisabled = true\n"; two != want {
		t.Errorf("added another:\n%s", two)
	}
	changed := set("gpu1", host.Settings{SSH: "other"})
	want := other + "\n[hosts.gpu1]\nssh = \"other\"\n\n[hosts.gpu2]\nssh = \"gpu2\"\ndisabled = true\n"
	if changed != want {
		t.Errorf("changed:\n%s", changed)
	}
	change, err := config.SetHosts(paths, map[string]*host.Settings{"gpu1": nil})
	if err != nil {
		t.Fatal(err)
	}
	if want := other + "\n\n[hosts.gpu2]\nssh = \"gpu2\"\ndisabled = true\n"; string(change.After) != want {
		t.Errorf("removed:\n%s", change.After)
	}
	// What is written otherwise is refused, not misunderstood.
	write("hosts = { gpu1 = { ssh = \"a\" } }\n")
	if change, err := config.SetHosts(paths, map[string]*host.Settings{"gpu1": {SSH: "b"}}); err == nil {
		t.Errorf("an inline table is changed:\n%s", change.After)
	}
}
