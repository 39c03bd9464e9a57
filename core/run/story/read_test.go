package story_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/run/story"
	"cupola/core/system/plainfile"
)

// repository makes a repository with a change, and returns the folders of both.
func repository(t *testing.T) (root, change string) {
	t.Helper()
	root = t.TempDir()
	write(t, filepath.Join(root, ".git", "HEAD"), "ref: refs/heads/main\n")
	change = filepath.Join(root, "openspec", "changes", "add-login")
	write(t, filepath.Join(change, "tasks.md"), "## 1. A\n- [x] 1.1 a\n## 2. B\n- [ ] 2.1 b\n")
	return root, change
}

func TestRead(t *testing.T) {
	root, at := repository(t)
	write(t, filepath.Join(at, "proposal.md"), "why \xff")
	write(t, filepath.Join(at, "specs", "b", "spec.md"), "### Requirement: R\n#### Scenario: S\n- WHEN b\n")
	write(t, filepath.Join(at, "specs", "a", "c", "spec.md"), "### Requirement: R\n#### Scenario: S\n- WHEN a\n")
	write(t, filepath.Join(at, "specs", "a", "other.md"), "### Requirement: R\n#### Scenario: S\n- WHEN no\n")
	write(t, filepath.Join(root, "sub", "dir", "x"), "")
	c, err := story.Read(filepath.Join(root, "sub", "dir"), "add-login")
	if err != nil {
		t.Fatal(err)
	}
	if c.Name != "add-login" || c.Dir != at || c.Path != filepath.Join(at, "tasks.md") || c.Proposal != "why \uFFFD" ||
		c.Design != "" || len(c.Stories) != 2 || c.Next().ID != "2" {
		t.Errorf("got %+v", c)
	}
	if len(c.Scenarios) != 2 || c.Scenarios[0].Capability != "a/c" || c.Scenarios[1].Capability != "b" {
		t.Errorf("the scenarios are %+v", c.Scenarios)
	}
	tasks, err := story.ReadTasks(c.Path)
	if err != nil || tasks.Name != "add-login" || tasks.Dir != at || len(tasks.Stories) != 2 {
		t.Errorf("got %+v, %v", tasks, err)
	}
}

func TestReadTasksOfAPlainFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "todo.md")
	write(t, path, "- [ ] a")
	c, err := story.ReadTasks(path)
	if err != nil || c.Name != "todo" || c.Dir != "" || c.Path != path || len(c.Stories) != 1 {
		t.Errorf("got %+v, %v", c, err)
	}
	if _, err := story.ReadTasks(path + "x"); !core.AsError(err).HasCode(core.NotFound) {
		t.Errorf("got %v", err)
	}
}

func TestChangesListsWhatCannotBeRead(t *testing.T) {
	root, at := repository(t)
	path := filepath.Join(at, "tasks.md")
	if err := errors.Join(os.Remove(path), syscall.Mkfifo(path, 0o600)); err != nil {
		t.Fatal(err)
	}
	listed, err := story.Changes(root)
	if err != nil || len(listed) != 1 || listed[0].Path != path || !strings.HasPrefix(listed[0].Problem, path+": ") {
		t.Errorf("got %+v, %v", listed, err)
	}
}

func TestReadRefuses(t *testing.T) {
	root, at := repository(t)
	outside, bare := t.TempDir(), t.TempDir()
	write(t, filepath.Join(bare, "a", "x"), "")
	write(t, filepath.Join(bare, "openspec", "changes", "add-login", "tasks.md"), "")
	write(t, filepath.Join(outside, "secret"), "secret")
	for _, c := range []struct {
		dir, name string
		code      core.Code
	}{
		{root, "", core.InvalidInput},
		{root, "..", core.InvalidInput},
		{root, "a/b", core.InvalidInput},
		{root, "archive", core.InvalidInput},
		{root, "../changes/add-login", core.InvalidInput},
		{root, ".", core.InvalidInput},
		{root, `a\b`, core.InvalidInput},
		{root, "a\x00", core.InvalidInput},
		{root, "add-logn", core.ChangeNotFound},
		{outside, "add-login", core.ProjectNotFound},
		{filepath.Join(root, "none"), "add-login", core.ProjectNotFound},
		{filepath.Join(bare, "a"), "add-login", core.ProjectNotFound},
	} {
		if _, err := story.Read(c.dir, c.name); !core.AsError(err).HasCode(c.code) {
			t.Errorf("%s, %q: %v, want %s", c.dir, c.name, err, c.code)
		}
	}
	_, err := story.Read(root, "add-logn")
	if e := core.AsError(err); !slices.Equal(e.Suggestions, []string{"add-login"}) {
		t.Errorf("%v suggests %v", err, e.Suggestions)
	}
	path := filepath.Join(at, "design.md")
	for name, make := range map[string]func() error{
		"folder":  func() error { return os.Mkdir(path, 0o700) },
		"FIFO":    func() error { return syscall.Mkfifo(path, 0o600) },
		"device":  func() error { return os.Symlink("/dev/zero", path) },
		"outside": func() error { return os.Symlink(filepath.Join(outside, "secret"), path) },
		"huge":    func() error { write(t, path, ""); return os.Truncate(path, plainfile.Text+1) },
	} {
		if err := make(); err != nil {
			t.Fatal(err)
		}
		_, err := story.Read(root, "add-login")
		if e := core.AsError(err); !e.HasCode(core.IOError) || !strings.HasPrefix(e.Message, path+": ") {
			t.Errorf("%s: %v", name, err)
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(filepath.Join("..", "..", "..", ".git", "HEAD"), path); err != nil {
		t.Fatal(err)
	}
	if c, err := story.Read(root, "add-login"); err != nil || c.Design == "" {
		t.Errorf("a link within the project: %v", err)
	}
}

func TestChanges(t *testing.T) {
	root, at := repository(t)
	changes := filepath.Dir(at)
	write(t, filepath.Join(changes, "old", "specs", "a", "spec.md"), "x")
	write(t, filepath.Join(changes, "archive", "done", "tasks.md"), "- [x] a")
	write(t, filepath.Join(changes, "file"), "x")
	before := time.Now().Add(-time.Hour).Truncate(time.Second)
	if err := os.Chtimes(filepath.Join(changes, "old", "specs", "a", "spec.md"), before, before); err != nil {
		t.Fatal(err)
	}
	listed, err := story.Changes(root)
	if err != nil || len(listed) != 2 {
		t.Fatalf("got %+v, %v", listed, err)
	}
	if first := listed[0]; first.Name != "add-login" || first.TasksDone != 1 || first.TasksTotal != 2 ||
		first.StoriesDone != 1 || first.StoriesTotal != 2 || first.Problem != "" {
		t.Errorf("the first is %+v", first)
	}
	if old := listed[1]; old.Name != "old" || !old.Modified.Equal(before) || old.TasksTotal != 0 {
		t.Errorf("the second is %+v", old)
	}
}

func TestScenarios(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{
			"forms", "\uFEFF## ADDED Requirements\r\n### Requirement: Log in (fast)!\r\n#### Scenario: S\r\n" +
				"- **GIVEN** a user\r\n" +
				"* AND b\r\n1. when: c\r\n- **AND** d\r\n+ **Then:** e\r\n- but f\r\n- **AND**: **g** h\r\n",
			"log-in-fast S [a user; b] c and d [e; f; **g** h]",
		},
		{
			"without a list", "### Requirement: R\n#### Scenario: S\n**GIVEN** a\n**AND b**\nWHEN c\nand d\nTHEN e\n" +
				"Then f\n",
			"r S [a; b] c and d [e Then f]",
		},
		{
			"continued", "### Requirement: R\n#### Scenario: S\n- WHEN a\n  b\n- THEN c\n\n  - d\n  and e\n\n" +
				"not this\nnor this\n",
			"r S [] a b [c - d and e]",
		},
		{
			"twice", "### Requirement: R\n#### Scenario: S\n- WHEN a\n- WHEN b\n- THEN c\n- THEN d\n",
			"r S [] a and b [c; d]",
		},
		{
			"code", "### Requirement: R\n```\n#### Scenario: N\n- WHEN a\n```\n#### Scenario: S\n- WHEN a\n```\n" +
				"- THEN no\n```\n- THEN b\n",
			"r S [] a [b]",
		},
		{
			"code without end", "### Requirement: R\n#### Scenario: S\n- WHEN a\n```\n#### Scenario: N\n- WHEN b\n",
			"r S [] a []",
		},
		{
			"no scenarios", "### Requirement: R\n- WHEN a\n#### Scenario: empty\n\n### Requirement: Q\n" +
				"#### Scenario: S ##\ntext\n",
			"q S []  []",
		},
		{"removed", "## REMOVED Requirements\n### Requirement: R\n#### Scenario: N\n- WHEN a\n" +
			"## MODIFIED Requirements\n" +
			"#### Scenario: S\n- WHEN a\n##### deeper\n- THEN b\n", " S [] a [b]"},
		{
			"without the word", "### R\n#### Scenario: S\n- WHEN a\n### Requirement:\n#### T\n- WHEN b\n",
			"r S [] a []\nrequirement T [] b []",
		},
		{
			"words", "### Requirement: R\n#### Scenario: S\n- WHEN a\n- Andrew b\n- when's c\n- THEN\n",
			"r S [] a - Andrew b - when's c []",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for _, s := range story.Scenarios("x", []byte(c.text)) {
				got = append(got, s.RequirementID+" "+s.Name+" ["+strings.Join(s.Given, "; ")+"] "+s.When+
					" ["+strings.Join(s.Then, "; ")+"]")
			}
			if got := strings.Join(got, "\n"); got != c.want {
				t.Errorf("%q\n got: %s\nwant: %s", c.text, got, c.want)
			}
		})
	}
}

func TestGuess(t *testing.T) {
	for _, c := range []struct {
		name  string
		files map[string]string
		want  string
	}{
		{"nothing", nil, ""},
		{"Go", map[string]string{"go.mod": ""}, "go vet ./...|go test ./..."},
		{
			"Rust and Go",
			map[string]string{"Cargo.toml": "", "go.mod": ""},
			"go vet ./...|go test ./...|cargo check|cargo clippy -- -D warnings|cargo test",
		},
		{
			"npm",
			map[string]string{"package.json": `{"scripts":{"test":"jest","lint":"eslint","build":"x"}}`},
			"npm run lint|npm run test",
		},
		{"npm's own test", map[string]string{
			"package.json": `{"scripts":{"test":"echo \"Error: no test specified\" && exit 1","typecheck":7}}`,
		}, ""},
		{
			"pnpm",
			map[string]string{"package.json": `{"scripts":{"typecheck":"tsc"}}`, "pnpm-lock.yaml": ""},
			"pnpm run typecheck",
		},
		{"yarn", map[string]string{"package.json": `{"scripts":{"test":"x"}}`, "yarn.lock": ""}, "yarn run test"},
		{"bun", map[string]string{"package.json": `{"scripts":{"test":"x"}}`, "bun.lock": ""}, "bun run test"},
		{
			"said",
			map[string]string{"package.json": `{"scripts":{"test":"x"},"packageManager":"yarn@4"}`, "bun.lock": ""},
			"yarn run test",
		},
		{"broken", map[string]string{"package.json": `{`, "pyproject.toml": "["}, "python -m pytest"},
		{
			"Python",
			map[string]string{"pyproject.toml": "[tool.mypy]\n[tool.ruff]\n"},
			"python -m ruff check .|python -m mypy .|python -m pytest",
		},
		{"old Python", map[string]string{"setup.py": ""}, "python -m pytest"},
		{"make", map[string]string{
			"Makefile": "check: x\n\tgo\ntest lint:\n\tx\n",
			"go.mod":   "",
		}, "make check|make test"},
		{
			"make without",
			map[string]string{
				"Makefile": "check := x\n.PHONY: test\n# test:\n\ttest: x\nchecks:\n",
				"setup.py": "",
			},
			"python -m pytest",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			for name, text := range c.files {
				write(t, filepath.Join(dir, name), text)
			}
			if got := strings.Join(story.Guess(dir), "|"); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

func TestValidate(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"sound", "## 1. A\n- [ ] a\n## 2. B (after 1)\n- [ ] b", ""},
		{"empty", "", "error 0 there are no tasks"},
		{"story without tasks", "## 1. A\n## 2. B\n- [ ] b", "warning 1 story 1 has no tasks, and counts as done"},
		{"dropped", "- [ ] a\n- [WIP] b", "warning 2 the box of a task holds one character: - [WIP] b"},
		{
			"circles", "## 1. A (after 2)\n- [ ] a\n## 2. B (after 3)\n- [ ] b\n## 3. C (after 1, 2)\n- [ ] c\n" +
				"## 4. D (after 4)\n- [ ] d",
			"error 1 stories depend on each other: 1 -> 2 -> 3 -> 1\n" +
				"error 3 stories depend on each other: 2 -> 3 -> 2\n" +
				"error 7 stories depend on each other: 4 -> 4",
		},
		{"unknown", "## 1. A (after 7)\n- [ ] a", "warning 1 it depends on 7, which is no story: ## 1. A (after 7)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			change := &story.Change{}
			change.Stories, change.Dropped = story.Parse([]byte(c.text))
			if got := problems(t, change); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
	made := &story.Change{Dir: "x", Stories: []story.Story{
		{ID: "1", Line: 1, After: []string{"9"}, Tasks: []story.Task{{ID: "1", Line: 2}, {ID: "1", Line: 3}}},
		{ID: "1", Line: 4, Tasks: []story.Task{{ID: "2", Line: 5}}},
	}}
	if got := problems(t, made); got != "info 0 the specs of the change have no scenarios\n"+
		"error 1 story 1 depends on 9, which is no story\nerror 3 another task has the id 1\n"+
		"error 4 another story has the id 1" {
		t.Errorf("got %s", got)
	}
}

func problems(t *testing.T, change *story.Change) string {
	t.Helper()
	var lines []string
	for _, p := range story.Validate(change) {
		line, err := json.Marshal(p.Line)
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, string(p.Severity)+" "+string(line)+" "+p.Message)
	}
	return strings.Join(lines, "\n")
}

func TestFind(t *testing.T) {
	change := &story.Change{Name: "c"}
	change.Stories, _ = story.Parse([]byte("## 1. A\n- [ ] 1.1 a\n## 2. B\n- [ ] 2.1 b"))
	for _, c := range []struct {
		task, story string
		code        core.Code
	}{
		{"1.1", "1", ""},
		{"1.1", "", ""},
		{"2.1", "1", core.ScopeError},
		{"9", "1", core.TaskNotFound},
		{"1.1", "9", core.StoryNotFound},
		{"1.1", "null", core.StoryRequired},
	} {
		_, task, err := change.FindTask(c.task, c.story)
		if c.code == "" && (err != nil || task.ID != c.task) || c.code != "" && !core.AsError(err).HasCode(c.code) {
			t.Errorf("%s in %s: %v, %v", c.task, c.story, task, err)
		}
	}
	for _, none := range []string{"", " ", "null", "undefined", "None"} {
		if id := story.Given(none); id != "" {
			t.Errorf("%q is given as %q", none, id)
		}
	}
}
