package cli

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"cupola/core"
	"cupola/robot/command"
	"cupola/robot/registry"
)

func TestTwoValuesOfAFlagThatTakesOneAreRefused(t *testing.T) {
	for line, says := range map[string]string{
		"--robot-format=json status --robot-format toon": "--robot-format is given twice: json and toon",
		"--jq=.a --jq=.a status":                         "", "status --fields a --fields b": "",
		"--json --json status": "", "-- status": "there is no command before --",
	} {
		_, err := scan(command.Catalog(), strings.Fields(line))
		if (err == nil) != (says == "") || err != nil && err.Error() != says {
			t.Errorf("%s: got %v, want %q", line, err, says)
		}
	}
}

func TestScanRewritesFlagsToSubcommands(t *testing.T) {
	for _, test := range []struct {
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
		{"--json session list", "status", "none", registry.Globals{JSON: true}},
		{"checkpoint list", "checkpoint-list", "none", registry.Globals{}},
		{"checkpoint api list", "checkpoint api list", "none", registry.Globals{}},
		{"checkpoint -- list", "checkpoint -- list", "none", registry.Globals{}},
		{"budget set day --usd=5", "budget-set day --usd=5", "none", registry.Globals{}},
		{"config get get", "config-get get", "none", registry.Globals{}},

		{"--robot-terse", "terse", "none", registry.Globals{}},
		{"--robot-terse --session api", "terse --session api", "none", registry.Globals{}},
		{"--robot-terse status", "status", "none", registry.Globals{Format: "terse"}},
		{"status --robot-terse=true", "status", "none", registry.Globals{Format: "terse"}},
		{"--robot-tail=api --robot-markdown", "tail", "api", registry.Globals{Format: "markdown"}},
		{"--robot-terse --robot-format=terse status", "status", "none", registry.Globals{Format: "terse"}},

		{"--json status", "status", "none", registry.Globals{JSON: true}},
		{"status -J", "status", "none", registry.Globals{JSON: true}},
		{"status -Jqv", "status", "none", registry.Globals{JSON: true, Quiet: true, Verbose: true}},
		{"status -qn5", "status -n5", "none", registry.Globals{Quiet: true}},
		{"status -qn -J", "status -n -J", "none", registry.Globals{Quiet: true}},
		{"status -n=5 -q", "status -n=5", "none", registry.Globals{Quiet: true}},
		{"kill -yJ api", "kill -y api", "none", registry.Globals{JSON: true}},
		{"kill -J=false -y=true api", "kill -y=true api", "none", registry.Globals{}},
		{"status --json=false", "status", "none", registry.Globals{}},
		{"--robot-format toon status", "status", "none", registry.Globals{Format: "toon"}},
		{"status --fields a,b --fields=c", "status", "none", registry.Globals{Fields: []string{"a", "b", "c"}}},
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
		{"nothing --json", "nothing", "none", registry.Globals{JSON: true}},
		{"--nothing kill", "kill --nothing", "none", registry.Globals{}},
		{"plugin status claude", "plugin-status claude", "none", registry.Globals{}},
		{"plugin --yes install -J claude", "plugin-install --yes claude", "none", registry.Globals{JSON: true}},
		{"config get engine.socket", "config-get engine.socket", "none", registry.Globals{}},
		{"plugin stats", "plugin stats", "none", registry.Globals{}},
		{"kill plugin status", "kill plugin status", "none", registry.Globals{}},
		{"demo --keep", "demo --keep", "none", registry.Globals{}},
		{"--keep -J demo", "demo --keep", "none", registry.Globals{JSON: true}},
		{"--robot-tail demo", "tail demo", "none", registry.Globals{}},
		{"send api --msg demo", "send api --msg demo", "none", registry.Globals{}},
		{"scripted --json --robot-status", "scripted --json --robot-status", "none", registry.Globals{}},
	} {
		inv, err := scan(command.Catalog(), split(test.line))
		if err != nil {
			t.Errorf("%s: %v", test.line, err)
		}
		if !slices.Equal(inv.words, split(test.words)) {
			t.Errorf("%s: words are %q, want %q", test.line, inv.words, test.words)
		}
		value := "none"
		if inv.value != nil {
			value = *inv.value
		}
		if value != test.value {
			t.Errorf("%s: the value is %q, want %q", test.line, value, test.value)
		}
		if !reflect.DeepEqual(inv.globals, test.want) {
			t.Errorf("%s: globals are %+v, want %+v", test.line, inv.globals, test.want)
		}
	}
}

func TestScanRefusesWhatContradictsItself(t *testing.T) {
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
		inv, err := scan(command.Catalog(), split(test.line))
		e := core.AsError(err)
		if e == nil || e.Code != test.code || e.Message != test.says {
			t.Errorf("%s: got %v, want %s", test.line, err, test.says)
		}
		if inv == nil {
			t.Errorf("%s: no invocation", test.line)
		}
	}
}

func TestScanSuggestsTheVerbFlagThatWasMeant(t *testing.T) {
	_, err := scan(command.Catalog(), []string{"--robot-statsu"})
	if e := core.AsError(err); !slices.Contains(e.Suggestions, "--robot-status") ||
		e.Hint != "Did you mean --robot-status?" {
		t.Errorf("got %q, %q", e.Suggestions, e.Hint)
	}
	_, err = scan(command.Catalog(), []string{"--robot-xyzzyplugh"})
	if e := core.AsError(err); len(e.Suggestions) != 0 || e.Hint != "" {
		t.Errorf("got %q, %q", e.Suggestions, e.Hint)
	}
}

func TestScanSeesHelpAndVersionAnywhere(t *testing.T) {
	for line, want := range map[string]invocation{
		"tail --help": {help: true}, "-h": {help: true}, "tail -qh": {help: true}, "--version": {version: true},
		"tail api --version":    {version: true},
		"send api --msg --help": {}, "send -- --help": {}, "tail api": {},
	} {
		inv, err := scan(command.Catalog(), split(line))
		if err != nil || inv.help != want.help || inv.version != want.version {
			t.Errorf("%s: help %v, version %v, %v", line, inv.help, inv.version, err)
		}
	}
}

func TestRobotModeIsExplicitWhereAFlagAsksForIt(t *testing.T) {
	for line, want := range map[string]bool{
		"--robot": true, "-J": true, "--json": true, "--robot-status": true, "--robot-format=toon": true,
		"--robot-terse": true, "status --robot-terse": true, "status": false, "--human": false,
		"--envelope=data": false, "status --json=false": false, "send api --msg --robot": false,
	} {
		inv, err := scan(command.Catalog(), split(line))
		if err != nil || inv.explicit() != want {
			t.Errorf("%s: %v, %v", line, inv.explicit(), err)
		}
	}
}

// A flag that took a value with one verb and none with another could not be
// read before the verb is known.
func TestAFlagTakesAValueWithEveryVerbOrWithNone(t *testing.T) {
	switches := map[string]string{}
	for _, verb := range command.Catalog().Verbs {
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
				// Only --command must follow its verb.
				if other, seen := switches[name]; seen && other != kind && name != "command" {
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

func FuzzScan(f *testing.F) {
	for _, line := range []string{
		"", "status", "--robot-tail=api --lines=20", "status -Jqn5", "send api --msg --json", "-- --json",
		"--robot-terse --robot-markdown", "--", "-", "--=", "-=", "--robot-", "--robot-=x", "-\xff",
		"--robot-format --robot-format", "kill -yJ", "scripted --json", "--version --help", "-n", "--dry-run kill",
	} {
		f.Add(strings.ReplaceAll(line, " ", "\x00"))
	}
	catalog := command.Catalog()
	f.Fuzz(func(t *testing.T, line string) {
		args := strings.Split(line, "\x00")
		inv, err := scan(catalog, args)
		if inv == nil {
			t.Fatal("no invocation")
		}
		if err != nil {
			return
		}
		// What is left holds nothing more to take out, and keeps its order.
		again, err := scan(catalog, inv.words)
		if err != nil || again.explicit() || again.version || !reflect.DeepEqual(again.globals, registry.Globals{}) {
			t.Errorf("%q left %q, which says %+v (%v)", args, inv.words, again.globals, err)
		}
		if !slices.Equal(again.words, inv.words) {
			t.Errorf("%q left %q, which became %q", args, inv.words, again.words)
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
