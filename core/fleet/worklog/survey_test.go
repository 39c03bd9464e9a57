package worklog

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/alert"
	"cupola/core/fleet/fleettest"
	"cupola/core/fleet/observe"
	"cupola/core/git/gittest"
)

// fixture is a survey of a workspace.
type fixture struct {
	*survey
	*fleettest.Workspace
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	w := fleettest.NewWorkspace(t)
	surveyor := open(t)
	seen := &observe.Observation{Snapshot: w.Snapshot}
	return &fixture{survey: surveyor.survey(seen, time.Now().Add(-time.Hour)), Workspace: w}
}

// survey surveys the workspace as it is.
func (g *fixture) works(t *testing.T, session string) *Work {
	t.Helper()
	if err := g.find(t.Context(), session); err != nil {
		t.Fatal(err)
	}
	g.ask(t.Context())
	for _, tree := range g.trees {
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

func TestFileIsCreditedToPossibleAuthors(t *testing.T) {
	g := newFixture(t)
	g.Repository(t, "alone")
	g.Write(t, "alone/new", "")
	g.Write(t, "alone/old", "changed\n")
	g.Agent("one", "a", "alone")

	g.Repository(t, "shared")
	g.Write(t, "shared/web/page", "")
	g.Write(t, "shared/web/deep/page", "")
	g.Write(t, "shared/top", "")
	g.Write(t, "shared/sure", "")
	b := g.Agent("two", "b", "shared/web")
	g.Agent("two", "c", "shared")
	g.Agent("two", "d", "shared/web/deep")
	g.edits = map[string][]edit{filepath.Join(g.Dir, "shared", "sure"): {{b, time.Now()}}}

	g.Repository(t, "late")
	g.Write(t, "late/before", "")
	g.Agent("three", "e", "late").Agent.Started = time.Now().Add(time.Hour)

	want := "before untracked unknown\nnew untracked cwd a\nold modified cwd a\nsure untracked transcript b\n" +
		"top untracked unknown\nweb/deep/page untracked cwd d\nweb/page untracked cwd b"
	w := g.works(t, "")
	if got := changesOf(w); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if len(w.Trees) != 3 || len(w.Conflicts) != 0 || w.Trees[2].Branch == "" || w.Trees[2].Linked {
		t.Errorf("%+v", w)
	}
}

func TestChangeBeforeAnySessionIsCreditedToNoAgent(t *testing.T) {
	now := time.Now()
	for name, test := range map[string]struct {
		began []time.Time
		gone  departed
		want  string
	}{
		"sessions that began later": {
			[]time.Time{now.Add(-time.Minute), now},
			departed{},
			"after untracked cwd a\nbefore untracked before",
		},
		"one that began earlier": {
			[]time.Time{now.Add(-time.Minute), now.Add(-time.Hour)},
			departed{},
			"after untracked cwd a\nbefore untracked unknown",
		},
		"one of which it is unknown": {
			[]time.Time{now, {}},
			departed{},
			"after untracked cwd a\nbefore untracked unknown",
		},
		"one that began later, gone": {
			[]time.Time{now},
			departed{began: now.Add(-time.Minute), until: now},
			"after untracked cwd a\nbefore untracked before",
		},
		"one that is gone, unknown": {
			[]time.Time{now},
			departed{until: now},
			"after untracked cwd a\nbefore untracked unknown",
		},
		"one that began earlier, gone": {
			[]time.Time{now},
			departed{began: now.Add(-time.Hour), until: now},
			"after untracked cwd a\nbefore untracked unknown",
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := newFixture(t)
			repo := g.Repository(t, "api")
			g.Write(t, "api/before", "")
			g.Write(t, "api/after", "")
			for path, at := range map[string]time.Time{
				"before": now.Add(-10 * time.Minute),
				"after":  now.Add(time.Second),
			} {
				if err := os.Chtimes(filepath.Join(repo, path), at, at); err != nil {
					t.Fatal(err)
				}
			}
			g.Agent("one", "a", "api").Agent.Started = now
			for i, began := range test.began {
				if i > 0 {
					g.Agent(fmt.Sprint("other", i), "", "api").Agent.Kind = ""
				}
				g.Snapshot.Sessions[i].Created = began
			}
			if test.gone.Session, test.gone.dir = "gone", repo; test.gone.until.IsZero() {
				test.gone.dir = filepath.Join(repo, "nowhere")
			}
			if err := g.find(t.Context(), "", test.gone); err != nil {
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
	g := newFixture(t)
	g.Repository(t, "api")
	g.Write(t, "api/stale", "")
	past := time.Now().Add(-2 * time.Hour)
	if err := os.Chtimes(filepath.Join(g.Dir, "api", "stale"), past, past); err != nil {
		t.Fatal(err)
	}
	g.Agent("one", "a", "api")
	if w := g.works(t, ""); len(w.Files) != 0 || len(w.Commits) != 0 || len(w.Trees) != 1 {
		t.Errorf("%+v", w)
	}
}

func TestCommitsAreTheWorktreesInWhichTheyWereMade(t *testing.T) {
	g := newFixture(t)
	repo := g.Repository(t, "api")
	gittest.Run(t, repo, nil, "worktree", "add", "-q", "-b", "own", filepath.Join(g.Dir, "own"))
	g.Write(t, "own/made", "")
	gittest.Run(t, filepath.Join(g.Dir, "own"), nil, "add", ".")
	gittest.Run(t, filepath.Join(g.Dir, "own"), nil, "commit", "-q", "-m", "made it")
	gittest.Run(t, repo, nil, "merge", "-q", "own")
	g.Agent("one", "a", "own")
	g.Agent("one", "b", "api")
	w := g.works(t, "")
	if got := changesOf(w); got != "made added committed worktree a" {
		t.Errorf("got %s", got)
	}
	if len(w.Commits) != 1 || w.Commits[0].Subject() != "made it" || w.Commits[0].Agent != "a" ||
		w.Commits[0].Tree != filepath.Join(g.Dir, "own") {
		t.Errorf("%+v", w.Commits)
	}
}

func TestAFileThatTwoAgentsChangedIsAConflict(t *testing.T) {
	g := newFixture(t)
	repo := g.Repository(t, "api")
	gittest.Run(t, repo, nil, "worktree", "add", "-q", "-b", "own", filepath.Join(g.Dir, "own"))
	g.Write(t, "api/both", "")
	g.Write(t, "api/old", "1")
	g.Write(t, "own/old", "2")
	g.Write(t, "own/mine", "")
	a := g.Agent("one", "a", "api")
	b := g.Agent("one", "b", "elsewhere")
	g.Agent("one", "c", "own")
	g.edits = map[string][]edit{filepath.Join(repo, "both"): {{a, time.Now()}, {b, time.Now()}, {a, time.Now()}}}
	w := g.works(t, "")
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
	g := newFixture(t)
	g.Repository(t, "api")
	g.Repository(t, "web")
	g.Write(t, "plain/file", "")
	g.Agent("one", "a", "api")
	g.Agent("two", "b", "web")
	g.Agent("two", "c", "plain")
	if w := g.works(t, "two"); len(w.Trees) != 1 || filepath.Base(w.Trees[0].Root) != "web" ||
		!slices.Equal(w.Trees[0].Sessions, []string{"two"}) {
		t.Errorf("%+v", w.Trees)
	}
}

func TestWhatWasDoneInAPaneCountsUntilItWasLastSeen(t *testing.T) {
	g := newFixture(t)
	repo := g.Repository(t, "left")
	shared := g.Repository(t, "shared")
	g.Write(t, "left/before", "")
	g.Write(t, "shared/before", "")
	now := time.Now()
	g.Write(t, "left/after", "")
	ended := g.Repository(t, "ended")
	g.Write(t, "ended/before", "")
	for _, path := range []string{"left/before", "shared/before", "ended/before"} {
		if err := os.Chtimes(filepath.Join(g.Dir, path), now.Add(-time.Minute), now.Add(-time.Minute)); err != nil {
			t.Fatal(err)
		}
	}
	g.Agent("here", "b", "shared")
	closed := func(dir string, ago time.Duration, late bool) core.Event {
		return core.Event{
			Type: core.PaneClosed, At: now.Add(-ago), Session: "gone", Pane: "gone.1", PaneID: "%77", Agent: "a",
			Kind: "stub", From: dir, Late: late,
		}
	}
	gone := departedIn([]core.Event{
		{Type: core.PaneOpened, At: now.Add(-2 * time.Minute), PaneID: "%77"},
		closed(repo, 30*time.Second, false), closed(shared, 30*time.Second, false),
		{Type: core.SessionClosed, At: now.Add(-30 * time.Second), Session: "gone", From: ended},
		closed("", 0, false), closed(filepath.Join(g.Dir, "removed"), 0, false),
		{Type: core.KeeperChanged, At: now},
		closed(shared, 0, true),
	})
	if len(gone) != 5 || !gone[0].since.Equal(now.Add(-2*time.Minute)) ||
		!gone[0].until.Equal(now.Add(-30*time.Second)) || !gone[4].until.Equal(now) {
		t.Fatalf("%+v", gone)
	}
	if err := g.find(t.Context(), "", gone[:4]...); err != nil {
		t.Fatal(err)
	}
	g.ask(t.Context())
	work := g.work()
	if got, want := changesOf(work),
		"before untracked cwd a\nbefore untracked unknown\nbefore untracked unknown"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	for _, tree := range work.Trees {
		if want := map[string]string{
			repo: "gone", ended: "gone",
			shared: "here,gone",
		}[tree.Root]; strings.Join(tree.Sessions, ",") != want {
			t.Errorf("%s: %q", tree.Root, tree.Sessions)
		}
	}
}

func TestConflictsAreLookedForWhereAnAgentMoved(t *testing.T) {
	g := newFixture(t)
	g.ClaudeHome(t)
	repo := g.Repository(t, "api")
	g.Write(t, "api/both.go", "")
	a := g.Claude(t, "a", "api", "api/both.go")
	b := g.Claude(t, "b", "api/web", "api/both.go")
	if err := os.MkdirAll(filepath.Join(repo, "web"), 0o700); err != nil {
		t.Fatal(err)
	}
	survey := func(moved ...core.PaneID) ([]alert.Conflict, []string) {
		return open(t).Conflicts(t.Context(), g.seen, g.since, moved)
	}
	if found, roots := survey(); len(found) != 0 || len(roots) != 0 {
		t.Errorf("a tree without movement was surveyed: %+v in %q", found, roots)
	}
	found, roots := survey(a.ID)
	if len(found) != 1 || found[0].Path != "both.go" || found[0].Tree != repo || !slices.Equal(roots, []string{repo}) {
		t.Fatalf("%+v in %q", found, roots)
	}
	panes := slices.Sorted(slices.Values(found[0].Panes))
	if want := []core.PaneID{a.ID, b.ID}; !slices.Equal(panes, want) {
		t.Errorf("the panes are %q, not %q", panes, want)
	}
}
