package agent

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"cupola/core"
)

func TestARuleHoldsForItsVersionsOnly(t *testing.T) {
	kinds, err := Load(fstest.MapFS{"mine.toml": {Data: []byte(`
launch = { command = ["mine"] }
[version]
shown = ['^mine (\d+\.\d+)']
[rule.old]
state = "working"
versions = "<2"
region = "bottom"
all = ['^busy$']
[rule.new]
state = "waiting"
reason = "question"
versions = ">=2"
region = "bottom"
all = ['^busy$']
[rule.always]
state = "idle"
region = "bottom"
all = ['^busy$']
`)}})
	if err != nil {
		t.Fatal(err)
	}
	mine, _ := kinds.Find("mine")
	for version, want := range map[string]string{
		"1.9": "always old", "2.0": "always new", "": "always new old", "nightly": "always new old",
	} {
		screen := &core.Screen{Lines: []string{"mine " + version, "busy"}, Visible: 2}
		var held []string
		for _, m := range mine.At(mine.VersionOn(screen)).Read(screen).Matches() {
			held = append(held, m.Rule.ID)
		}
		if got := strings.Join(held, " "); got != want {
			t.Errorf("in version %q %s hold, want %s", version, got, want)
		}
	}
	if first, second := mine.At("2.0"), mine.At("2.0"); first != second {
		t.Error("each look makes the rules of a version anew")
	}
	if claude, _ := kinds.Find("claude"); claude.Versioned() || claude.At("1.0") != claude {
		t.Error("rules without a range are made anew for a version")
	}
}

func TestBadRangesAreErrorsThatNameTheLine(t *testing.T) {
	for text, want := range map[string]string{
		"[rule.panel]\nversions = \"2.1\"": `claude.toml:2: rule.panel.versions: "2.1" is no range of ` +
			`versions such as '>=2.1.0, <2.2'`,
		"[version]\nshown = ['v\\d']": `claude.toml:2: version.shown: "v\\d" needs one group, for the ` +
			`version`,
		"[version]\nshow = ['v(\\d)']": "claude.toml:2: version.show: no such key; did you mean shown?",
		"[rule.panel]\nversion = \">=2.1\"\n": "claude.toml:2: rule.panel.version: no such key; did you mean " +
			"versions?",
		"[rule.panel]\nversions = \">=2.1,<\"#": `claude.toml:2: rule.panel.versions: ">=2.1,<" is no range`,
	} {
		_, err := Load(fstest.MapFS{"claude.toml": {Data: []byte(text)}})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

func TestRecordedBannersShowTheVersion(t *testing.T) {
	folder := os.Getenv("CUPOLA_TESTDATA")
	if folder == "" {
		t.Skip("CUPOLA_TESTDATA names no folder of recordings")
	}
	index, err := os.Open(filepath.Join(folder, "screens", "index.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer index.Close()
	kinds, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	shown := map[string]int{}
	for lines := bufio.NewScanner(index); lines.Scan(); {
		var c struct{ File, Agent, Version string }
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(filepath.Join(folder, "screens", c.File+".txt"))
		if err != nil {
			t.Fatal(err)
		}
		kind, _ := kinds.Find(c.Agent)
		if got := kind.VersionOn(&core.Screen{Lines: strings.Split(string(text), "\n")}); got == c.Version {
			shown[c.Agent]++
		} else if got != "" {
			t.Errorf("%s shows %s, not %s", c.File, got, c.Version)
		}
	}
	if len(shown) != 6 {
		t.Errorf("versions are shown by %v", shown)
	}
}

// TestAForkStartsUntilItsConversationIsDrawn reads the screen of a new conversation, which is ready unless the agent
// was started to take up a copy of another.
func TestAForkStartsUntilItsConversationIsDrawn(t *testing.T) {
	kinds, err := Load(fstest.MapFS{})
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split("▄\n\n  ┃\n  ┃  Ask anything… \"Fix broken tests\"\n  ┃\n  ┃  Build · Mock Model\n"+
		"  ╹▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀\n      tab agents  ctrl+p commands", "\n")
	for _, id := range []string{"opencode", "kilo"} {
		kind, _ := kinds.Find(id)
		for arg, want := range map[string]bool{"": false, " --session s": false, " --session s --fork": true} {
			screen := &core.Screen{Lines: lines, Visible: len(lines), Launch: id + arg}
			if got := kind.Read(screen).Starting(); got != want {
				t.Errorf("%s%s: starting %v", id, arg, got)
			}
		}
	}
}
