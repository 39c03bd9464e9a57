package kinds

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cupola/core"
	"cupola/core/agent/kindfile"
	"cupola/core/verb/registry"
	"cupola/core/verb/verbtest"
)

func catalog() *registry.Catalog { return &registry.Catalog{Verbs: Verbs} }

func TestANewKindIsWrittenOnceAndChecked(t *testing.T) {
	env := verbtest.Env(t, &verbtest.Server{}, catalog())
	call := func(in kindNewIn) (kindNewOut, error) { return runKindNew(t.Context(), env, in) }
	out, err := call(kindNewIn{Name: "mine", From: "oc"})
	if err != nil || !strings.HasSuffix(out.Path, filepath.Join("agents", "mine.toml")) {
		t.Fatalf("%+v: %v", out, err)
	}
	if _, err := call(kindNewIn{Name: "mine"}); !core.AsError(err).HasCode(core.AlreadyExists) {
		t.Errorf("another file in its place: %v", err)
	}
	if _, err := call(kindNewIn{Name: "claude"}); !core.AsError(err).HasCode(core.AlreadyExists) {
		t.Errorf("the name of a kind that comes along: %v", err)
	}
	if _, err := call(kindNewIn{Name: "other", From: "opencod"}); !core.AsError(err).HasCode(core.NotFound) {
		t.Errorf("from a kind that is none: %v", err)
	}
	checked, err := runKindCheck(t.Context(), env, kindCheckIn{File: "mine"})
	if err != nil || !checked.Valid || checked.Kind != "mine" {
		t.Errorf("%+v: %v", checked, err)
	}
}

func TestCheckNamesLineAndKeyOfEveryFault(t *testing.T) {
	env := verbtest.Env(t, &verbtest.Server{}, catalog())
	path := filepath.Join(t.TempDir(), "mine.toml")
	text := "[typing]\nsettle = \"soon\"\n"
	write := func(text string) {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	faults := func() string {
		out, err := runKindCheck(t.Context(), env, kindCheckIn{File: registry.ReadPath(path)})
		if !core.AsError(err).HasCode(core.HealthFailed) || out.Valid {
			t.Fatalf("valid %v: %v", out.Valid, err)
		}
		var b strings.Builder
		for _, f := range out.Problems {
			b.WriteString(strings.Join([]string{f.Key, f.What, f.Expected}, "|") + "\n")
			if f.Line == 0 && f.Key != "launch.command" {
				t.Errorf("no line: %+v", f)
			}
		}
		return b.String()
	}
	write(text)
	if got := faults(); !strings.HasPrefix(got, "typing.settle|invalid duration") ||
		!strings.Contains(got, "|duration. The pause") {
		t.Errorf("a wrong value: %s", got)
	}
	write("[typing]\nbusy = \"waits\"\n[rule.one]\nregoin = \"bottom\"\nstate = \"asleep\"\n" +
		"[rule.two]\nall = ['(']\nregion = \"bottom\"\n")
	got := faults()
	for _, want := range []string{
		"launch.command|is missing", "typing.busy|", "rule.one.regoin|no such key", "rule.one.region|", "rule.two.all|",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not told: %s", want, got)
		}
	}
}

func TestCheckSaysWhichRuleMatchedWhereAndWhyOthersDidNot(t *testing.T) {
	env := verbtest.Env(t, &verbtest.Server{}, catalog())
	path := filepath.Join(t.TempDir(), "screen")
	rows := "Shall I?\n\n  ┃  △ Permission required\n  ┃    $ make\n" +
		"  ┃   Allow once   Allow always   Reject   enter confirm\n"
	if err := os.WriteFile(path, []byte(rows), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := runKindCheck(t.Context(), env, kindCheckIn{File: "opencode", Screen: registry.ReadPath(path)})
	if err != nil || out.Screen == nil {
		t.Fatalf("%+v: %v", out, err)
	}
	if s := out.Screen; s.State != core.Waiting || s.Reason != core.ReasonApproval || len(s.Options) != 3 ||
		s.Unfound == "" {
		t.Errorf("it is read as %+v", s)
	}
	for _, rule := range out.Screen.Rules {
		if rule.Matched != (rule.Why == "") {
			t.Errorf("%+v neither matched nor says why", rule)
		}
		if rule.Rule == "approval" && (rule.Row != 3 || !strings.Contains(rule.Line, "Permission required")) {
			t.Errorf("approval matched in row %d: %s", rule.Row, rule.Line)
		}
	}
}

func TestRecordingWalksThroughTheStates(t *testing.T) {
	o := kindRecordOut{}
	var cases []namedCase
	for i := range steps {
		o.step(cases)
		if o.Step != steps[i].says {
			t.Fatalf("after %d cases: %q", i, o.Step)
		}
		cases = append(cases, namedCase{Case: kindfile.Case{State: steps[i].state, Reason: steps[i].reason}})
	}
	if o.Step = ""; true {
		o.step(cases)
	}
	if o.Step != "" {
		t.Errorf("once all are recorded: %q", o.Step)
	}
}

func TestARecordedScreenBecomesACaseAndAFile(t *testing.T) {
	env := verbtest.Env(t, &verbtest.Server{}, catalog())
	deps := verbtest.OnFleet(t, env)
	record := func(in kindRecordIn) (kindRecordOut, error) {
		in.Name, in.Session = "robo", "api.1"
		return runKindRecord(t.Context(), deps, in)
	}
	planned := kindRecordIn{State: "idle"}
	planned.DryRun = true
	out, err := record(planned)
	if err != nil || out.Text == "" || out.Case != "" {
		t.Fatalf("a dry run: %+v, %v", out, err)
	}
	out, err = record(kindRecordIn{State: "idle"})
	if err != nil || !out.Written || out.Case == "" {
		t.Fatalf("%+v: %v", out, err)
	}
	var failed *core.Error
	if _, err = record(kindRecordIn{State: "working"}); !errors.As(err, &failed) || failed.Code != core.NotReady {
		t.Errorf("the same screen as another state: %v", err)
	}
	if err := os.WriteFile(out.Path, []byte("# mine\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err = record(kindRecordIn{State: "idle"})
	if err != nil || out.Written || out.Text == "" {
		t.Errorf("over a file that was changed by hand: %+v, %v", out, err)
	}
	if text, err := os.ReadFile(out.Path); err != nil || string(text) != "# mine\n" {
		t.Errorf("it is now %q, %v", text, err)
	}
}
