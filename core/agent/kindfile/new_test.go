package kindfile_test

import (
	"strings"
	"testing"

	"cupola/core/agent"
	"cupola/core/agent/kindfile"
	"cupola/core/agent/kinds"
)

// read is a file as a user's, without faults.
func read(t *testing.T, name, text string) *agent.Kind {
	t.Helper()
	kind, faults := agent.Inspect(name+".toml", text)
	for _, fault := range faults {
		t.Errorf("%v\n%s", fault, text)
	}
	return kind
}

func TestANewFileIsAKindThatCanBeStarted(t *testing.T) {
	text := kindfile.New("mine", "See docs/kinds.md.")
	kind := read(t, "mine", text)
	if kind.ID != "mine" || kind.Argv("", "")[0] != "mine" || kind.Readable() {
		t.Errorf("it is %s, started as %v, readable %v", kind.ID, kind.Argv("", ""), kind.Readable())
	}
	for _, want := range []string{"# resume =", "[composer]\n", "# prompt =", "[rule.NAME]", "docs/kinds.md"} {
		if !strings.Contains(text, want) {
			t.Errorf("it lacks %q", want)
		}
	}
}

// Every kind that comes along can be the beginning of another one, which promises nothing that was not looked at.
func TestACopyChangesTheNamesOfProgramsAndNotOfPackages(t *testing.T) {
	for from, want := range map[string][]string{
		"claude": {
			`command = ["mine"]`, `names = ["mine"]`,
			`script = '(^|/)mine$|@anthropic-ai/claude-code/|/claude/versions/[\d.]+$'`,
		},
		"codex":    {`resumed = 'mine resume (`, `script = '(^|/)mine(\.m?js)?$|@openai/codex/'`},
		"pi":       {`script = '(^|/)(mine|pi-coding-agent/dist/(bundle/)?cli\.js)$'`},
		"cline":    {`command = ["mine", "--auto-approve", "false"]`},
		"scripted": {`command = ["{self}", "scripted"]`},
	} {
		text, _ := kinds.Text(from)
		text = kindfile.From("mine", from, text, "See docs/kinds.md.")
		for _, line := range want {
			if !strings.Contains(text, "\n"+line) {
				t.Errorf("%s: the copy lacks %s", from, line)
			}
		}
	}
}

func TestACopyOfEachKindIsAKindWithoutPromises(t *testing.T) {
	all, err := agent.Load()
	if err != nil {
		t.Fatal(err)
	}
	copied := 0
	for _, from := range all.All() {
		text, ok := kinds.Text(string(from.ID))
		if !ok {
			t.Errorf("the file of %s does not come along", from.ID)
			continue
		}
		copied++
		text = kindfile.From("mine", string(from.ID), text, "See docs/kinds.md.")
		if from.ID == "command" || from.ID == "generic" {
			continue // they start nothing
		}
		kind := read(t, "mine", text)
		if kind == nil {
			continue
		}
		if kind.Readable() != from.Readable() {
			t.Errorf("%s: the copy is readable: %v", from.ID, kind.Readable())
		}
		if _, hooks := kind.Install(); hooks || kind.Headless.Given() || kind.Skills.Given() || kind.MCP.Given() {
			t.Errorf("%s: the copy says where the files of %s are, or what it holds", from.ID, from.ID)
		}
	}
	if copied < 9 {
		t.Errorf("%d kinds were copied", copied)
	}
	if _, ok := kinds.Text("../kinds/pi"); ok {
		t.Error("a path is taken for a kind")
	}
}
