package fleettest

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/git/gittest"
)

// Workspace is a folder with repositories in it, and a snapshot of agents that work there.
type Workspace struct {
	// Dir has no link in its path.
	Dir      string
	Snapshot *core.Snapshot
}

// NewWorkspace makes an empty one.
func NewWorkspace(t testing.TB) *Workspace {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return &Workspace{Dir: dir, Snapshot: &core.Snapshot{}}
}

// Repository makes a repository with one commit of long ago, which holds the file old.
func (w *Workspace) Repository(t testing.TB, name string) string {
	t.Helper()
	repo := filepath.Join(w.Dir, name)
	w.Write(t, name+"/old", "old\n")
	gittest.Run(t, repo, nil, "init", "-q")
	gittest.Run(t, repo, nil, "add", ".")
	gittest.Run(t, repo, []string{"GIT_COMMITTER_DATE=2020-01-01T00:00:00Z"}, "commit", "-q", "-m", "first")
	return repo
}

// Write writes a file and makes its folder.
func (w *Workspace) Write(t testing.TB, name, text string) {
	t.Helper()
	path := filepath.Join(w.Dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// Agent adds an agent that works in a folder to a session, which it creates if needed. A
// session has room for nine.
func (w *Workspace) Agent(session, name, dir string) *core.Pane {
	i := slices.IndexFunc(w.Snapshot.Sessions, func(s core.Session) bool { return s.Name == session })
	if i < 0 {
		i = len(w.Snapshot.Sessions)
		w.Snapshot.Sessions = append(w.Snapshot.Sessions, core.Session{Name: session, Panes: make([]core.Pane, 0, 9)})
	}
	s := &w.Snapshot.Sessions[i]
	s.Panes = append(s.Panes, core.Pane{
		ID: core.PaneID(fmt.Sprintf("%%%d%d", i, len(s.Panes))), Session: session, Ordinal: len(s.Panes) + 1,
		Agent: core.Agent{Kind: "stub", Name: name}, Process: core.Process{Dir: filepath.Join(w.Dir, dir)},
	})
	return &s.Panes[len(s.Panes)-1]
}

// Claude adds an agent of the kind claude that works in a folder to the session api. The agent has
// ended; its transcript, below the home of ClaudeHome, says that it edited a file just now.
func (w *Workspace) Claude(t testing.TB, name, dir, file string) *core.Pane {
	t.Helper()
	pane := w.Agent("api", name, dir)
	pane.Agent.Kind, pane.Process.Dead = "claude", true
	now := time.Now().UTC().Format(time.RFC3339)
	folder := strings.NewReplacer("/", "-", ".", "-", "_", "-").Replace(pane.Process.Dir)
	const edited = `{"type":"assistant","timestamp":%q,"message":` +
		`{"content":[{"type":"tool_use","id":"t","name":"Edit","input":{"file_path":%q}}]}}` + "\n" +
		`{"type":"user","timestamp":%q,"message":` +
		`{"content":[{"type":"tool_result","tool_use_id":"t","content":"ok"}]}}` + "\n"
	w.Write(t, filepath.Join("home", ".claude", "projects", folder, name+".jsonl"),
		fmt.Sprintf(edited, now, filepath.Join(w.Dir, file), now))
	return pane
}

// ClaudeHome makes the folder of Claude's records the home of this process.
func (w *Workspace) ClaudeHome(t testing.TB) {
	t.Helper()
	t.Setenv("HOME", filepath.Join(w.Dir, "home"))
	t.Setenv("CLAUDE_CONFIG_DIR", "")
}
