package story_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"cupola/core/run/story"
)

// oddTasks are files of tasks whose reading OpenSpec and this package must agree on.
var oddTasks = []string{
	"## 1. A\n- [ ] 1.1 one\n- [x] 1.2 two\n",
	"## 1. A\r\n- [x] 1.1 one\r\n- [ ] 1.2 two\r\n",
	"\uFEFF- [x] a\n- [ ] b\n",
	"* [x] a\n+ [ ] b\n1. [ ] c\n2) [X] d\n1234567890. [ ] e\n",
	"- [x] a\n  - [ ] b\n\t- [x] c\n\t\t- [ ] d\n",
	"- [~] a\n- [-] b\n- [1] c\n- [é] d\n- [✅] e\n- [😀] f\n- [✔️] g\n",
	"- [] a\n- [ x ] b\n- [X ] c\n- [\t] d\n- [   ] e\n- [xx] f\n",
	"- [a](b)\n- [x][1]\n- [ ](b)\n- [ ][c]\n- [](d)\n- [x] (e)\n",
	"```\n- [ ] a\n```\n~~~\n- [x] b\n",
	"<!--\n- [ ] a\n-->\n    - [x] b\n",
	"\u00a0- [x] a\n\u3000-\u2003[\u2028x\u2029]\u00a0b\n\u200b- [ ] c\n\u0085- [ ] d\n\u180e- [ ] e\n",
	"- [ ] a\r- [ ] b\r\n- [x] c\u2028d\n- [ ]\u2028e\n",
	"- [x]\n- [ ]\n- [ ] a\n- [ ] \n- [x]   \n",
	"-[ ] a\n-[x]b\n1.[ ]c\n1.  [x]  d\n",
	"- [ ] 1.1 a\n- [ ] 1.10 b\n- [x] 1.1 c\n",
	"- [WIP] a\n[ ] b\n• [ ] c\n> - [ ] d\n- ( ) e\n- [x f\n- [ ] g\n",
	"## 1. A\n## 2. B\n- [x] b\n## C\ntext\n",
	"# T\n\n- [x] 1. a\n- [ ] 2) b\n- [ ] **1.3** c\n- [ ] `1.4` d\n",
	"- [\\] a\n- []] b\n- [[] c\n- [] ] d\n- [x]] e\n",
	"- [ ] a\x00b\n- [\x00] c\n- [\x01] d\n",
	"- [\xff] a\n- [\xe2\x82] b\n- [\xff\xff] c\n- [\xed\xa0\x80] d\n- [\xf0\x9f\x98] e\n- [\xc3] f\n- [\xe0\x80] g\n",
	"- [\ufffd] a\n- [\ufeff] b\n- [\u00a0x] c\n-\u00a0[x\u200b] d\n",
	"－ [ ] a\n١. [ ] b\n1． [ ] c\n- ［ ］ d\n- [ ] e\n",
	"- [x] done\n- [x] all\n",
	"no tasks here\n",
	"",
	"- [ ] a",
	"\n\n\n- [x] a\n\n\n- [ ] b\n\v\f- [ ] c\n",
	"- - [ ] a\n- * [x] b\n+ 1. [ ] c\n- [ ] - [x] d\n",
	"## Depends (after 1)\nDepends on: 1\n- [ ] depends on: 2\n1. [x] e\n\n1. [ ] f\n",
	"- [ᾳ] a\n- [Ⅹ] b\n- [х] c\n- [×] d\n- [ẋ] e\n- [x\u0307] f\n- [ｘ] g\n",
}

// openspec returns the program and its first arguments. The test is skipped where there is none.
func openspec(t *testing.T) []string {
	t.Helper()
	program := os.Getenv("CUPOLA_OPENSPEC")
	if program == "npx" {
		return []string{"npx", "--yes", "@fission-ai/openspec@1.13.2"}
	}
	if program == "" {
		program = "openspec"
	}
	path, err := exec.LookPath(program)
	if err != nil {
		t.Skip("there is no openspec program; CUPOLA_OPENSPEC can name it")
	}
	return []string{path}
}

func TestOpenSpecAgrees(t *testing.T) {
	program := openspec(t)
	root, home := t.TempDir(), t.TempDir()
	write(t, filepath.Join(root, ".git", "HEAD"), "ref: refs/heads/main\n")
	write(t, filepath.Join(root, "openspec", "config.yaml"), "schema: spec-driven\n")
	for i, text := range oddTasks {
		dir := filepath.Join(root, "openspec", "changes", fmt.Sprintf("odd-%d", i))
		write(t, filepath.Join(dir, "proposal.md"), "## Why\nIt is odd.\n## What Changes\n- **a:** add\n")
		write(t, filepath.Join(dir, "design.md"), "## Context\nNone.\n")
		write(t, filepath.Join(dir, "tasks.md"), text)
		write(t, filepath.Join(dir, "specs", "a", "spec.md"), "## ADDED Requirements\n\n### Requirement: A\n"+
			"It SHALL be.\n\n#### Scenario: S\n- **WHEN** a\n- **THEN** b\n")
	}
	ask := func(answer any, args ...string) {
		t.Helper()
		command := exec.CommandContext(t.Context(), program[0], append(program[1:], args...)...)
		command.Dir = root
		command.Env = []string{
			"PATH=" + os.Getenv("PATH"), "HOME=" + home, "OPENSPEC_TELEMETRY=0", "DO_NOT_TRACK=1", "NO_COLOR=1", "CI=1",
		}
		out, err := command.Output()
		if err != nil {
			t.Fatalf("%s: %v\n%s", args, err, out)
		}
		if err := json.Unmarshal(out, answer); err != nil {
			t.Fatalf("%s: %v\n%s", args, err, out)
		}
	}
	var list struct {
		Changes []struct {
			Name                       string
			CompletedTasks, TotalTasks int
		}
	}
	ask(&list, "list", "--json")
	counts := map[string][2]int{}
	for _, c := range list.Changes {
		counts[c.Name] = [2]int{c.CompletedTasks, c.TotalTasks}
	}
	ours, err := story.Changes(root)
	if err != nil || len(ours) != len(counts) {
		t.Fatalf("%d changes, want %d: %v", len(ours), len(counts), err)
	}
	for _, c := range ours {
		if got := [2]int{c.TasksDone, c.TasksTotal}; got != counts[c.Name] || c.Problem != "" {
			t.Errorf("%s: done and all are %v, want %v; %s", c.Name, got, counts[c.Name], c.Problem)
		}
	}
	for i, text := range oddTasks {
		name := fmt.Sprintf("odd-%d", i)
		var apply struct {
			Progress struct{ Total, Complete int }
			Tasks    []struct {
				Description string
				Done        bool
			}
		}
		ask(&apply, "instructions", "apply", "--change", name, "--json")
		c, err := story.Read(root, name)
		if err != nil {
			t.Fatal(err)
		}
		done, total := c.Counts()
		if done != apply.Progress.Complete || total != apply.Progress.Total {
			t.Errorf("%s: %d of %d, want %+v", name, done, total, apply.Progress)
		}
		var got, want []string
		next, wantNext := "", ""
		for _, s := range c.Stories {
			for _, task := range s.Tasks {
				// A task that has only an id is listed, one without anything is not.
				if description := story.Description(task.Line, text); description != "" {
					got = append(got, fmt.Sprint(task.Done, " ", description))
					if !task.Done && next == "" {
						next = description
					}
				}
			}
		}
		for _, task := range apply.Tasks {
			want = append(want, fmt.Sprint(task.Done, " ", task.Description))
			if !task.Done && wantNext == "" {
				wantNext = task.Description
			}
		}
		if g, w := strings.Join(got, "\n"), strings.Join(want, "\n"); g != w || next != wantNext {
			t.Errorf("%s: %q\n got:\n%q\nwant:\n%q", name, text, g, w)
		}
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
