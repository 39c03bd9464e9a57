package observe

import (
	"cupola/core"
	"cupola/core/engine"
	"cupola/core/engine/tmux"
	"cupola/core/fleet/fleettest"
	"cupola/core/fleet/rundir"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// museum is a fleet over a puppet whose agents have rested for a while.
type museum struct {
	observer *Observer
	puppet   *fleettest.Engine
	dir      string
}

func newMuseum(t testing.TB, agents int) *museum {
	t.Helper()
	p := &fleettest.Engine{Listing: engine.Listing{Sessions: []engine.Session{{ID: "$1", Name: "api"}}}, Screens: map[core.PaneID][]string{}, Taken: fleettest.Noon}
	for i := range agents {
		pane := fleettest.Row("$1", fmt.Sprintf("%%%d", i+1), "claude", engine.TagKind, "claude")
		pane.Process.PID, pane.Activity = -1, fleettest.Noon.Add(-time.Minute)
		p.Listing.Panes = append(p.Listing.Panes, pane)
		p.Screens[pane.ID] = []string{"line of " + string(pane.ID), "❯ ", ""}
	}
	g := &museum{puppet: p, dir: filepath.Join(fleettest.RuntimeDir(t), "run")}
	g = Open(Options{Engine: p, Kinds: fleettest.Kinds(t, fleettest.StubKind), Runtime: g.dir, Now: func() time.Time { return fleettest.Noon }})
	return g
}

// asked takes a picture and returns whose screens were asked for.
func (g *museum) asked(t testing.TB) []core.PaneID {
	t.Helper()
	g.puppet.Asked = nil
	if _, err := g.Overview.Snapshot(t.Context(), View{Brief: true}); err != nil {
		t.Fatal(err)
	}
	slices.Sort(g.puppet.Asked)
	return slices.Compact(g.puppet.Asked)
}

func (g *museum) album(t testing.TB) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(g.dir, "*.screens"))
	if err != nil || len(files) > 1 {
		t.Fatalf("%q, %v", files, err)
	}
	if len(files) == 0 {
		return ""
	}
	return files[0]
}

func TestScreensOfRestingAgentsAreNotAskedForAgain(t *testing.T) {
	g := newMuseum(t, minFresh)
	if asked := g.asked(t); len(asked) != minFresh {
		t.Fatalf("first: %q", asked)
	}
	for range 2 {
		if asked := g.asked(t); len(asked) != 0 {
			t.Errorf("again: %q", asked)
		}
	}
	if info, err := os.Stat(g.album(t)); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
}

func TestAScreenIsAskedForAgainWhereItMayHaveChanged(t *testing.T) {
	for name, change := range map[string]func(*engine.Pane){
		"something was printed since":        func(p *engine.Pane) { p.Activity = fleettest.Noon.Add(time.Second) },
		"in the second of the capture":       func(p *engine.Pane) { p.Activity = fleettest.Noon },
		"in the second before":               func(p *engine.Pane) { p.Activity = fleettest.Noon.Add(-time.Second) },
		"nobody knows when":                  func(p *engine.Pane) { p.Activity = time.Time{} },
		"another program runs":               func(p *engine.Pane) { p.Process.PID = -2 },
		"another title":                      func(p *engine.Pane) { p.Title = "⠐ work" },
		"another kind":                       func(p *engine.Pane) { p.Tags = map[string]string{engine.TagKind: "codex"} },
		"it is another pane with another id": func(p *engine.Pane) { p.ID = "%99" },
	} {
		g := newMuseum(t, minFresh)
		g.asked(t)
		pane := &g.puppet.Listing.Panes[3]
		change(pane)
		g.puppet.Screens[pane.ID] = []string{"a", "b", ""}
		if asked := g.asked(t); !slices.Equal(asked, []core.PaneID{pane.ID}) {
			t.Errorf("%s: asked for %q", name, asked)
		}
	}
}

func TestFewAgentsLeaveNoScreens(t *testing.T) {
	g := newMuseum(t, minFresh-1)
	g.asked(t)
	if _, err := os.Stat(g.dir); !os.IsNotExist(err) {
		t.Errorf("a folder was made: %v", err)
	}
	if asked := g.asked(t); len(asked) != minFresh-1 {
		t.Errorf("again: %q", asked)
	}
}

func TestAPictureOfOneSessionKeepsTheScreensOfOthers(t *testing.T) {
	g := newMuseum(t, minFresh)
	g.asked(t)
	other := engine.Session{ID: "$2", Name: "web"}
	g.puppet.Listing.Sessions = append(g.puppet.Listing.Sessions, other)
	for i := range minFresh {
		pane := g.puppet.Listing.Panes[i]
		pane.ID, pane.Session = core.PaneID(fmt.Sprintf("%%%d", 50+i)), other.ID
		g.puppet.Listing.Panes = append(g.puppet.Listing.Panes, pane)
		g.puppet.Screens[pane.ID] = []string{"a", "b", ""}
	}
	if _, err := g.Overview.Snapshot(t.Context(), View{Brief: true, Session: "web"}); err != nil {
		t.Fatal(err)
	}
	if asked := g.asked(t); len(asked) != 0 {
		t.Errorf("again: %q", asked)
	}
}

func TestAnAlbumThatCannotBeReadIsMadeAnew(t *testing.T) {
	g := newMuseum(t, minFresh)
	g.asked(t)
	path := g.album(t)
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	head, body, _ := strings.Cut(string(good), "\n")
	form, _, _ := strings.Cut(head, "clock ")
	for name, text := range map[string]string{
		"empty": "", "another form": "x" + string(good), "another clock": form + "clock 17\n" + body, "no clock": form + "clock\n" + body, "cut off": string(good[:len(good)-5]),
		"a screen of nobody": head + "\n[null,{}]\n",
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if asked := g.asked(t); len(asked) != minFresh {
			t.Errorf("%s: asked for %q", name, asked)
		}
		if asked := g.asked(t); len(asked) != 0 {
			t.Errorf("%s, again: %q", name, asked)
		}
	}
}

func TestScreensThatOtherRulesReadAreReadAgain(t *testing.T) {
	g := newMuseum(t, minFresh)
	g.asked(t)
	g = Open(Options{Engine: g.puppet, Kinds: fleettest.Kinds(t, fstest.MapFS{"claude.toml": {Data: []byte("name = \"Other\"\n")}}), Runtime: g.dir, Now: func() time.Time { return fleettest.Noon }})
	if asked := g.asked(t); len(asked) != minFresh {
		t.Errorf("other rules: asked for %q", asked)
	}
	program := filepath.Join(t.TempDir(), "cupola")
	if err := os.WriteFile(program, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	g = Open(Options{Engine: g.puppet, Kinds: fleettest.Kinds(t, fleettest.StubKind), Runtime: g.dir, Self: program, Now: func() time.Time { return fleettest.Noon }})
	if asked := g.asked(t); len(asked) != minFresh {
		t.Errorf("another program: asked for %q", asked)
	}
}

func TestNobodyFailsForAnAlbum(t *testing.T) {
	g := newMuseum(t, minFresh)
	if err := os.WriteFile(g.dir, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if asked := g.asked(t); len(asked) != minFresh {
			t.Errorf("asked for %q", asked)
		}
	}
}

// scenes are screens of Claude in states that a title does not change.
var scenes = []string{"idle_after_answer", "working", "waiting_permission", "context_low", "error_server", "draft_typed"}

func TestWhatAnAlbumSaysIsWhatTheScreenShows(t *testing.T) {
	th := fleet.open(t, tmux.Auto)
	var terminals []*os.File
	for i := range minFresh + 3 {
		id := core.PaneID(strings.TrimSpace(th.tmux.Run("new-session", "-d", "-P", "-F", "#{pane_id}", "-s", fmt.Sprint("s", i), "-x", "120", "-y", "40", "--", "sleep", "100000")))
		if err := th.fleet.engine.Tag(t.Context(), engine.Tag{Pane: id, Name: engine.TagKind, Value: "claude"}); err != nil {
			t.Fatal(err)
		}
		tty, err := os.OpenFile(strings.TrimSpace(th.tmux.Run("display-message", "-p", "-t", string(id), "#{pane_tty}")), os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { tty.Close() })
		fmt.Fprint(tty, fleet.drawing(t, "claude", scenes[i%len(scenes)]))
		terminals = append(terminals, tty)
	}
	place, known := rundir.FilesNow(t.Context(), th.dir), 0
	began := time.Now()
	for time.Since(began) < 6*time.Second || known < len(terminals) {
		if time.Since(began) > fleet.patience {
			t.Fatalf("only %d screens were known", known)
		}
		// Most of them rest most of the time.
		if rand.N(4) == 0 {
			fmt.Fprint(terminals[rand.N(4)], fleet.drawing(t, "claude", scenes[rand.N(len(scenes))]))
		}
		// Whoever was answered once more finds that tmux has read what was written.
		th.tmux.Run("list-sessions")
		detail := View{Brief: true}.Detail() | engine.WithActivity
		m := NewTracker(false)
		m.cache = openScreenCache(place.Screens, "")
		listing, remembered, err := th.fleet.TakeOf(t.Context(), detail, "", m)
		if err != nil {
			t.Fatal(err)
		}
		_, seen, err := th.fleet.TakeOf(t.Context(), detail, "", NewTracker(false))
		if err != nil {
			t.Fatal(err)
		}
		for i, pane := range seen.Panes() {
			if m.panes[pane.ID].leaf != nil {
				known++
			}
			if diff := cmp.Diff(pane.Status, remembered.Panes()[i].Status, cmpopts.IgnoreFields(core.Status{}, "Since")); diff != "" {
				t.Fatalf("%s is not what it shows:\n%s", pane.Address(), diff)
			}
		}
		if err := m.cache.Save(place, &listing, m); err != nil {
			t.Fatal(err)
		}
		<-time.After(time.Duration(rand.N(300)) * time.Millisecond)
	}
}

func FuzzAlbum(f *testing.F) {
	a := openScreenCache("", "r")
	f.Add(`[{"pane":"%1","pid":2,"kind":"claude","title":"t","sight":{"signals":[{"rule":"x"}]},"used":3}]`)
	f.Add(`[null,{},{"sight":{}}]`)
	f.Add("{")
	f.Fuzz(func(t *testing.T, body string) {
		read, err := a.decode(fmt.Appendf(nil, "%s%d\n%s", a.form, clockNow(), body))
		if err != nil {
			return
		}
		text, err := a.encode(slices.Collect(maps.Values(read)))
		if err != nil {
			t.Fatal(err)
		}
		if again, err := a.decode(text); err != nil || !cmp.Equal(read, again, cmpopts.EquateEmpty()) {
			t.Errorf("%q: %v\n%s", body, err, cmp.Diff(read, again))
		}
	})
}
