// Package storytest makes a project with a change, and puts a run of its stories on record, for tests.
package storytest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gofrs/flock"

	"cupola/core/git/gittest"
	"cupola/core/git/worktree"
	"cupola/core/git/worktree/worktreetest"
	"cupola/core/run/relay/stream"
	"cupola/core/run/story"
	"cupola/core/run/story/loop"
)

// ID is the id of the run.
const ID = "a1b2c3d4"

// tasks are the tasks of the change add-login.
const tasks = `# Tasks

## 1. Sign in
- [x] 1.1 Store hashed passwords
- [ ] 1.2 Check them

## 2. Sign out
- [ ] 2.1 Forget the token
`

// spec is the only one of the change.
const spec = `### Requirement: Sign in
#### Scenario: A wrong password
- **GIVEN** a user
- **WHEN** the password is wrong
- **THEN** nothing is said about which part was wrong
`

// Project writes the changes add-login and add-search, a plain file of tasks, and a makefile that proves all stories.
func Project(t testing.TB, dir string) {
	t.Helper()
	change := filepath.Join(dir, "openspec", "changes", "add-login")
	for path, text := range map[string]string{
		filepath.Join(change, "tasks.md"):                                   tasks,
		filepath.Join(change, "proposal.md"):                                "# Why\nPeople need to sign in.\n",
		filepath.Join(change, "design.md"):                                  "# Design\nTokens are kept in memory.\n",
		filepath.Join(change, "specs", "login", "spec.md"):                  spec,
		filepath.Join(dir, "openspec", "changes", "add-search", "tasks.md"): "## 1. Search\n- [ ] 1.1 Make an index\n",
		filepath.Join(dir, "tasks.md"): "- [ ] 1 Write the manual\n- [x] 2 " +
			"Read it\n",
		filepath.Join(dir, "Makefile"): "test:\n\ttrue\n",
	} {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	before := time.Now().Add(-time.Hour) // so that the order of the changes is known
	if err := os.Chtimes(
		filepath.Join(dir, "openspec", "changes", "add-search", "tasks.md"),
		before,
		before,
	); err != nil {
		t.Fatal(err)
	}
}

// Repository makes a folder the repository of worktreetest, with the worktree of the run that Put puts on record.
func Repository(t testing.TB, dir string) {
	t.Helper()
	repository(t, dir)
}

var repository = gittest.Copied(func(t testing.TB, dir string) {
	t.Helper()
	worktreetest.Repository(t, dir)
	worktreetest.Give(t, dir, owner, ID, "")
})

// owner is the session whose name the worktree of the run has.
const owner = "story-add-login"

// Put puts a run of the change add-login on record, in the directory of runs. The folder is the folder of Project,
// and in a repository with a commit. All of its stories are done.
func Put(t testing.TB, dir, runs string) {
	t.Helper()
	began := time.Date(2026, 1, 31, 11, 50, 0, 0, time.UTC)
	tree := worktree.Path(dir, owner, ID)
	if _, err := os.Stat(tree); err != nil {
		tree = worktreetest.Give(t, dir, owner, ID, "")
	}
	head := headOf(t, dir)
	passed := story.Try{
		N: 1, Began: began.Add(time.Minute), Ended: began.Add(3 * time.Minute), Ask: "k3x9ab2c",
		Answer: "Passwords are checked.",
		Ticked: 1, Changed: true, Outcome: story.Proven, CostUSD: 0.02, CostKnown: true,
		Checks: []story.Check{{Command: "make test", Passed: true, ElapsedMS: 1200, Output: "true"}},
	}
	failed := passed
	failed.Ended, failed.Outcome = began.Add(2*time.Minute), story.NotProven
	failed.Failure = "tasks are not ticked: 1.2"
	failed.Ticked, failed.Checks = 0, []story.Check{}
	again := passed
	again.N = 2
	r := &story.Run{
		Version: 1, ID: ID, Source: story.OpenSpec, Name: "add-login", Path: "openspec/changes/add-login/tasks.md",
		Origin: filepath.Join(dir, "openspec", "changes", "add-login", "tasks.md"), Dir: dir, Worktree: tree,
		Branch: "cupola/story-add-login/" + ID, Base: head, Ready: true, Backend: "claude", Stage: "headless",
		Sandbox: "workspace-write", Limits: story.DefaultLimits(), Verify: []string{"make test"},
		VerifyFrom: story.FromGuess, Setup: []string{}, State: story.Completed, Reason: story.AllDone, Iterations: 3,
		Learnings: []story.Learning{{Text: "Hashes need 60 bytes", Story: "1", At: began.Add(3 * time.Minute)}},
		Used:      &stream.Usage{Input: 1400, Output: 420}, CostUSD: 0.06, CostKnown: true, PID: 7, Started: began,
		Ended: began.Add(6 * time.Minute), ElapsedMS: 360_000,
		Stories: []story.Progress{
			{
				ID: "1", Title: "Sign in", State: story.Done, After: []string{}, TasksDone: 2, TasksTotal: 2,
				Tries: []story.Try{failed, again}, Commit: head,
			},
			{
				ID: "2", Title: "Sign out", State: story.Done, After: []string{"1"}, TasksDone: 1, TasksTotal: 1,
				Tries: []story.Try{passed}, Commit: head,
			},
		},
	}
	if err := loop.DirectoryIn(runs, nil, 0).Make(r); err != nil {
		t.Fatal(err)
	}
	events := `{"seq":1,"run":"` + ID + `","type":"story_run_start","at":"2026-01-31T11:50:00Z","text":"add-login"}
{"seq":2,"run":"` + ID + `","type":"story_start","at":"2026-01-31T11:51:00Z","story":"1","try":1,"text":"Sign in"}
{"seq":3,"run":"` + ID + `","type":"verify","at":"2026-01-31T11:53:00Z","story":"1","try":2,"command":"make test","passed":true}
{"seq":4,"run":"` + ID + `","type":"story_run_end","at":"2026-01-31T11:56:00Z","reason":"all_done"}
`
	if err := os.WriteFile(filepath.Join(runs, ID, "events.jsonl"), []byte(events), 0o600); err != nil {
		t.Fatal(err)
	}
}

// headOf returns the hash of the commit that is checked out in a repository.
func headOf(t testing.TB, dir string) string {
	t.Helper()
	head, err := os.ReadFile(filepath.Join(dir, ".git", "HEAD"))
	if err != nil {
		t.Fatal(err)
	}
	branch := strings.TrimPrefix(strings.TrimSpace(string(head)), "ref: ")
	hash, err := os.ReadFile(filepath.Join(dir, ".git", branch))
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(hash))
}

// Work makes the run that Put put on record one that this process works on, and that is paused, until it is stopped
// or the test ends.
func Work(t testing.TB, runs string) {
	t.Helper()
	directory := loop.DirectoryIn(runs, nil, 0)
	r, err := directory.Load(ID)
	if err != nil {
		t.Fatal(err)
	}
	r.State, r.Reason, r.Ended = story.Running, "", time.Time{}
	if err := directory.Make(r); err != nil {
		t.Fatal(err)
	}
	if err := directory.Pause(ID); err != nil {
		t.Fatal(err)
	}
	lock := flock.New(filepath.Join(runs, ID, "lock"))
	if taken, err := lock.TryLock(); !taken || err != nil {
		t.Fatal(taken, err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(10 * time.Millisecond)
		defer tick.Stop()
		for t.Context().Err() == nil {
			if _, err := os.Stat(filepath.Join(runs, ID, "cancel")); err == nil {
				break
			}
			<-tick.C
		}
		_ = lock.Unlock()
	}()
	t.Cleanup(func() { <-ended })
}
