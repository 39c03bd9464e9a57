//go:build agents

package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cupola/core/git/gittest"
	"cupola/core/system/shell/shelltest"
)

// agentStories are five stories: the second is only promised at first, the fourth is verified in vain twice, and three
// write to one file.
const agentStories = `# Tasks

## 1. Shared line

- [ ] 1.1 Make it
- [ ] 1.2 Share it

## 2. Shared line, promised at first

- [ ] 2.1 Make it

## 3. Own file

- [ ] 3.1 Make it

## 4. Hard to prove

- [ ] 4.1 Make it
- [ ] 4.2 Prove it

## 5. Another shared line

- [ ] 5.1 Make it
`

// provesLate fails twice where the fourth story is done.
const provesLate = `#!/bin/sh
times=$(cat COUNT 2>/dev/null || echo 0)
[ -e made-4 ] && [ $times -lt 2 ] || exit 0
echo $((times + 1)) >COUNT
echo "it failed $times times before"
exit 1
`

// agentStoryMachine is a machine with a repository that has a change, on which real agents work.
type agentStoryMachine struct {
	*crewMachine
	repo string
}

func newAgentStoryMachine(t *testing.T) *agentStoryMachine {
	t.Helper()
	m := &agentStoryMachine{crewMachine: newModelMachine(t, "testdata/story/mock.py")}
	m.repo = m.storyRepo(t)
	tasks := filepath.Join(m.repo, "openspec", "changes", "parts", "tasks.md")
	if err := os.WriteFile(tasks, []byte(agentStories), 0o600); err != nil {
		t.Fatal(err)
	}
	prove := strings.ReplaceAll(provesLate, "COUNT", filepath.Join(m.folder, "count"))
	if err := shelltest.WriteProgram(filepath.Join(m.folder, "bin", "prove"), []byte(prove)); err != nil {
		t.Fatal(err)
	}
	return m
}

// stories runs 'cupola story' with arguments, and returns the newest run and the exit status.
func (m *agentStoryMachine) stories(t *testing.T, args ...string) (*storyRecord, int) {
	t.Helper()
	cmd := m.command(m.program, append([]string{"--robot-format=json", "story"}, args...)...)
	cmd.Dir = m.repo
	out := &bytes.Buffer{}
	cmd.Stdout, cmd.Stderr = out, out
	began := time.Now()
	err := cmd.Run()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	r := m.storyStatus("parts")
	t.Logf("%q: %s %s after %s and %d tries, $%.4f, exit %d", args, r.State, r.Reason,
		time.Since(began).Round(time.Second/10), r.Iterations, r.CostUSD, cmd.ProcessState.ExitCode())
	for i := range r.Stories {
		for j := range r.Stories[i].Tries {
			t.Logf("story %s, try %d: %.300q", r.Stories[i].ID, j+1, fmt.Sprintf("%+v", r.Stories[i].Tries[j]))
		}
	}
	if t.Failed() || r.State != "completed" && r.Reason == "error" {
		t.Logf("%s", out)
	}
	return &r, cmd.ProcessState.ExitCode()
}

// made sees that a run has done all stories in a commit each, and made what they ask for.
func (m *agentStoryMachine) made(t *testing.T, r *storyRecord) {
	t.Helper()
	if r.State != "completed" || len(r.Stories) != 5 {
		t.Fatalf("the run is %+v", r)
	}
	log := gittest.Run(t, m.repo, nil, "log", "--reverse",
		"--format=%(trailers:key=Cupola-Story,valueonly,separator=%x20)", r.Base+".."+r.Branch)
	if log != "1\n2\n3\n4\n5" {
		t.Errorf("the commits are of the stories %q", log)
	}
	show := func(name string) string { return gittest.Run(t, m.repo, nil, "show", r.Branch+":"+name) }
	if text := show("shared"); text != "all\nstory 1\nstory 2\nstory 5" {
		t.Errorf("the shared file has %q", text)
	}
	for i := 1; i <= 5; i++ {
		if text := show(fmt.Sprintf("made-%d", i)); text != fmt.Sprintf("story %d", i) {
			t.Errorf("story %d made %q", i, text)
		}
	}
	if text := show("openspec/changes/parts/tasks.md"); strings.Contains(text, "[ ]") {
		t.Errorf("tasks are open:\n%s", text)
	}
	if text := show("openspec/changes/parts/design.md"); strings.Count(text, "was not hard") != 5 {
		t.Errorf("the design has\n%s", text)
	}
}

// TestRealAgentsWorkThroughAChange lets real agents work on both stages.
func TestRealAgentsWorkThroughAChange(t *testing.T) {
	for _, kind := range []string{"claude", "codex"} {
		for _, stage := range []string{"headless", "panes"} {
			t.Run(kind+" "+stage, func(t *testing.T) {
				m := newAgentStoryMachine(t)
				user := userTree(t, m.repo)
				if stage == "panes" {
					defer m.approving(t, kind)()
				}
				r, status := m.stories(t, "run", "parts", "--agent="+kind, "--stage="+stage, "--verify=prove")
				m.made(t, r)
				second, fourth := r.Stories[1].Tries, r.Stories[3].Tries
				if status != 0 || len(second) != 2 || !strings.Contains(second[0].Failure, "not ticked: 2.1") ||
					len(second[0].Checks) != 0 {
					t.Errorf("the story that was promised has the tries %+v", second)
				}
				if len(fourth) != 3 || len(fourth[1].Checks) != 1 || r.Iterations != 8 ||
					!strings.Contains(fourth[1].Checks[0].Output, "it failed 1 times before") {
					t.Errorf("the story that is hard to prove has the tries %+v", fourth)
				}
				if now := userTree(t, m.repo); now != user {
					t.Errorf("the user's files are\n%s\nwere\n%s", now, user)
				}
			})
			t.Run(kind+" "+stage+", two at once", func(t *testing.T) {
				m := newAgentStoryMachine(t)
				if stage == "panes" {
					defer m.approving(t, kind)()
				}
				r, _ := m.stories(t, "run", "parts", "--agent="+kind, "--stage="+stage, "--parallel=2",
					"--verify=! grep '<<<<' shared")
				m.made(t, r)
				conflicts := 0
				for i := range r.Stories {
					for _, try := range r.Stories[i].Tries {
						if try.Merge {
							conflicts++
						}
					}
				}
				if conflicts == 0 {
					t.Error("no conflict was resolved")
				}
			})
		}
	}
}

// TestRealAgentsStopAtARetryLimit checks that a run ends where a story cannot be proven, and resumes once it can.
func TestRealAgentsStopAtARetryLimit(t *testing.T) {
	for _, kind := range []string{"claude", "codex"} {
		t.Run(kind, func(t *testing.T) {
			m := newAgentStoryMachine(t)
			r, status := m.stories(t, "run", "parts", "--agent="+kind, "--max-retries=1", "--verify=prove")
			if status == 0 || r.State != "failed" || r.Reason != "max_retries" || r.Stories[3].State != "failed" ||
				len(r.Stories[3].Tries) != 2 || !strings.Contains(r.Error, "it failed 1 times before") {
				t.Errorf("the run is %+v", r)
			}
			r, status = m.stories(t, "resume", r.ID)
			m.made(t, r)
			// It was verified first, which succeeds by now.
			if status != 0 || len(r.Stories[3].Tries) != 2 {
				t.Errorf("the story was tried %d times", len(r.Stories[3].Tries))
			}
		})
	}
}

// approving answers the dialogs of the agents in panes with yes, until the function is called that it returns. That
// function ends the agents too.
func (m *agentStoryMachine) approving(t *testing.T, kind string) func() {
	t.Helper()
	if kind == "codex" {
		m.codexAsksNothing(t)
	}
	over, ended := make(chan struct{}), make(chan struct{})
	approved := 0
	go func() {
		defer close(ended)
		for {
			select {
			case <-over:
				return
			case <-time.After(time.Second / 2):
			}
			cmd := m.command(m.program, "--robot-format=json", "answer", "story-parts", "--approve", "--all")
			if out, err := cmd.CombinedOutput(); err == nil && bytes.Contains(out, []byte(`"success":true`)) {
				approved++
			}
		}
	}()
	return func() {
		close(over)
		<-ended
		t.Logf("%d times dialogs were approved", approved)
		m.cupola("kill", "story-parts", "--yes")
	}
}

// codexAsksNothing has Codex write where it works without asking.
func (m *agentStoryMachine) codexAsksNothing(t *testing.T) {
	t.Helper()
	folder := filepath.Join(m.folder, "home-codex", ".codex")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	text := "approval_policy = \"never\"\nsandbox_mode = \"workspace-write\"\n"
	if err := os.WriteFile(filepath.Join(folder, "config.toml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
