package agent_test

import (
	"bytes"
	"go/format"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"cupola/core"
	"cupola/core/agent"
)

func folder(files map[string]string) fstest.MapFS {
	dir := fstest.MapFS{}
	for name, text := range files {
		dir[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return dir
}

func TestOverrideReplacesOnlyTheKeysItHolds(t *testing.T) {
	kinds, err := agent.Load(folder(map[string]string{"mine.toml": `
id = "claude"
[typing]
settle = "900ms"
[launch]
command = ["/opt/claude", "--verbose"]
[rule.approval]
priority = 99
[rule.panel]
off = true
`}))
	if err != nil {
		t.Fatal(err)
	}
	claude, _ := kinds.Find("claude")
	if claude.Typing.Settle != 900*time.Millisecond || claude.Typing.Busy != agent.Queues {
		t.Errorf("typing is %+v", claude.Typing)
	}
	if got := strings.Join(claude.Argv("", "opus"), " "); got != "/opt/claude --verbose --model opus" {
		t.Errorf("launched as %q", got)
	}
	if claude.Short != "cc" || len(claude.Process.Names) != 1 {
		t.Errorf("keys that the override does not hold changed: %+v", claude)
	}
	for _, c := range corpus(t, "testdata/screens") {
		if c.Agent == "claude" && c.State == "waiting_permission" {
			block, _ := claude.Read(c.screen(t)).Blocked()
			if block.Rule == nil || block.Rule.ID != "approval" || block.Rule.Priority != 99 ||
				len(block.Rule.All) == 0 {
				t.Errorf("the overridden rule reads %+v", block.Rule)
			}
		}
	}
	again := load(t)
	if claude, _ := again.Find("claude"); claude.Typing.Settle == 900*time.Millisecond {
		t.Error("an override outlives its Load")
	}
}

func TestLaterOverridesWin(t *testing.T) {
	kinds, err := agent.Load(
		folder(map[string]string{"codex.toml": "name = \"first\"\nshort = \"cx\""}),
		folder(map[string]string{"codex.toml": `name = "second"`}),
	)
	if err != nil {
		t.Fatal(err)
	}
	if codex, ok := kinds.Find("cx"); !ok || codex.Name != "second" {
		t.Errorf("cx is %+v", codex)
	}
}

func TestNewKindIsKnownByItsFile(t *testing.T) {
	kinds, err := agent.Load(folder(map[string]string{"aider.toml": `
name = "Aider"
short = "ai"
[launch]
command = ["aider"]
[process]
hosts = ["python3"]
script = '(^|/)aider$'
[composer]
bottom = '^$'
prompt = '^> ?'
more = '^  '
[rule.confirm]
state = "waiting"
reason = "question"
region = "bottom"
lines = 1
all = ['\(Y\)es/\(N\)o']
`}))
	if err != nil {
		t.Fatal(err)
	}
	all := kinds.All()
	if last := all[len(all)-1]; last.ID != "aider" || !last.Readable() {
		t.Fatalf("the last kind is %s", last.ID)
	}
	aider, ok := kinds.Recognise(agent.Program{Command: "python3", Argv: func() []string {
		return []string{"/usr/bin/python3", "-W", "ignore", "/home/u/.local/bin/aider", "--dark"}
	}})
	if !ok || aider.Short != "ai" {
		t.Fatalf("recognised %+v", aider)
	}
	block, blocked := aider.Read(&core.Screen{Lines: []string{"Add file? (Y)es/(N)o [Yes]:"}, Visible: 1}).Blocked()
	if !blocked || block.Reason != core.ReasonQuestion || block.Row != 0 {
		t.Errorf("blocked: %v, %+v", blocked, block)
	}
}

func TestBadFilesAreErrorsThatNameTheLine(t *testing.T) {
	const launch = "[launch]\ncommand = [\"x\"]\n"
	tests := map[string]struct{ file, text, want string }{
		"syntax": {"a.toml", "id = \n", "a.toml:1: "},
		"unknown key": {
			"claude.toml", "\n[typing]\nsetle = \"1s\"",
			"claude.toml:3: typing.setle: no such key; did you mean settle?",
		},
		"unknown table": {
			"claude.toml", "[lunch]\ncommand = [\"x\"]", "claude.toml:1: lunch: no such key; did you mean launch?",
		},
		"unknown rule key": {
			"claude.toml", "[rule.plan]\nregoin = \"dialog\"",
			"claude.toml:2: rule.plan.regoin: no such key; did you mean region?",
		},
		"wrong type":     {"claude.toml", "[typing]\n\nsettle = true", "claude.toml:3: "},
		"text for rules": {"claude.toml", "rule = \"x\"", "claude.toml:1: rule is a text; it must be a section"},
		"duration":       {"claude.toml", "[typing]\nsettle = \"soon\"", "claude.toml:2: "},
		"pattern":        {"claude.toml", "[rule.plan]\nlines = 3\nany = ['(']", "claude.toml:3: rule.plan.any: "},
		"region": {
			"claude.toml", "[rule.plan]\nregion = \"top\"",
			`claude.toml:2: rule.plan.region: "top" is none of bottom, dialog`,
		},
		"reason of a state": {
			"claude.toml", "[rule.plan]\nreason = \"quota\"",
			`claude.toml:2: rule.plan.reason: "quota" is none of approval`,
		},
		"new rule": {
			"claude.toml", "[rule.mine]\nstate = \"waiting\"", `claude.toml:1: rule.mine.region: "" is none of`,
		},
		"busy":   {"claude.toml", "[typing]\nbusy = \"waits\"", "claude.toml:2: typing.busy: "},
		"cursor": {"claude.toml", "[composer]\ncursor = \"blinks\"", "claude.toml:2: composer.cursor: "},
		"text of a prompt": {
			"qwen.toml", "[turn]\nprompt = \"^> \"", `qwen.toml:2: turn.prompt: "^> " needs one group`,
		},
		"no message": {
			"claude.toml", "[turn]\nprompt = \"^> (.*)\"", "claude.toml:2: turn.prompt: needs message",
		},
		"no command": {"new.toml", "name = \"New\"", "new.toml: launch.command: is missing"},
		"skills outside": {
			"claude.toml", "[skills]\nskill = \"../{name}/SKILL.md\"",
			"claude.toml:2: skills.skill: \"../{name}/SKILL.md\" leads out",
		},
		"skills of one name": {
			"claude.toml", "[skills]\nskill = \"SKILL.md\"", "claude.toml:2: skills.skill: \"SKILL.md\" lacks {name}",
		},
		"no skills":    {"claude.toml", "[skills]\nskill = \"\"", "claude.toml:2: skills.skill: is missing"},
		"no arguments": {"claude.toml", "[skills]\narguments = \"\"", "claude.toml:2: skills.arguments: is missing"},
		"id":           {"new.toml", "id = \"No Good\"\n" + launch, "new.toml:1: id: "},
		"short in use": {
			"new.toml", "short = \"cc\"\n" + launch, `new.toml:1: short: "cc" already names the kind claude`,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := agent.Load(folder(map[string]string{test.file: test.text}))
			if err == nil || !strings.HasPrefix(err.Error(), test.want) {
				t.Errorf("got %v\nwant %s", err, test.want)
			}
		})
	}
}

// What comes with Cupola is not checked at run time: it is checked here, as if
// a user had written it.
func TestOwnKindsPassTheChecksForForeignOnes(t *testing.T) {
	kinds := load(t)
	if len(kinds.All()) < 10 {
		t.Errorf("%d kinds", len(kinds.All()))
	}
	for _, k := range kinds.All() {
		if _, err := agent.Load(folder(map[string]string{string(k.ID) + ".toml": ""})); err != nil {
			t.Error(err)
		}
		if k.Readable() && (k.Typing.Settle < 200*time.Millisecond || k.Launch.Timeout < 5*time.Second) {
			t.Errorf("%s settles in %v and starts in %v", k.ID, k.Typing.Settle, k.Launch.Timeout)
		}
		if len(k.Keys.Submit) == 0 || len(k.Keys.Interrupt) == 0 || len(k.Keys.Exit) == 0 || len(k.Keys.Clear) == 0 {
			t.Errorf("%s lacks keys: %+v", k.ID, k.Keys)
		}
	}
}

func TestBuiltInKindsSayWhatTheirFilesSay(t *testing.T) {
	var ids []string
	for _, k := range load(t).All() {
		ids = append(ids, string(k.ID))
	}
	want, err := agent.Golang(os.DirFS("kinds"), ids...)
	if err != nil {
		t.Fatal(err)
	}
	if want, err = format.Source(want); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile("builtin.go"); err != nil || !bytes.Equal(got, want) {
		t.Errorf("builtin.go is stale (%v): run go generate", err)
	}
}

func TestFindTakesIDsAndShortNames(t *testing.T) {
	kinds := load(t)
	for _, name := range []string{
		"claude", "cc", "codex", "cod", "gemini", "gmi", "opencode", "oc", "copilot", "cop", "qwen", "qw", "scripted",
		"scr", "command", "cmd",
	} {
		if _, ok := kinds.Find(name); !ok {
			t.Errorf("%s is not found", name)
		}
	}
	if k, ok := kinds.Find("clude"); ok {
		t.Errorf("a guess was taken: %s", k.ID)
	}
}

func TestNearMissesHoldWhatWasMeant(t *testing.T) {
	kinds := load(t)
	for name, want := range map[string]string{
		"cluade": "claude", "Codx": "codex", "gem": "gemini", "openc": "opencode", "copilto": "copilot",
	} {
		if near := kinds.Near(name); !slices.Contains(near, want) {
			t.Errorf("%s: %v lack %s", name, near, want)
		}
	}
	if near := kinds.Near("windowmaker"); len(near) != 0 {
		t.Errorf("far names are offered: %v", near)
	}
}

func TestArgvFillsItsPlaceholders(t *testing.T) {
	kinds := load(t)
	for id, want := range map[string]string{
		"scripted": "/bin/cupola scripted --model m1", "codex": "codex --model m1", "command": "",
	} {
		k, _ := kinds.Find(id)
		if got := strings.Join(k.Argv("/bin/cupola", "m1"), " "); got != want {
			t.Errorf("%s: %q, want %q", id, got, want)
		}
	}
	claude, _ := kinds.Find("claude")
	if got := strings.Join(claude.Argv("/bin/cupola", ""), " "); got != "claude" {
		t.Errorf("without a model: %q", got)
	}
}

func BenchmarkLoad(b *testing.B) {
	for b.Loop() {
		if _, err := agent.Load(); err != nil {
			b.Fatal(err)
		}
	}
}
