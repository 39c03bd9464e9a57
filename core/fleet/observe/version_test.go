package observe

import (
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"

	"cupola/core"
	"cupola/core/agent"
)

func TestTheVersionOfAProgramIsReadFromItsPackageOrItsName(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	script := write("lib/v20.1.0/node_modules/mine/bin/mine.js", "")
	write("lib/v20.1.0/node_modules/mine/package.json", `{"name": "mine", "version": "1.2.3"}`)
	link := filepath.Join(dir, "mine")
	if err := os.Symlink(script, link); err != nil {
		t.Fatal(err)
	}
	native := write("share/mine/versions/2.1.329", "")
	alone := write("a/b/c/d/e/alone", "")
	broken := write("x/y/broken.js", "")
	write("x/package.json", `{"version": [`)
	for program, want := range map[string]string{
		script: "1.2.3", link: "1.2.3", native: "2.1.329", alone: "", broken: "", "mine": "", dir + "/none": "",
	} {
		if got := VersionOf(program); got != want {
			t.Errorf("%s is version %q, want %q", program, got, want)
		}
	}
}

func TestRulesOfOtherVersionsDoNotTellAState(t *testing.T) {
	kinds, err := agent.Load(fstest.MapFS{"mine.toml": {Data: []byte(`
launch = { command = ["mine"] }
[version]
shown = ['^mine (\d+\.\d+)$']
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
`)}})
	if err != nil {
		t.Fatal(err)
	}
	kind, _ := kinds.Find("mine")
	k := &tracked{}
	for _, step := range []struct {
		lines []string
		want  core.State
	}{
		{[]string{"busy"}, core.Waiting}, // of both rules the one that needs the user
		{[]string{"mine 1.9", "busy"}, core.Working},
		{[]string{"busy"}, core.Working}, // the banner has scrolled off
		{[]string{"mine 2.0", "busy"}, core.Waiting},
	} {
		k.screen = &core.Screen{Lines: step.lines, Visible: len(step.lines)}
		if block, blocked := k.of(kind).Read(k.screen).Blocked(); blocked != (step.want == core.Waiting) {
			t.Errorf("%q: blocked %t by %+v", step.lines, blocked, block.Rule)
		}
	}
}
