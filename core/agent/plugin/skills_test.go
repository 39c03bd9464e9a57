package plugin

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"cupola/core"
	"cupola/core/system/textfile"
)

// readers are the kinds that read skills.
var readers = []string{"claude", "codex", "gemini", "opencode", "copilot", "pi", "qwen"}

func (d *desk) change(t testing.TB, plan func(...Part) (*Change, error), parts ...Part) *Change {
	t.Helper()
	change, err := plan(parts...)
	if err == nil {
		err = change.Apply()
	}
	if err != nil {
		t.Fatal(err)
	}
	return change
}

func (d *desk) skillsAre(t testing.TB, want State) []string {
	t.Helper()
	status, err := d.StatusOf(Skills)
	if err != nil || status.State != want {
		t.Fatalf("the status is %+v (%v), not %s, of\n%s", status, err, want, d.tree(t))
	}
	return status.Problems
}

// at is the path of an installed text.
func (d *desk) at(t testing.TB, end string) string {
	t.Helper()
	for _, f := range d.skills.files() {
		if strings.HasSuffix(f.path, end) {
			return f.path
		}
	}
	t.Fatalf("no text is at %s", end)
	return ""
}

func write(t testing.TB, path, text string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
		t.Fatal(err)
	}
}

func TestTextsAreRemovedWithoutATraceInEveryOrder(t *testing.T) {
	for _, id := range readers {
		for _, order := range [][][]Part{
			{{Skills}, {Skills}},
			{{Hooks, Skills}, {Hooks, Skills}},
			{{Hooks, Skills}, {Skills, Hooks}},
			{{Hooks}, {Skills}, {Hooks}, {Skills}},
			{{Skills}, {Hooks}, {Skills}, {Hooks}},
		} {
			d := deskOf(t, id, self)
			if !d.Supports(Hooks) && len(order[0])+len(order) > 3 || !d.Supports(Hooks) && order[0][0] == Hooks {
				continue
			}
			before := d.tree(t)
			for i, parts := range order {
				plan := d.InstallParts
				if i >= len(order)/2 {
					plan = d.RemoveParts
				}
				d.change(t, plan, parts...)
				if i == len(order)/2-1 {
					for _, part := range d.Parts() {
						if status, err := d.StatusOf(part); slices.Contains(slices.Concat(order...), part) &&
							(err != nil || status.State != Installed || len(status.Problems) > 0) {
							t.Errorf("%s: %s is %+v, %v", id, part, status, err)
						}
					}
				}
			}
			if after := d.tree(t); after != before {
				t.Errorf("%s, %v: left\n%s", id, order, after)
			}
		}
	}
}

func TestTextsHaveTheFormOfTheirKind(t *testing.T) {
	for id, want := range map[string]map[string]string{
		"claude": {
			"/.claude/skills/cupola/.claude-plugin/plugin.json": "\"name\": \"tool\",\n  \"description\": " +
				"\"All \\\"of\\\" it: here\",\n  \"version\": \"1.2.3\"",
			"/.claude/skills/cupola/skills/tool-ask/SKILL.md": "---\nname: tool-ask\ndescription: " +
				"\"How to ask: \\\"twice\\\" # or more\"\n# Installed by Cupola 1.2.3, folders 5, sum ",
			"/.claude/skills/cupola/commands/ask.md":          "Ask: $ARGUMENTS\n",
			"/.claude/skills/cupola/skills/tool-see/SKILL.md": "\n---\n\nSee.\n",
		},
		"codex": {
			"/.codex/skills/tool-ask/SKILL.md": "# Ask\n\nAsk <it> & wait.\n",
			"/.codex/skills/tool-see/SKILL.md": "",
		},
		"gemini": {
			"/.gemini/skills/tool-ask/SKILL.md": "",
			"/.gemini/skills/tool-see/SKILL.md": "",
			"/.gemini/commands/ask.toml":        "description = \"Ask it\"\nprompt = '''\nAsk: {{args}}\n'''\n",
		},
		"opencode": {
			"/.config/opencode/skill/tool-ask/SKILL.md": "",
			"/.config/opencode/skill/tool-see/SKILL.md": "",
			"/.config/opencode/command/ask.md":          "argument-hint: \"[PROMPT]\"\n",
		},
		"copilot": {"/.copilot/skills/tool-ask/SKILL.md": "", "/.copilot/skills/tool-see/SKILL.md": ""},
		"qwen": {
			"/.qwen/skills/tool-ask/SKILL.md": "",
			"/.qwen/skills/tool-see/SKILL.md": "",
			"/.qwen/commands/ask.md":          "Ask: {{args}}\n",
		},
	} {
		d := deskOf(t, id, self)
		change := d.change(t, d.InstallParts, Skills)
		if len(change.Files) != len(want) {
			t.Errorf("%s: %d files are written", id, len(change.Files))
		}
		for path, part := range want {
			text, err := os.ReadFile(filepath.Join(d.home, path))
			if err != nil || !strings.Contains(string(text), part) {
				t.Errorf("%s: %q is not in %q, %v", path, part, text, err)
			}
			if !within(d.Path(Skills), filepath.Join(d.home, path)) {
				t.Errorf("%s is not in %s", path, d.Path(Skills))
			}
		}
	}
}

func TestStaleTextsAreWrittenAgain(t *testing.T) {
	d := deskOf(t, "gemini", self)
	before := d.tree(t)
	d.change(t, d.InstallParts, Skills)
	later := *words
	later.Version, later.Skills = "1.3.0", later.Skills[:1]
	later.Commands = append(slices.Clone(later.Commands), Text{Name: "see", Description: "See", Body: "See.\n"})
	d.skills.texts = &later
	problems := strings.Join(d.skillsAre(t, Drifted), "\n")
	for _, want := range []string{
		"skills/tool-ask/SKILL.md is of version 1.2.3", "commands/see.toml is missing",
		"skills/tool-see/SKILL.md is not wanted any more",
	} {
		if !strings.Contains(problems, want) {
			t.Errorf("%q is not in\n%s", want, problems)
		}
	}
	d.change(t, d.InstallParts, Skills)
	d.skillsAre(t, Installed)
	if strings.Contains(d.tree(t), "tool-see") {
		t.Errorf("an old text is left:\n%s", d.tree(t))
	}
	later.Skills = slices.Clone(later.Skills)
	later.Skills[0].Body = "Other.\n"
	if problems := d.skillsAre(t, Drifted); len(problems) != 1 || !strings.HasSuffix(problems[0], "has another text") {
		t.Errorf("%q", problems)
	}
	d.change(t, d.RemoveParts, Skills)
	if after := d.tree(t); after != before {
		t.Errorf("left\n%s", after)
	}
}

func TestWhatItsUserEditedOrAddedStays(t *testing.T) {
	d := deskOf(t, "claude", self)
	d.change(t, d.InstallParts, Skills)
	edited, added := d.at(t, "tool-ask/SKILL.md"), filepath.Join(filepath.Dir(d.at(t, "tool-see/SKILL.md")), "notes.md")
	session := filepath.Join(d.home, ".claude", "projects", "x", "1.jsonl")
	text, err := os.ReadFile(edited)
	if err != nil {
		t.Fatal(err)
	}
	write(t, edited, string(text)+"Mine.\n")
	write(t, added, "mine\n")
	write(t, session, "{}\n")
	// A copy has the mark, and is its user's.
	copied := filepath.Join(d.home, ".claude", "skills", "cupola", "skills", "copy", "SKILL.md")
	see, err := os.ReadFile(d.at(t, "tool-see/SKILL.md"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, copied, string(see))
	if problems := d.skillsAre(t, Drifted); len(problems) != 1 || !strings.HasSuffix(problems[0], "was edited") {
		t.Errorf("%q", problems)
	}
	if change := d.change(t, d.InstallParts, Skills); len(change.Kept) != 1 || change.Kept[0].File != edited {
		t.Errorf("kept are %+v", change.Kept)
	}
	change := d.change(t, d.RemoveParts, Skills)
	var kept []string
	for _, k := range change.Kept {
		kept = append(kept, k.File)
	}
	if !slices.Contains(kept, edited) || !slices.Contains(kept, added) || len(kept) != 2 {
		t.Errorf("kept are %q", kept)
	}
	for path, want := range map[string]string{
		edited: string(text) + "Mine.\n", added: "mine\n", session: "{}\n", copied: string(see),
	} {
		if got, err := os.ReadFile(path); err != nil || string(got) != want {
			t.Errorf("%s: %q, %v", path, got, err)
		}
	}
	for _, end := range []string{"plugin.json", "tool-see/SKILL.md", "commands/ask.md"} {
		if _, err := os.Stat(d.at(t, end)); err == nil {
			t.Errorf("%s is left", end)
		}
	}
}

func TestWhatIsInThePlaceOfATextRefusesItAll(t *testing.T) {
	beyond := t.TempDir()
	for name, test := range map[string]struct {
		make func(path string) error
		code core.Code
		says string
	}{
		"folder": {func(path string) error { return os.MkdirAll(path, 0o700) }, core.Conflict, "a folder"},
		"fifo":   {func(path string) error { return syscall.Mkfifo(path, 0o600) }, core.Conflict, "no regular file"},
		"foreign": {
			func(path string) error { return os.WriteFile(path, []byte("mine"), 0o600) }, core.Conflict, "not Cupola's",
		},
		"link": {
			func(path string) error { return os.Symlink(filepath.Join(beyond, "x"), path) }, core.Conflict, "a link",
		},
		"file above": {
			func(path string) error {
				return errors.Join(os.Remove(filepath.Dir(path)), os.WriteFile(filepath.Dir(path), nil, 0o600))
			}, core.Conflict, "no folder",
		},
		"link above": {
			func(path string) error {
				return errors.Join(os.Remove(filepath.Dir(path)), os.Symlink(beyond, filepath.Dir(path)))
			}, core.Conflict, "leads out",
		},
		"dangling link above": {
			func(path string) error {
				dir := filepath.Dir(path)
				return errors.Join(os.Remove(dir), os.Symlink(filepath.Join(beyond, "no"), dir))
			}, core.IOError, "no such file",
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := deskOf(t, "claude", self)
			path := d.at(t, "commands/ask.md")
			if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), test.make(path)); err != nil {
				t.Fatal(err)
			}
			before := d.tree(t)
			_, err := d.InstallParts(Hooks, Skills)
			if e := core.AsError(err); !e.HasCode(test.code) || !strings.Contains(e.Message, test.says) ||
				!strings.Contains(e.Message, filepath.Dir(path)) {
				t.Errorf("the error is %v", err)
			}
			if after := d.tree(t); after != before {
				t.Errorf("left\n%s\nof\n%s", after, before)
			}
			if left, err := os.ReadDir(beyond); err != nil || len(left) != 0 {
				t.Errorf("outside are %v, %v", left, err)
			}
		})
	}
}

func TestAReadOnlyTextIsNeitherReplacedNorRemoved(t *testing.T) {
	d := deskOf(t, "codex", self)
	d.change(t, d.InstallParts, Skills)
	if err := os.Chmod(d.at(t, "tool-see/SKILL.md"), 0o400); err != nil {
		t.Fatal(err)
	}
	d.skills.texts = &Texts{Version: "2.0.0", Skills: words.Skills}
	before := d.tree(t)
	for what, plan := range map[string]func(...Part) (*Change, error){
		"install": d.InstallParts, "remove": d.RemoveParts,
	} {
		if _, err := plan(Skills); !core.AsError(err).HasCode(core.PermissionDenied) {
			t.Errorf("%s gives %v", what, err)
		}
	}
	if after := d.tree(t); after != before {
		t.Errorf("left\n%s", after)
	}
}

func TestAFailureUndoesWhatWasDone(t *testing.T) {
	d := deskOf(t, "claude", self).have(t, settings["plain"])
	before := d.tree(t)
	change, err := d.InstallParts(Hooks, Skills)
	if err != nil {
		t.Fatal(err)
	}
	late := d.at(t, "commands/ask.md")
	change.Files = append(change.Files, FileChange{&textfile.Change{File: late, After: []byte("x")}, Skills})
	if err := change.Apply(); !core.AsError(err).HasCode(core.Conflict) {
		t.Errorf("the error is %v", err)
	}
	if after := d.tree(t); after != before {
		t.Errorf("left\n%s\nof\n%s", after, before)
	}
}

func TestLinksInsideTheHomeAreFollowed(t *testing.T) {
	d := deskOf(t, "claude", self)
	if err := errors.Join(os.MkdirAll(filepath.Join(d.home, "dotfiles", "claude"), 0o700),
		os.Symlink("dotfiles/claude", filepath.Join(d.home, ".claude"))); err != nil {
		t.Fatal(err)
	}
	before := d.tree(t)
	d.change(t, d.InstallParts, Skills)
	d.skillsAre(t, Installed)
	d.change(t, d.RemoveParts, Skills)
	if after := d.tree(t); after != before {
		t.Errorf("left\n%s\nof\n%s", after, before)
	}
}

func TestAForeignFileAloneIsNotInstalled(t *testing.T) {
	d := deskOf(t, "opencode", self)
	write(t, d.at(t, "command/ask.md"), "mine")
	if problems := d.skillsAre(t, Absent); len(problems) != 1 || !strings.Contains(problems[0], "not Cupola's") {
		t.Errorf("%q", problems)
	}
	if change := d.change(t, d.RemoveParts, Skills); change.Changes() || len(change.Kept) > 0 {
		t.Errorf("%+v", change)
	}
}
