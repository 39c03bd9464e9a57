// Package agentsessiontest puts a session of an agent on record, for tests.
package agentsessiontest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"cupola/core/run/story"
	"cupola/core/run/story/agentsession"
	"cupola/core/run/story/storytest"
)

// ID is the id of the session.
const ID = "3f0d1c52-8a55-4d2a-9d0c-6d2f4b1a7e90"

// Put makes a folder a project with the changes add-login and add-search, and puts a session of the first on record, in
// the directory of sessions. Its owner is this process, or none that lives.
func Put(t testing.TB, project, sessions string, living bool) {
	t.Helper()
	change := filepath.Join(project, "openspec", "changes", "add-login")
	storytest.Project(t, project)
	owner, err := agentsession.Self()
	if err != nil {
		t.Fatal(err)
	}
	if !living {
		owner.Start++
	}
	dir := resolved(t, project)
	began := time.Date(2026, 1, 31, 11, 50, 0, 0, time.UTC)
	record, err := json.Marshal(&agentsession.Session{
		Version: 1, ID: ID, Change: "add-login", ChangeDir: resolved(t, change), Dir: dir,
		Path: resolved(t, filepath.Join(change, "tasks.md")), Story: "1", Owner: owner, Created: began,
		Learnings: []story.Learning{
			{Text: "Hashes need 60 bytes", Task: "1.1", Story: "1", At: began.Add(5 * time.Minute)},
		},
		Ticked: []string{"1.1"}, Verify: []string{"go test ./..."}, VerifyFrom: story.FromFlags,
	})
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(sessions, ID+".json"), record)
}

func resolved(t testing.TB, path string) string {
	t.Helper()
	path, err := filepath.EvalSymlinks(path)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func write(t testing.TB, path string, text []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
}
