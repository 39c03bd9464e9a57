package cli

import (
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"cupola/core"
	"cupola/core/verb/registry"
)

// executed runs a command line and returns the error of the line.
func executed(t *testing.T, line string) error {
	t.Helper()
	p := testProgram(t, map[string]string{"CUPOLA_ENGINE_SOCKET": filepath.Join(t.TempDir(), "s")}, split(line)...)
	return p.execute(t.Context())
}

// read reads a command line without running its command.
func read(t *testing.T, line string) *program {
	t.Helper()
	p := testProgram(t, nil, split(line)...)
	root := p.tree.commands()
	cmd, _, err := root.Find(p.line.read.Words)
	if err != nil {
		t.Fatal(err)
	}
	cmd.RunE = func(*cobra.Command, []string) error { return nil }
	if err := root.ExecuteContext(t.Context()); err != nil {
		_ = p.settle()
	}
	return p
}

func TestFlagRefusesSecondValue(t *testing.T) {
	for line, says := range map[string]string{
		"--robot-format=json status --robot-format toon": "--robot-format is given twice: json and toon",
		"--jq=.a --jq=.a status":                         "", "status --fields a --fields b": "",
		"--json --json status": "", "-- status": "there is no command before --",
	} {
		err := executed(t, line)
		if (err == nil) != (says == "") || err != nil && err.Error() != says {
			t.Errorf("%s: got %v, want %q", line, err, says)
		}
	}
}

// moves are command lines, what cobra reads of them, and the global flags that it finds.
var moves = []struct {
	line  string // words separated by blanks; ~ is a blank within a word
	words string
	value string // the V of --robot-VERB=V; "none" if there is none
	want  registry.Globals
}{
	{"", "", "none", registry.Globals{}},
	{"status", "status", "none", registry.Globals{}},
	{"--robot-status", "status", "none", registry.Globals{}},
	{"--robot-status=true", "status", "none", registry.Globals{}},
	{"--robot-tail=api", "tail", "api", registry.Globals{}},
	{"--robot-tail=api --lines=20", "tail --lines=20", "api", registry.Globals{}},
	{"--lines 20 --robot-tail=api", "tail --lines 20", "api", registry.Globals{}},
	{"--robot-tail api", "tail api", "none", registry.Globals{}},
	{"api --robot-tail", "tail api", "none", registry.Globals{}},
	{"--robot-send=api status", "send status", "api", registry.Globals{}},
	{"--robot-tail=", "tail", "", registry.Globals{}},
	{"--robot-tail=a=b", "tail", "a=b", registry.Globals{}},
	{"--robot-docs", "docs", "none", registry.Globals{}},
	{"--robot-robot-docs", "robot-docs", "none", registry.Globals{}},
	{"--robot-help", "docs", "none", registry.Globals{}},
	{"--schema=status", "schema", "status", registry.Globals{}},
	{"--robot-wait=api --timeout=5s", "wait --timeout=5s", "api", registry.Globals{}},
	{"wait api", "wait api", "none", registry.Globals{}},
	{"alert dismiss --all", "dismiss-alert --all", "none", registry.Globals{}},
	{"--json session list", "status --json", "none", registry.Globals{JSON: true}},
	{"checkpoint list", "checkpoint-list", "none", registry.Globals{}},
	{"checkpoint api list", "checkpoint api list", "none", registry.Globals{}},
	{"checkpoint -- list", "checkpoint -- list", "none", registry.Globals{}},
	{"budget set day --usd=5", "budget-set day --usd=5", "none", registry.Globals{}},
	{"config get get", "config-get get", "none", registry.Globals{}},
	{"checkpoint -J list", "checkpoint-list -J", "none", registry.Globals{JSON: true}},
	{"checkpoint --robot-terse list", "checkpoint-list --robot-terse", "none", registry.Globals{Format: "terse"}},
	{"checkpoint --all list", "checkpoint --all list", "none", registry.Globals{}},
	{"--to codex --prompt x", "relay --to codex --prompt x", "none", registry.Globals{}},
	{"--json --to=codex why", "relay --json --to=codex why", "none", registry.Globals{JSON: true}},
	{"why --to=codex", "why --to=codex", "none", registry.Globals{}},
	{"--session --to", "--session --to", "none", registry.Globals{}},

	{"--robot-terse", "terse", "none", registry.Globals{}},
	{"--robot-terse --session api", "terse --session api", "none", registry.Globals{}},
	{"--robot-terse status", "status --robot-terse", "none", registry.Globals{Format: "terse"}},
	{"status --robot-terse=true", "status --robot-terse=true", "none", registry.Globals{Format: "terse"}},
	{"--robot-tail=api --robot-markdown", "tail --robot-markdown", "api", registry.Globals{Format: "markdown"}},
	{
		"--robot-terse --robot-format=terse status", "status --robot-terse --robot-format=terse", "none",
		registry.Globals{Format: "terse"},
	},

	{"--json status", "status --json", "none", registry.Globals{JSON: true}},
	{"status -J", "status -J", "none", registry.Globals{JSON: true}},
	{"status -Jqv", "status -Jqv", "none", registry.Globals{JSON: true, Quiet: true, Verbose: true}},
	{"status -qn5", "status -qn5", "none", registry.Globals{Quiet: true}},
	{"status -qn -J", "status -qn -J", "none", registry.Globals{Quiet: true}},
	{"status -n=5 -q", "status -n=5 -q", "none", registry.Globals{Quiet: true}},
	{"kill -yJ api", "kill -yJ api", "none", registry.Globals{JSON: true}},
	{"kill -J=false -y=true api", "kill -J=false -y=true api", "none", registry.Globals{}},
	{"status --json=false", "status --json=false", "none", registry.Globals{}},
	{"--robot-format toon status", "status --robot-format toon", "none", registry.Globals{Format: "toon"}},
	{
		"status --fields a,b --fields=c", "status --fields a,b --fields=c", "none",
		registry.Globals{Fields: []string{"a", "b", "c"}},
	},
	{"status --robot-limit=5", "status --robot-limit=5", "none", registry.Globals{}},
	{"status --robot-limit 5", "status --robot-limit 5", "none", registry.Globals{}},

	{"--dry-run kill api", "kill --dry-run api", "none", registry.Globals{}},
	{"--session api status", "status --session api", "none", registry.Globals{}},
	{"--session status terse", "terse --session status", "none", registry.Globals{}},
	{"send api --msg status", "send api --msg status", "none", registry.Globals{}},
	{"send api --msg --robot-status", "send api --msg --robot-status", "none", registry.Globals{}},
	{"send api --msg --json", "send api --msg --json", "none", registry.Globals{}},
	{"send api --msg=--json", "send api --msg=--json", "none", registry.Globals{}},
	{"send api -- --json -J --robot-status", "send api -- --json -J --robot-status", "none", registry.Globals{}},
	{"--robot-send=api -- status", "send -- status", "api", registry.Globals{}},
	{"send api -", "send api -", "none", registry.Globals{}},
	{"send api it's~--json", "send api it's~--json", "none", registry.Globals{}},
	{"nothing --json", "nothing --json", "none", registry.Globals{JSON: true}},
	{"--nothing kill", "kill --nothing", "none", registry.Globals{}},
	{"plugin status claude", "plugin-status claude", "none", registry.Globals{}},
	{"plugin --yes install -J claude", "plugin-install --yes -J claude", "none", registry.Globals{JSON: true}},
	{"config get engine.socket", "config-get engine.socket", "none", registry.Globals{}},
	{"plugin stats", "plugin stats", "none", registry.Globals{}},
	{"kill plugin status", "kill plugin status", "none", registry.Globals{}},
	{"demo --keep", "demo --keep", "none", registry.Globals{}},
	{"--keep -J demo", "demo --keep -J", "none", registry.Globals{JSON: true}},
	{"--robot-tail demo", "tail demo", "none", registry.Globals{}},
	{"send api --msg demo", "send api --msg demo", "none", registry.Globals{}},
	{"scripted --json --robot-status", "scripted --json --robot-status", "none", registry.Globals{JSON: true}},
}

func TestTheCommandIsMovedToTheFront(t *testing.T) {
	for _, test := range moves {
		p := read(t, test.line)
		if !slices.Equal(p.line.read.Words, split(test.words)) {
			t.Errorf("%s: words are %q, want %q", test.line, p.line.read.Words, test.words)
		}
		value := "none"
		if p.line.read.Value != nil {
			value = *p.line.read.Value
		}
		if value != test.value {
			t.Errorf("%s: the value is %q, want %q", test.line, value, test.value)
		}
		if !reflect.DeepEqual(p.line.globals, test.want) {
			t.Errorf("%s: globals are %+v, want %+v", test.line, p.line.globals, test.want)
		}
	}
}

func TestContradictionsAreRefused(t *testing.T) {
	for _, test := range []struct {
		line, says string
		code       core.Code
	}{
		{"--robot-status --robot-tail=api", "more than one verb: status, tail", core.InvalidFlag},
		{"status --robot-tail=api", "more than one verb: status, tail", core.InvalidFlag},
		{"--session api status --robot-tail=api", "more than one verb: status, tail", core.InvalidFlag},
		{"wait --robot-tail=api", "more than one verb: wait, tail", core.InvalidFlag},
		{"--robot-status=api", "--robot-status takes no value, but got api", core.InvalidFlag},
		{"--robot-terse=api", "--robot-terse takes no value, but got api", core.InvalidFlag},
		{
			"status --robot-terse --robot-format=toon", "--robot-terse and --robot-format=toon contradict each other",
			core.InvalidFlag,
		},
		{
			"status --robot-terse --robot-markdown", "--robot-markdown and --robot-format=terse contradict each other",
			core.InvalidFlag,
		},
		{"--human --json status", "--human and --json contradict each other", core.InvalidFlag},
		{"--human --robot-status", "--human and the robot flag of a verb contradict each other", core.InvalidFlag},
		{"status --human --jq .x", "--human and --jq contradict each other", core.InvalidFlag},
		{"status --human --pretty", "--human and --pretty contradict each other", core.InvalidFlag},
		{"status --human --envelope=data", "--human and --envelope contradict each other", core.InvalidFlag},
		{"--robot-statsu", "unknown flag --robot-statsu", core.UnknownFlag},
		{"status --robot-format", "--robot-format needs a value", core.TooFewValues},
		{
			"status --robot-format=jsn", `--robot-format: "jsn" is not one of json, toon, markdown, terse, ndjson`,
			core.InvalidInput,
		},
		{"status --json=perhaps", `--json: "perhaps" is not true or false`, core.InvalidInput},
	} {
		err := executed(t, test.line)
		e := core.AsError(err)
		if e == nil || e.Code != test.code || e.Message != test.says {
			t.Errorf("%s: got %v, want %s", test.line, err, test.says)
		}
	}
}

func TestVerbFlagIsSuggested(t *testing.T) {
	err := executed(t, "--robot-statsu")
	if e := core.AsError(err); !slices.Contains(e.Suggestions, "--robot-status") ||
		e.Hint != "Did you mean --robot-status?" {
		t.Errorf("got %q, %q", e.Suggestions, e.Hint)
	}
	err = executed(t, "--robot-xyzzyplugh")
	if e := core.AsError(err); len(e.Suggestions) != 0 || e.Hint != "" {
		t.Errorf("got %q, %q", e.Suggestions, e.Hint)
	}
}

func TestHelpAndVersionAreSeenAnywhere(t *testing.T) {
	for line, want := range map[string]string{
		"tail --help": "Usage:", "-h": "Usage:", "tail -qh": "Usage:", "--version": "cupola 1.2.3\n",
		"tail api --version":    "cupola 1.2.3\n",
		"send api --msg --help": `"success":false`, "send -- --help": `"success":false`, "tail api": `"success":false`,
	} {
		if _, stdout, _ := run(t, nil, line); !strings.Contains(stdout, want) {
			t.Errorf("%s: %.100q", line, stdout)
		}
	}
}

func TestRobotModeIsExplicitWhereAFlagAsksForIt(t *testing.T) {
	for line, want := range map[string]bool{
		"--robot": true, "-J": true, "--json": true, "--robot-status": true, "--robot-format=toon": true,
		"--robot-terse": true, "status --robot-terse": true, "status": false, "--human": false,
		"--envelope=data": false, "status --json=false": false, "send api --msg --robot": false,
	} {
		if got := read(t, line).line.explicit(); got != want {
			t.Errorf("%s: %v", line, got)
		}
	}
}

// A flag that took a value with one verb and none with another could not be
// read before the verb is known.
func TestAFlagTakesAValueWithEveryVerbOrWithNone(t *testing.T) {
	switches := map[string]string{}
	for _, verb := range allVerbs().Verbs {
		for _, field := range verb.Fields() {
			names := []string{field.Name}
			for _, alias := range field.Aliases {
				names = append(names, alias.Name)
			}
			if field.Short != "" {
				names = append(names, field.Short)
			}
			kind := "a value"
			if field.Type == "bool" {
				kind = "none"
			}
			for _, name := range names {
				// These alone must follow their verbs.
				follows := slices.Contains([]string{"command", "relay", "worktrees"}, name)
				if other, seen := switches[name]; seen && other != kind && !follows {
					t.Errorf("%s: %s takes %s, elsewhere %s", verb.Name, name, kind, other)
				}
				switches[name] = kind
				if global := registry.GlobalField(name); global != nil &&
					(global.Type == "bool") != (field.Type == "bool") {
					t.Errorf("%s: %s takes %s, but the global flag of that name does not", verb.Name, name, kind)
				}
			}
		}
	}
}

func FuzzLine(f *testing.F) {
	for _, line := range []string{
		"", "status", "--robot-tail=api --lines=20", "status -Jqn5", "send api --msg --json", "-- --json",
		"--robot-terse --robot-markdown", "--", "-", "--=", "-=", "--robot-", "--robot-=x", "-\xff",
		"--robot-format --robot-format", "kill -yJ", "scripted --json", "--version --help", "-n", "--dry-run kill",
	} {
		f.Add(strings.ReplaceAll(line, " ", "\x00"))
	}
	catalog := allVerbs()
	f.Fuzz(func(t *testing.T, line string) {
		args := strings.Split(line, "\x00")
		before := slices.Clone(args)
		l := catalog.CommandLine(args)
		if !slices.Equal(args, before) {
			t.Errorf("%q was changed to %q", before, args)
		}
		words := l.Words
		if l.Command != "" {
			words = words[1:]
		}
		if left := len(args) - len(words); left < 0 || left > 2 || (left == 0) != (l.Command == "") {
			t.Errorf("%q became %q", args, l.Words)
		}
		// What is left keeps its order.
		for _, word := range words {
			at := slices.Index(args, word)
			if at < 0 {
				t.Fatalf("%q became %q", before, l.Words)
			}
			args = args[at+1:]
		}
	})
}

func split(line string) []string {
	words := strings.Fields(line)
	for i := range words {
		words[i] = strings.ReplaceAll(words[i], "~", " ")
	}
	return words
}
