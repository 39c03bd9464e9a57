package cli

import (
	"slices"
	"strings"
	"testing"

	"cupola/core"
	"cupola/core/verb/registry"
)

// refused runs a command line up to its usage error.
func refused(t *testing.T, line string) *core.Error {
	t.Helper()
	p := testProgram(t, nil, split(line)...)
	err := p.execute(t.Context())
	if err == nil {
		t.Fatalf("%s: accepted", line)
	}
	return core.AsError(err)
}

func TestUsageErrorsSayWhatWasMeant(t *testing.T) {
	for _, test := range []struct {
		line    string
		code    core.Code
		message string
		near    string // a suggestion; empty if there must be none
	}{
		{"statsu", core.UnknownCommand, `unknown command "statsu"`, "status"},
		{"xyzzyplugh", core.UnknownCommand, `unknown command "xyzzyplugh"`, ""},
		{"status --sesion=api", core.UnknownFlag, "unknown flag --sesion", "--session"},
		{"status --jsno", core.UnknownFlag, "unknown flag --jsno", "--json"},
		{"status --xyzzyplugh", core.UnknownFlag, "unknown flag --xyzzyplugh", ""},
		{"status -z", core.UnknownFlag, "unknown flag -z", ""},
		{"--robt", core.UnknownFlag, "unknown flag --robt", "--robot"},
		{"--q status", core.UnknownFlag, "unknown flag --q", "--jq"},
		{"status --lines=5", core.InvalidFlag, "status does not take --lines", ""},
		{"inspect-pane api -n5", core.InvalidFlag, "inspect-pane does not take -n", ""},
		{"tail api --line=5", core.UnknownFlag, "unknown flag --line", "--lines"},
		{"status --limit", core.TooFewValues, "--limit needs a value", ""},
		{"status --limit=x", core.InvalidInput, `--limit: "x" is not a whole number`, ""},
		{"tail api --lines=-1", core.InvalidInput, `--lines: "-1" is not at least 0`, ""},
		{"version extra", core.TooManyValues, `version takes no argument "extra"`, ""},
		{"statsu --json", core.UnknownCommand, `unknown command "statsu"`, "status"},
		{"statsu --limit=3", core.UnknownCommand, `unknown command "statsu"`, "status"},
		{"--limit 3 statsu", core.UnknownCommand, `unknown command "statsu"`, "status"},
		{"statsu --help", core.UnknownCommand, `unknown command "statsu"`, "status"},
		{"config gte theme", core.UnknownCommand, `unknown command "config gte"`, "config-get"},
		{"status --toon", core.UnknownFlag, "unknown flag --toon", "--robot-format=toon"},
		{"--toon", core.UnknownFlag, "unknown flag --toon", "--robot-format=toon"},
		{"send api --message=hi", core.UnknownFlag, "unknown flag --message", "--msg"},
		{"ls", core.UnknownCommand, `unknown command "ls"`, "status"},
		{"--robot-log=api", core.UnknownFlag, "unknown flag --robot-log", "--robot-tail"},
		{"dmeo", core.UnknownCommand, `unknown command "dmeo"`, "demo"},
		{"demo --kep", core.UnknownFlag, "unknown flag --kep", "--keep"},
		{"demo --lines=5", core.InvalidFlag, "demo does not take --lines", ""},
		{"demo api", core.TooManyValues, `demo takes no argument "api"`, ""},
		{"demo --keep --stop", core.InvalidFlag, "--keep and --stop contradict each other", ""},
	} {
		e := refused(t, test.line)
		if e.Code != test.code || e.Message != test.message {
			t.Errorf("%s: got %s %q, want %s %q", test.line, e.Code, e.Message, test.code, test.message)
		}
		if test.near == "" && len(e.Suggestions) > 0 && e.Code != core.InvalidFlag {
			t.Errorf("%s: suggestions %q", test.line, e.Suggestions)
		}
		if test.near != "" && !slices.Contains(e.Suggestions, test.near) {
			t.Errorf("%s: suggestions %q lack %s", test.line, e.Suggestions, test.near)
		}
	}
}

func TestFlagOfOtherVerbsNamesVerbs(t *testing.T) {
	e := refused(t, "status --lines=5")
	details, ok := e.Details.(map[string]any)
	if !ok {
		t.Fatalf("details are %v", e.Details)
	}
	if takenBy, ok := details["taken_by"].([]string); !ok || !slices.Contains(takenBy, "tail") {
		t.Errorf("taken by %v", details["taken_by"])
	}
	if takes, ok := details["takes"].([]string); !ok || !slices.Contains(takes, "--session") ||
		!strings.Contains(e.Hint, "--session") {
		t.Errorf("takes %v, hint %q", details["takes"], e.Hint)
	}
	if e := refused(t, "version --lines=5"); e.Hint != "version takes the global flags only." {
		t.Errorf("the hint is %q", e.Hint)
	}
}

func TestNoCommandFailsInternallyByItsArguments(t *testing.T) {
	lines := []string{"acp", "acp nokind", "acp gemini extra"}
	for _, name := range slices.Concat(registry.Others, []string{"scripted", protocolWord}) {
		lines = append(lines, name+" --nope")
		if name != "man" && name != "completion" && name != "help" {
			lines = append(lines, name+" x y z")
		}
	}
	for _, line := range lines {
		if e := refused(t, line); e.Code == core.InternalError {
			t.Errorf("%s: %s %q", line, e.Code, e.Message)
		}
	}
}
