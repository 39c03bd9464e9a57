package plugin

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"cupola/core"
	"cupola/core/agent"
	"cupola/core/system/textfile"
)

func TestWhatWasInstalledIsRemovedWithoutATrace(t *testing.T) {
	for _, id := range []string{"claude", "codex", "gemini", "qwen"} {
		for name, text := range settings {
			t.Run(id+"/"+name, func(t *testing.T) {
				d := deskOf(t, id, self).have(t, text)
				before := d.tree(t)
				d.is(t, Absent)
				d.act(t, d.Install)
				d.is(t, Installed)
				d.holds(t, text)
				d.act(t, d.Remove)
				d.is(t, Absent)
				if after := d.tree(t); after != before {
					t.Errorf("left\n%q\nof\n%q", after, before)
				}
			})
		}
	}
}

// holds checks that settings hold everything that they held, and our hooks.
func (d *desk) holds(t *testing.T, before string) {
	t.Helper()
	text := d.text(t)
	for _, line := range strings.Split(before, "\n") {
		if line = strings.Trim(line, " \t\r,{}[]"); !strings.Contains(line, `{`) && !strings.Contains(line, `[`) &&
			!strings.Contains(text, line) {
			t.Errorf("%q is gone:\n%s", line, text)
		}
	}
	var parsed struct{ Hooks map[string]json.RawMessage }
	if !strings.Contains(text, "//") && json.Unmarshal([]byte(strings.TrimPrefix(text, "\ufeff")), &parsed) != nil {
		t.Errorf("no JSON:\n%s", text)
	}
	if n := strings.Count(text, self+" hook "+string(d.Kind)+" --installed"); n != len(d.spec.Events) {
		t.Errorf("%d commands:\n%s", n, text)
	}
}

func TestFilesAndFoldersOfOursAreRemovedToo(t *testing.T) {
	for _, id := range []string{"claude", "codex", "gemini", "opencode", "pi", "qwen"} {
		for _, folders := range []bool{false, true} {
			d := deskOf(t, id, self)
			if folders {
				if err := os.MkdirAll(filepath.Dir(d.File), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			before := d.tree(t)
			d.act(t, d.Install)
			d.is(t, Installed)
			d.act(t, d.Install)
			d.act(t, d.Remove)
			if after := d.tree(t); after != before {
				t.Errorf("%s: left\n%s\nof\n%s", id, after, before)
			}
			d.act(t, d.Remove)
		}
	}
}

func TestDriftIsNamedAndRepaired(t *testing.T) {
	const text = "{\n  \"hooks\": {\n    \"Stop\": [\n      {\n        \"hooks\": []\n      }\n    ]\n  },\n  " +
		"\"x\": 1\n}\n"
	for name, test := range map[string]struct {
		id      string
		drift   func(text string) string
		problem string
	}{
		"path": {
			"claude", func(s string) string { return strings.ReplaceAll(s, self, "/old/cupola") },
			"Stop runs /old/cupola",
		},
		"missing": {
			"claude", func(s string) string { return strings.ReplaceAll(s, `"Notification"`, `"Other"`) },
			"Notification is missing",
		},
		"not wanted": {
			"gemini", func(s string) string { return strings.ReplaceAll(s, `"AfterAgent"`, `"AfterModel"`) },
			"AfterModel is not wanted",
		},
		"edited": {
			"codex",
			func(s string) string { return strings.Replace(s, `"timeout": 5`, `"timeout": 600`, 1) }, "was edited",
		},
		"matcher": {
			"gemini",
			func(s string) string { return strings.Replace(s, `"matcher": "*"`, `"matcher": "x"`, 1) }, "was edited",
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := deskOf(t, test.id, self).have(t, text)
			d.act(t, d.Install)
			good := d.text(t)
			d.have(t, test.drift(good))
			status := d.is(t, Drifted)
			if !slices.ContainsFunc(status.Problems, func(p string) bool { return strings.Contains(p, test.problem) }) {
				t.Errorf("the problems are %q", status.Problems)
			}
			d.act(t, d.Install)
			d.is(t, Installed)
			d.act(t, d.Remove)
			if got := d.text(t); got != text {
				t.Errorf("left\n%s", got)
			}
		})
	}
}

func TestOnlyOursIsTakenOutOfASharedEntry(t *testing.T) {
	d := deskOf(t, "claude", self)
	d.have(t, `{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"a"},{"type":"command","command":"/x/cupola hook claude --installed"},`+
		`{"type":"command","command":"cupola hook claude"}]}]}}`)
	d.is(t, Drifted)
	d.act(t, d.Remove)
	want := `{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"a"},{"type":"command","command":"cupola hook claude"}]}]}}`
	if got := d.text(t); got != want {
		t.Errorf("left %s", got)
	}
}

func TestATrailingCommaBehindOursGoesWithIt(t *testing.T) {
	for text, want := range map[string]string{
		"{}":                          "{}",
		"{\n  \"hooks\": {\n  }\n}\n": "{\n  \"hooks\": {\n  },\n}\n",
	} {
		d := deskOf(t, "claude", self).have(t, text)
		d.act(t, d.Install)
		d.have(t, regexp.MustCompile(`\n *[}\]]`).ReplaceAllString(d.text(t), ",$0"))
		d.is(t, Installed)
		d.act(t, d.Remove)
		d.is(t, Absent)
		if got := d.text(t); got != want {
			t.Errorf("%q: left %q", text, got)
		}
	}
}

func TestWhatChangedMeanwhileStays(t *testing.T) {
	d := deskOf(t, "claude", self).have(t, settings["plain"])
	d.act(t, d.Install)
	d.have(t, strings.Replace(d.text(t), `"opus"`, `"haiku"`, 1))
	d.act(t, d.Remove)
	if got, want := d.text(t), strings.Replace(settings["plain"], "opus", "haiku", 1); got != want {
		t.Errorf("left\n%s", got)
	}
	change, err := d.Install()
	if err != nil {
		t.Fatal(err)
	}
	d.have(t, "{}\n")
	if err := change.Apply(); !core.AsError(err).HasCode(core.Conflict) || d.text(t) != "{}\n" {
		t.Errorf("a change of another text gives %v", err)
	}
}

func TestSettingsThatCannotBeUnderstoodAreLeftAlone(t *testing.T) {
	for text, line := range map[string]string{
		"\n\n{\n  \"a\": }\n": "line 4", "{\n  \"a\": 1\n  \"b\": 2\n}": "line 3", "[]": "line 1",
		"{\"hooks\": 5}":                  "line 1",
		"{\n\"hooks\": {\n\"Stop\": {}}}": "line 3", "{} x": "line 1", "{,}": "line 1", "not json": "line 1",
		"{\"a":              "line 1",
		"{\"hooks\": null}": "line 1",
	} {
		d := deskOf(t, "claude", self).have(t, text)
		before := d.tree(t)
		for what, plan := range map[string]func() (*textfile.Change, error){"install": d.Install, "remove": d.Remove} {
			_, err := plan()
			if e := core.AsError(err); !e.HasCode(core.DecodeFailed) ||
				!strings.HasPrefix(e.Message, d.File+": "+line) {
				t.Errorf("%s of %q gives %v", what, text, err)
			}
		}
		if d.tree(t) != before {
			t.Errorf("%q was changed", text)
		}
	}
}

func TestABlankFileIsOneWithoutSettings(t *testing.T) {
	for _, text := range []string{"", "\n", " \r\n\t"} {
		d := deskOf(t, "claude", self).have(t, text)
		d.act(t, d.Install)
		if status, err := d.Status(); err != nil || status.State != Installed {
			t.Errorf("%q: %+v, %v", text, status, err)
		}
		d.act(t, d.Remove)
		if status, err := d.Status(); err != nil || status.State != Absent {
			t.Errorf("%q, after it was removed: %+v, %v", text, status, err)
		}
	}
}

func TestALinkStaysALinkAndAFileItsMode(t *testing.T) {
	for _, there := range []bool{true, false} {
		d := deskOf(t, "gemini", self)
		target := filepath.Join(d.home, "dotfiles", "gemini.json")
		if err := errors.Join(os.MkdirAll(filepath.Dir(target), 0o700), os.MkdirAll(filepath.Dir(d.File), 0o700),
			os.Symlink("../dotfiles/gemini.json", d.File)); err != nil {
			t.Fatal(err)
		}
		if there {
			if err := errors.Join(os.WriteFile(target, []byte("{}\n"), 0o600), os.Chmod(target, 0o664)); err != nil {
				t.Fatal(err)
			}
		}
		before := d.tree(t)
		d.act(t, d.Install)
		d.is(t, Installed)
		if info, err := os.Lstat(d.File); err != nil || info.Mode().Type() != fs.ModeSymlink {
			t.Errorf("it is no link: %v, %v", info, err)
		}
		if info, err := os.Stat(target); err != nil || there && info.Mode().Perm() != 0o664 {
			t.Errorf("the file is %v, %v", info, err)
		}
		d.act(t, d.Remove)
		if after := d.tree(t); after != before {
			t.Errorf("left\n%s\nof\n%s", after, before)
		}
	}
}

func TestForeignScriptIsLeftAlone(t *testing.T) {
	d := deskOf(t, "opencode", self).have(t, "export const Mine = 1\n")
	for _, plan := range []func() (*textfile.Change, error){d.Install, d.Remove} {
		if _, err := plan(); !core.AsError(err).HasCode(core.Conflict) {
			t.Errorf("the error is %v", err)
		}
	}
	d = deskOf(t, "opencode", "/opt/it's/cupola")
	d.act(t, d.Install)
	d.is(t, Installed)
	moved := deskAt(t, "opencode", self, d.home)
	if status := moved.is(t, Drifted); len(status.Problems) != 1 || !strings.Contains(status.Problems[0], "path") {
		t.Errorf("%+v", status)
	}
	moved.act(t, moved.Install)
	moved.is(t, Installed)
	moved.act(t, moved.Remove)
	if after := moved.tree(t); strings.Contains(after, ".config") {
		t.Errorf("left\n%s", after)
	}
}

func TestHooksThatAreTurnedOffAreNamed(t *testing.T) {
	d := deskOf(t, "claude", self).have(t, "{\"disableAllHooks\": true}")
	d.act(t, d.Install)
	if status := d.is(t, Installed); len(status.Problems) != 1 ||
		!strings.Contains(status.Problems[0], "disableAllHooks") {
		t.Errorf("%+v", status)
	}
}

func TestSettingsLieWhereTheAgentLooksForThem(t *testing.T) {
	kinds, err := agent.Load()
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		kind, file string
		env        map[string]string
	}{
		{"claude", "/h/.claude/settings.json", map[string]string{"HOME": "/h"}},
		{"claude", "/c/settings.json", map[string]string{"HOME": "/h", "CLAUDE_CONFIG_DIR": "/c"}},
		{"claude", "/h/.claude/settings.json", map[string]string{"HOME": "/h", "CLAUDE_CONFIG_DIR": "c"}},
		{"claude", "/.claude/settings.json", nil},
		{"codex", "/x/hooks.json", map[string]string{"HOME": "/h", "CODEX_HOME": "/x"}},
		{"gemini", "/h/.gemini/settings.json", map[string]string{"HOME": "/h"}},
		{"gemini", "/x/.gemini/settings.json", map[string]string{"HOME": "/h", "GEMINI_CLI_HOME": "/x"}},
		{"opencode", "/h/.config/opencode/plugin/cupola.js", map[string]string{"HOME": "/h"}},
		{"opencode", "/x/opencode/plugin/cupola.js", map[string]string{"HOME": "/h", "XDG_CONFIG_HOME": "/x"}},
		{"pi", "/h/.pi/agent/extensions/cupola.ts", map[string]string{"HOME": "/h"}},
		{"pi", "/x/extensions/cupola.ts", map[string]string{"HOME": "/h", "PI_CODING_AGENT_DIR": "/x"}},
	} {
		kind, _ := kinds.Find(test.kind)
		p, ok := Of(kind, self, words, func(name string) string { return test.env[name] })
		if !ok || p.File != test.file {
			t.Errorf("%s in %v: %s", test.kind, test.env, p.File)
		}
	}
}

func TestTheCommandIsOneWordForAShell(t *testing.T) {
	for path, want := range map[string]string{
		self: self, "/my dir/cupola": "'/my dir/cupola'", "/it's/cupola": `'/it'\''s/cupola'`,
		"/a$b/cupola": "'/a$b/cupola'",
	} {
		if got := deskOf(t, "claude", path).Command; got != want+" hook claude --installed" {
			t.Errorf("%s is run as %s", path, got)
		}
	}
}

func TestADiffShowsWhatWouldChange(t *testing.T) {
	d := deskOf(t, "claude", self).have(t, "{\n  \"a\": 1\n}\n")
	change, err := d.Install()
	if err != nil {
		t.Fatal(err)
	}
	diff := change.Diff()
	for _, part := range []string{
		"--- " + d.File, "+++ " + d.File, "@@ -1,3 +1,", "-  \"a\": 1\n", "+  \"a\": 1,\n",
		"+    \"Stop\": [",
	} {
		if !strings.Contains(diff, part) {
			t.Errorf("%q is not in\n%s", part, diff)
		}
	}
	if d.text(t) != "{\n  \"a\": 1\n}\n" {
		t.Error("a plan changed the file")
	}
}

func FuzzSettings(f *testing.F) {
	for _, text := range settings {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		d := deskOf(t, "claude", self)
		if strings.Contains(text, "--installed") || strings.TrimSpace(text) == "" {
			return
		}
		if rest, _, err := d.without(text, true); err != nil || rest != text {
			return
		}
		with, err := d.with(text)
		if err != nil {
			return
		}
		if status, err := d.commandsStatus(with); err != nil || status.State != Installed {
			t.Fatalf("%q becomes %q, which is %+v, %v", text, with, status, err)
		}
		if rest, _, err := d.without(with, true); err != nil || rest != text {
			t.Fatalf("%q becomes %q, and then %q, %v", text, with, rest, err)
		}
	})
}
