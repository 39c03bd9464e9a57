package worklog

import (
	"cupola/core"
	"cupola/core/fleet/fleettest"
	"cupola/core/git/gittest"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// claude puts an agent into a folder whose record says that it edited a file.
func (g *ground) claude(t *testing.T, name, dir, file string) *core.Pane {
	t.Helper()
	pane := g.agent("api", name, dir)
	pane.Agent.Kind, pane.Process.Dead = "claude", true
	now := time.Now().UTC().Format(time.RFC3339)
	folder := strings.Map(func(r rune) rune {
		if strings.ContainsRune("/._", r) {
			return '-'
		}
		return r
	}, pane.Process.Dir)
	g.write(t, filepath.Join("home", ".claude", "projects", folder, name+".jsonl"), fmt.Sprintf(
		`{"type":"assistant","timestamp":%q,"message":{"content":[{"type":"tool_use","id":"t","name":"Edit","input":{"file_path":%q}}]}}`+"\n"+
			`{"type":"user","timestamp":%q,"message":{"content":[{"type":"tool_result","tool_use_id":"t","content":"ok"}]}}`+"\n",
		now, filepath.Join(g.dir, file), now))
	return pane
}

// ground is folders with repositories, and a picture of agents in them.
type ground struct {
	*Survey
	dir     string
	picture *core.Snapshot
}

func newGround(t *testing.T) *ground {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	f := Open(Options{Kinds: fleettest.BuiltinKinds(t)})
	return &ground{
		Survey:  &Survey{Observer: &f, Environ: os.Environ(), Since: time.Now().Add(-time.Hour), edits: map[string][]edit{}},
		dir:     dir,
		picture: &core.Snapshot{},
	}
}

// repository makes one with a commit of long ago.
func (g *ground) repository(t *testing.T, name string) string {
	t.Helper()
	repo := filepath.Join(g.dir, name)
	g.write(t, name+"/old", "old\n")
	fleettest.RunGit(t, repo, "init", "-q")
	fleettest.RunGit(t, repo, "add", ".")
	gittest.Run(t, repo, []string{"GIT_COMMITTER_DATE=2020-01-01T00:00:00Z"}, "commit", "-q", "-m", "first")
	return repo
}

func (g *ground) write(t *testing.T, name, text string) {
	t.Helper()
	path := filepath.Join(g.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// agent puts one into a session, in a folder.
func (g *ground) agent(session, name, dir string) *core.Pane {
	i := slices.IndexFunc(g.picture.Sessions, func(s core.Session) bool { return s.Name == session })
	if i < 0 {
		i = len(g.picture.Sessions)
		g.picture.Sessions = append(g.picture.Sessions, core.Session{Name: session, Panes: make([]core.Pane, 0, 9)})
	}
	s := &g.picture.Sessions[i]
	s.Panes = append(s.Panes, core.Pane{
		ID: core.PaneID(fmt.Sprintf("%%%d%d", i, len(s.Panes))), Session: session, Ordinal: len(s.Panes) + 1,
		Agent: core.Agent{Kind: "stub", Name: name}, Process: core.Process{Dir: filepath.Join(g.dir, dir)},
	})
	return &s.Panes[len(s.Panes)-1]
}

// look surveys the ground as it is.
func (g *ground) look(t *testing.T, session string) *Work {
	t.Helper()
	if err := g.find(t.Context(), g.picture, session); err != nil {
		t.Fatal(err)
	}
	g.ask(t.Context())
	for _, tree := range g.Trees {
		if tree.Trouble != "" {
			t.Fatal(tree.Trouble)
		}
	}
	return g.work()
}

// changesOf is who did what to which file.
func changesOf(w *Work) string {
	var lines []string
	for _, f := range w.Files {
		committed := ""
		if f.Commit != "" {
			committed = " committed"
		}
		lines = append(lines, strings.TrimSpace(fmt.Sprintf("%s %s%s %s %s", f.Path, f.Kind, committed, f.By, f.Agent)))
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

func TestAFileIsCreditedToWhoeverCanHaveChangedIt(t *testing.T) {
	g := newGround(t)
	g.repository(t, "alone")
	g.write(t, "alone/new", "")
	g.write(t, "alone/old", "changed\n")
	g.agent("one", "a", "alone")

	g.repository(t, "shared")
	g.write(t, "shared/web/page", "")
	g.write(t, "shared/web/deep/page", "")
	g.write(t, "shared/top", "")
	g.write(t, "shared/sure", "")
	b := g.agent("two", "b", "shared/web")
	g.agent("two", "c", "shared")
	g.agent("two", "d", "shared/web/deep")
	g.edits[filepath.Join(g.dir, "shared", "sure")] = []edit{{b, time.Now()}}

	g.repository(t, "late")
	g.write(t, "late/before", "")
	g.agent("three", "e", "late").Agent.Started = time.Now().Add(time.Hour)

	want := "before untracked unknown\nnew untracked cwd a\nold modified cwd a\nsure untracked transcript b\n" +
		"top untracked unknown\nweb/deep/page untracked cwd d\nweb/page untracked cwd b"
	w := g.look(t, "")
	if got := changesOf(w); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if len(w.Trees) != 3 || len(w.Conflicts) != 0 || w.Trees[2].Branch == "" || w.Trees[2].Linked {
		t.Errorf("%+v", w)
	}
}

func TestWhatChangedBeforeAnySessionBeganIsNobodys(t *testing.T) {
	now := time.Now()
	for name, test := range map[string]struct {
		began []time.Time
		gone  departed
		want  string
	}{
		"sessions that began later":    {[]time.Time{now.Add(-time.Minute), now}, departed{}, "after untracked cwd a\nbefore untracked before"},
		"one that began earlier":       {[]time.Time{now.Add(-time.Minute), now.Add(-time.Hour)}, departed{}, "after untracked cwd a\nbefore untracked unknown"},
		"one of which it is unknown":   {[]time.Time{now, {}}, departed{}, "after untracked cwd a\nbefore untracked unknown"},
		"one that began later, gone":   {[]time.Time{now}, departed{began: now.Add(-time.Minute), until: now}, "after untracked cwd a\nbefore untracked before"},
		"one that is gone, unknown":    {[]time.Time{now}, departed{until: now}, "after untracked cwd a\nbefore untracked unknown"},
		"one that began earlier, gone": {[]time.Time{now}, departed{began: now.Add(-time.Hour), until: now}, "after untracked cwd a\nbefore untracked unknown"},
	} {
		t.Run(name, func(t *testing.T) {
			g := newGround(t)
			repo := g.repository(t, "api")
			g.write(t, "api/before", "")
			g.write(t, "api/after", "")
			for path, at := range map[string]time.Time{"before": now.Add(-10 * time.Minute), "after": now.Add(time.Second)} {
				if err := os.Chtimes(filepath.Join(repo, path), at, at); err != nil {
					t.Fatal(err)
				}
			}
			g.agent("one", "a", "api").Agent.Started = now
			for i, began := range test.began {
				if i > 0 {
					g.agent(fmt.Sprint("other", i), "", "api").Agent.Kind = ""
				}
				g.picture.Sessions[i].Created = began
			}
			if test.gone.Session, test.gone.dir = "gone", repo; test.gone.until.IsZero() {
				test.gone.dir = filepath.Join(repo, "nowhere")
			}
			if err := g.find(t.Context(), g.picture, "", test.gone); err != nil {
				t.Fatal(err)
			}
			g.ask(t.Context())
			if got := changesOf(g.work()); got != test.want {
				t.Errorf("got\n%s\nwant\n%s", got, test.want)
			}
		})
	}
}

func TestWhatIsOlderIsLeftOut(t *testing.T) {
	g := newGround(t)
	g.repository(t, "api")
	g.write(t, "api/stale", "")
	past := time.Now().Add(-2 * time.Hour)
	if err := os.Chtimes(filepath.Join(g.dir, "api", "stale"), past, past); err != nil {
		t.Fatal(err)
	}
	g.agent("one", "a", "api")
	if w := g.look(t, ""); len(w.Files) != 0 || len(w.Commits) != 0 || len(w.Trees) != 1 {
		t.Errorf("%+v", w)
	}
}

func TestCommitsAreTheWorktreesInWhichTheyWereMade(t *testing.T) {
	g := newGround(t)
	repo := g.repository(t, "api")
	fleettest.RunGit(t, repo, "worktree", "add", "-q", "-b", "own", filepath.Join(g.dir, "own"))
	g.write(t, "own/made", "")
	fleettest.RunGit(t, filepath.Join(g.dir, "own"), "add", ".")
	fleettest.RunGit(t, filepath.Join(g.dir, "own"), "commit", "-q", "-m", "made it")
	fleettest.RunGit(t, repo, "merge", "-q", "own")
	g.agent("one", "a", "own")
	g.agent("one", "b", "api")
	w := g.look(t, "")
	if got := changesOf(w); got != "made added committed worktree a" {
		t.Errorf("got %s", got)
	}
	if len(w.Commits) != 1 || w.Commits[0].Subject() != "made it" || w.Commits[0].Agent != "a" || w.Commits[0].Tree != filepath.Join(g.dir, "own") {
		t.Errorf("%+v", w.Commits)
	}
}

func TestAFileThatTwoAgentsChangedIsAConflict(t *testing.T) {
	g := newGround(t)
	repo := g.repository(t, "api")
	fleettest.RunGit(t, repo, "worktree", "add", "-q", "-b", "own", filepath.Join(g.dir, "own"))
	g.write(t, "api/both", "")
	g.write(t, "api/old", "1")
	g.write(t, "own/old", "2")
	g.write(t, "own/mine", "")
	a := g.agent("one", "a", "api")
	b := g.agent("one", "b", "elsewhere")
	g.agent("one", "c", "own")
	g.edits[filepath.Join(repo, "both")] = []edit{{a, time.Now()}, {b, time.Now()}, {a, time.Now()}}
	w := g.look(t, "")
	var got []string
	for _, c := range w.Conflicts {
		line := c.Path
		if c.Worktrees {
			line += " in worktrees"
		}
		for _, agent := range c.Agents {
			line += " " + agent.Agent
		}
		got = append(got, line)
	}
	slices.Sort(got)
	if want := []string{"both a b", "old in worktrees a c"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestOnlyTheTreesOfASessionAreAskedFor(t *testing.T) {
	g := newGround(t)
	g.repository(t, "api")
	g.repository(t, "web")
	g.write(t, "plain/file", "")
	g.agent("one", "a", "api")
	g.agent("two", "b", "web")
	g.agent("two", "c", "plain")
	if w := g.look(t, "two"); len(w.Trees) != 1 || filepath.Base(w.Trees[0].Root) != "web" || !slices.Equal(w.Trees[0].Sessions, []string{"two"}) {
		t.Errorf("%+v", w.Trees)
	}
}

func TestWhatWasDoneInAPaneCountsUntilItWasLastSeen(t *testing.T) {
	g := newGround(t)
	repo := g.repository(t, "left")
	shared := g.repository(t, "shared")
	g.write(t, "left/before", "")
	g.write(t, "shared/before", "")
	now := time.Now()
	g.write(t, "left/after", "")
	ended := g.repository(t, "ended")
	g.write(t, "ended/before", "")
	for _, path := range []string{"left/before", "shared/before", "ended/before"} {
		if err := os.Chtimes(filepath.Join(g.dir, path), now.Add(-time.Minute), now.Add(-time.Minute)); err != nil {
			t.Fatal(err)
		}
	}
	g.agent("here", "b", "shared")
	closed := func(dir string, ago time.Duration, late bool) core.Event {
		return core.Event{
			Type: core.PaneClosed, At: now.Add(-ago), Session: "gone", Pane: "gone.1", PaneID: "%77", Agent: "a", Kind: "stub", From: dir, Late: late,
		}
	}
	gone := departedIn([]core.Event{
		{Type: core.PaneOpened, At: now.Add(-2 * time.Minute), PaneID: "%77"},
		closed(repo, 30*time.Second, false), closed(shared, 30*time.Second, false),
		{Type: core.SessionClosed, At: now.Add(-30 * time.Second), Session: "gone", From: ended},
		closed("", 0, false), closed(filepath.Join(g.dir, "removed"), 0, false),
		{Type: core.KeeperChanged, At: now},
		closed(shared, 0, true),
	})
	if len(gone) != 5 || !gone[0].since.Equal(now.Add(-2*time.Minute)) || !gone[0].until.Equal(now.Add(-30*time.Second)) || !gone[4].until.Equal(now) {
		t.Fatalf("%+v", gone)
	}
	if err := g.find(t.Context(), g.picture, "", gone[:4]...); err != nil {
		t.Fatal(err)
	}
	g.ask(t.Context())
	work := g.work()
	if got, want := changesOf(work), "before untracked cwd a\nbefore untracked unknown\nbefore untracked unknown"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	for _, tree := range work.Trees {
		if want := map[string]string{repo: "gone", ended: "gone", shared: "here,gone"}[tree.Root]; strings.Join(tree.Sessions, ",") != want {
			t.Errorf("%s: %q", tree.Root, tree.Sessions)
		}
	}
}
