package setup

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cupola/core/verb"
)

func TestTheServiceIsWrittenOnlyIfItIsNamed(t *testing.T) {
	home := t.TempDir()
	env := &verb.Env{}
	env.Self = `/opt/50% "off"/$cupola`
	env.Getenv = func(name string) string { return map[string]string{"HOME": home}[name] }
	if step := serviceStep(env, false); step.State != stepOptional || step.do != nil {
		t.Fatalf("without its name: %+v", step)
	}
	step := serviceStep(env, true)
	if step.State != stepOptional || step.do == nil {
		t.Fatalf("%+v", step)
	}
	if err := step.do(t.Context(), &step); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(step.Path)
	if err != nil || !strings.HasPrefix(step.Path, home+string(filepath.Separator)) ||
		!strings.Contains(string(text), "serve") {
		t.Errorf("%v: %s in %s", err, text, step.Path)
	}
	if again := serviceStep(env, true); again.State != stepDone || again.do != nil {
		t.Errorf("it is written twice: %+v", again)
	}
	if err := os.WriteFile(step.Path, []byte("edited"), 0o600); err != nil {
		t.Fatal(err)
	}
	if edited := serviceStep(env, true); edited.State != stepOptional || !strings.Contains(edited.Detail, "edited") {
		t.Errorf("%+v", edited)
	}
}

func TestTheProgramOfAServiceIsQuoted(t *testing.T) {
	if unit := string(systemdUnit(`/opt/50% "off"/$cupola`)); !strings.Contains(unit,
		`ExecStart="/opt/50%% \"off\"/$$cupola" --robot serve`) {
		t.Error(unit)
	}
	if agent := string(launchAgent(`/opt/a & b`)); !strings.Contains(agent, "<string>/opt/a &amp; b</string>") {
		t.Error(agent)
	}
}
