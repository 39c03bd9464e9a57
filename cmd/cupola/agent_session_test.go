package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// giveTasks writes a file with a story of many tasks into the folder that programs are started in.
func giveTasks(m *machine, many int) (path string) {
	m.t.Helper()
	var text strings.Builder
	text.WriteString("## 1. Many\n")
	for i := range many {
		fmt.Fprintf(&text, "- [ ] 1.%d something\n", i+1)
	}
	path = filepath.Join(m.tmux.Dir, "tasks.md")
	if err := os.WriteFile(path, []byte(text.String()), 0o600); err != nil {
		m.t.Fatal(err)
	}
	return path
}

// answer runs the program, which must succeed, and asks its answer.
func (m *machine) answer(expr string, args ...string) string {
	m.t.Helper()
	got := m.cupola(args...)
	doc, err := oneDocument(got.stdout)
	if err != nil || got.status != 0 {
		m.t.Fatalf("cupola %q: %v, %+v", args, err, got)
	}
	value, err := ask(expr, doc)
	if err != nil {
		m.t.Fatal(err)
	}
	return value
}

func TestManyAgentsReportAtOnce(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	const many = 20
	path := giveTasks(m, many)
	m.answer(".session_id", "agent", "session", "init", "--tasks=tasks.md", "--story=1")
	var all sync.WaitGroup
	for i := range many {
		all.Go(func() {
			if got := m.cupola("agent", "task", "done", fmt.Sprintf("1.%d", i+1)); got.status != 0 {
				t.Errorf("%+v", got)
			}
			if got := m.cupola("agent", "learn", fmt.Sprintf("fact %d", i)); got.status != 0 {
				t.Errorf("%+v", got)
			}
		})
	}
	all.Wait()
	if text, err := os.ReadFile(path); err != nil || strings.Count(string(text), "- [x] ") != many {
		t.Errorf("%v\n%s", err, text)
	}
	if got := m.answer(".learnings_written", "agent", "session", "flush"); got != strconv.Itoa(many) {
		t.Errorf("%s learnings were written", got)
	}
	design, err := os.ReadFile(filepath.Join(m.tmux.Dir, "design.md"))
	for i := range many {
		if err != nil || !strings.Contains(string(design), fmt.Sprintf("- fact %d\n", i)) {
			t.Errorf("fact %d is lost: %v\n%s", i, err, design)
		}
	}
}

func TestASessionIsResumedAfterItsOwnerWasKilled(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	giveTasks(m, 2)
	owner := exec.CommandContext(t.Context(), "sleep", "600")
	if err := owner.Start(); err != nil {
		t.Fatal(err)
	}
	id := m.answer(".session_id", "agent", "session", "init", "--tasks=tasks.md", "--change=tasks", "--story=1",
		"--owner-pid="+strconv.Itoa(owner.Process.Pid))
	m.answer(".total_learnings", "agent", "learn", "It is so", "--task=1.1")
	resume := []string{"agent", "session", "resume", "--change=tasks"}
	if got := m.cupola(resume...); got.status != 1 || !strings.Contains(got.stdout, `"CHANGE_LOCKED"`) {
		t.Errorf("%+v", got)
	}
	_ = owner.Process.Kill()
	_ = owner.Wait()
	got := m.cupola("agent", "status")
	if got.status != 1 || !strings.Contains(got.stdout, "cupola agent-session-resume --session="+id) {
		t.Errorf("%+v", got)
	}
	if got := m.answer(`[.session_id, .story_id, .learnings[0].text] | join(" ")`, resume...); got != id+" 1 It is so" {
		t.Errorf("resumed as %s", got)
	}
	if got := m.answer(".story.id", "agent", "status"); got != "1" {
		t.Errorf("the story is %s", got)
	}
}

func TestANewSessionTakesOverWhatAKilledOwnerLeft(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	giveTasks(m, 2)
	owner := exec.CommandContext(t.Context(), "sleep", "600")
	if err := owner.Start(); err != nil {
		t.Fatal(err)
	}
	old := m.answer(".session_id", "agent", "session", "init", "--tasks=tasks.md",
		"--owner-pid="+strconv.Itoa(owner.Process.Pid))
	m.answer(".total_learnings", "agent", "learn", "It is so")
	_ = owner.Process.Kill()
	_ = owner.Wait()
	got := m.answer(`[.learnings[0].text, ._agent_hints.warnings[0]] | join(" ")`, "agent", "session", "init",
		"--tasks=tasks.md")
	if !strings.HasPrefix(got, "It is so took over the session "+old) {
		t.Errorf("got %s", got)
	}
	if got := m.answer(".learnings_written", "agent", "session", "flush"); got != "1" {
		t.Errorf("%s learnings were written", got)
	}
}
