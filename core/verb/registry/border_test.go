package registry_test

import (
	"os"
	"path/filepath"
	"testing"

	"cupola/core"
	"cupola/core/verb/registry"
)

func TestPathsAreInsideWhereTheirLinksLead(t *testing.T) {
	root := t.TempDir()
	project, outside := filepath.Join(root, "project"), filepath.Join(root, "outside")
	for _, dir := range []string{filepath.Join(project, ".git", "hooks"), filepath.Join(project, "docs"), outside} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for link, to := range map[string]string{
		"out": outside, "in": filepath.Join(project, "docs"), "nowhere": filepath.Join(outside, "new"), "loop": "loop",
		"hooks": filepath.Join(project, ".git", "hooks"),
	} {
		if err := os.Symlink(to, filepath.Join(project, link)); err != nil {
			t.Fatal(err)
		}
	}
	for path, want := range map[string]bool{
		".": true, "docs": true, "docs/new.md": true, "new/er/file": true, "in/new.md": true,
		project: true, project + "/docs": true,
		"..": false, "../outside/x": false, "docs/../../outside": false, outside: false,
		"/": false, "/etc/passwd": false,
		"out": false, "out/x": false, "nowhere": false, "loop": false, "loop/x": false, "~": false, "~/x": false,
		".git": false, ".git/hooks/pre-commit": false, ".GIT/config": false, "docs/.git/config": false,
		"hooks/pre-commit": false, project + "x": false, "/proc/self/root/etc/passwd": false, "/dev/stdin": false,
		"docs/../docs": false, "out/../project": false, // who knows what .. is behind a link
	} {
		if got := registry.Inside(project, project, path); got != want {
			t.Errorf("%s: inside is %t", path, got)
		}
	}
	if registry.Inside("", project, "docs") {
		t.Error("a path is inside of no project")
	}
}

func TestHomeIsNoProject(t *testing.T) {
	home := t.TempDir()
	getenv := func(name string) string {
		return map[string]string{"HOME": home, "GIT_CEILING_DIRECTORIES": filepath.Dir(home)}[name]
	}
	work := filepath.Join(home, "work", "deep")
	if err := os.MkdirAll(work, 0o700); err != nil {
		t.Fatal(err)
	}
	for dir, want := range map[string]string{home: "", filepath.Dir(home): "", "/": "", work: work} {
		if got := registry.ProjectAt(dir, getenv); got != want {
			t.Errorf("%s: %q", dir, got)
		}
	}
	if err := os.Mkdir(filepath.Join(home, "work", ".git"), 0o700); err != nil {
		t.Fatal(err)
	}
	if got := registry.ProjectAt(work, getenv); got != filepath.Join(home, "work") {
		t.Errorf("in a repository: %q", got)
	}
	getenv = func(name string) string {
		return map[string]string{"HOME": home, "GIT_CEILING_DIRECTORIES": filepath.Join(home, "work")}[name]
	}
	if got := registry.ProjectAt(work, getenv); got != work {
		t.Errorf("below a ceiling: %q", got)
	}
	if err := os.Mkdir(filepath.Join(home, ".git"), 0o700); err != nil {
		t.Fatal(err)
	}
	if got := registry.ProjectAt(home, getenv); got != "" {
		t.Errorf("a home that is a repository: %q", got)
	}
}

func TestLevelsIncludeThoseBefore(t *testing.T) {
	levels := registry.Effects()
	for i, level := range levels {
		for j, effect := range levels {
			if effect.Within(level) != (j <= i) {
				t.Errorf("%s within %s", effect, level)
			}
		}
		if registry.Destroys.Within("") || registry.Effect("").Within("x") != true && level.Within("x") {
			t.Errorf("an unknown level allows %s", level)
		}
	}
}

type needIn struct {
	Out    registry.WritePath   `help:"x"`
	In     registry.ReadPaths   `help:"x"`
	Run    registry.Programs    `help:"x"`
	Preset registry.NamedScript `help:"x"`
	Fix    bool                 `raises:"destroys" help:"x"`
	Mode   string               `enum:"quiet,loud" raises:"loud=answers" help:"x"`
	registry.Preview
}

func TestWhatACallNeedsFollowsFromItsInput(t *testing.T) {
	verb := registry.Define(registry.Spec[*env, needIn, struct{}]{Name: "x", Effect: registry.Reads})
	inside := func(path string) bool { return path == "here" }
	for name, c := range map[string]struct {
		in   needIn
		want registry.Need
	}{
		"nothing":       {needIn{}, registry.Need{Level: registry.Reads}},
		"a path inside": {needIn{Out: "here"}, registry.Need{Level: registry.Writes}},
		"a path outside": {
			needIn{In: registry.ReadPaths{"here", "there"}}, registry.Need{Level: registry.Writes, Commands: true},
		},
		"standard input": {needIn{In: registry.ReadPaths{"-"}}, registry.Need{Level: registry.Reads}},
		"a program": {
			needIn{Run: registry.Programs{"ls"}}, registry.Need{Level: registry.Writes, Commands: true},
		},
		"a program, dry": {
			needIn{Run: registry.Programs{"ls"}, Preview: registry.Preview{DryRun: true}},
			registry.Need{Level: registry.Reads},
		},
		"a path, dry": {
			needIn{Out: "there", Preview: registry.Preview{DryRun: true}},
			registry.Need{Level: registry.Writes, Commands: true},
		},
		"a preset":             {needIn{Preset: "mine"}, registry.Need{Level: registry.Reads}},
		"a preset's file":      {needIn{Preset: "./mine"}, registry.Need{Level: registry.Writes, Commands: true}},
		"a file without slash": {needIn{Preset: "mine.toml"}, registry.Need{Level: registry.Writes, Commands: true}},
		"a switch":             {needIn{Fix: true}, registry.Need{Level: registry.Destroys}},
		"a choice":             {needIn{Mode: "loud"}, registry.Need{Level: registry.Answers}},
		"another choice":       {needIn{Mode: "quiet"}, registry.Need{Level: registry.Reads}},
	} {
		got := registry.NeedOf(verb, c.in, inside)
		if got.Level != c.want.Level || got.Commands != c.want.Commands {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestNobodyWithoutABorderIsRefused(t *testing.T) {
	verb := registry.Define(registry.Spec[*env, needIn, struct{}]{Name: "x", Effect: registry.Destroys})
	var none *registry.Border
	if _, err := none.Admit(verb, needIn{Run: registry.Programs{"ls"}}); err != nil {
		t.Error(err)
	}
	reads := &registry.Border{Level: registry.Reads, Asking: "this server"}
	if _, err := reads.Admit(verb, needIn{}); !core.AsError(err).HasCode(core.PermissionDenied) {
		t.Error(err)
	}
}
