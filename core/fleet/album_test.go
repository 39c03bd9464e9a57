package fleet

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"cupola/core"
	"cupola/core/engine"
	"cupola/core/engine/tmux"
)

// museum is a fleet over a puppet whose agents have rested for a while.
type museum struct {
	*Fleet
	puppet *puppet
	dir    string
}

func newMuseum(t testing.TB, agents int) *museum {
	t.Helper()
	p := &puppet{listing: engine.Listing{Sessions: []engine.Session{{ID: "$1", Name: "api"}}}, screens: map[core.PaneID][]string{}, taken: noon}
	for i := range agents {
		pane := row("$1", fmt.Sprintf("%%%d", i+1), "claude", engine.TagKind, "claude")
		pane.Process.PID, pane.Activity = -1, noon.Add(-time.Minute)
		p.listing.Panes = append(p.listing.Panes, pane)
		p.screens[pane.ID] = []string{"line of " + string(pane.ID), "❯ ", ""}
	}
	g := &museum{puppet: p, dir: filepath.Join(t.TempDir(), "run")}
	g.Fleet = Open(Options{Engine: p, Kinds: kindsOf(t, stub), Runtime: g.dir, Now: func() time.Time { return noon }})
	return g
}

// asked takes a picture and returns whose screens were asked for.
func (g *museum) asked(t testing.TB) []core.PaneID {
	t.Helper()
	g.puppet.asked = nil
	if _, err := g.Snapshot(t.Context(), View{Brief: true}); err != nil {
		t.Fatal(err)
	}
	slices.Sort(g.puppet.asked)
	return slices.Compact(g.puppet.asked)
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
	g := newMuseum(t, worthKeeping)
	if asked := g.asked(t); len(asked) != worthKeeping {
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
		"something was printed since":        func(p *engine.Pane) { p.Activity = noon.Add(time.Second) },
		"in the second of the capture":       func(p *engine.Pane) { p.Activity = noon },
		"in the second before":               func(p *engine.Pane) { p.Activity = noon.Add(-time.Second) },
		"nobody knows when":                  func(p *engine.Pane) { p.Activity = time.Time{} },
		"another program runs":               func(p *engine.Pane) { p.Process.PID = -2 },
		"it is another pane with another id": func(p *engine.Pane) { p.ID = "%99" },
	} {
		g := newMuseum(t, worthKeeping)
		g.asked(t)
		pane := &g.puppet.listing.Panes[3]
		change(pane)
		g.puppet.screens[pane.ID] = []string{"a", "b", ""}
		if asked := g.asked(t); !slices.Equal(asked, []core.PaneID{pane.ID}) {
			t.Errorf("%s: asked for %q", name, asked)
		}
	}
}

func TestFewAgentsLeaveNoScreens(t *testing.T) {
	g := newMuseum(t, worthKeeping-1)
	g.asked(t)
	if _, err := os.Stat(g.dir); !os.IsNotExist(err) {
		t.Errorf("a folder was made: %v", err)
	}
	if asked := g.asked(t); len(asked) != worthKeeping-1 {
		t.Errorf("again: %q", asked)
	}
}

func TestAPictureOfOneSessionKeepsTheScreensOfOthers(t *testing.T) {
	g := newMuseum(t, worthKeeping)
	g.asked(t)
	other := engine.Session{ID: "$2", Name: "web"}
	g.puppet.listing.Sessions = append(g.puppet.listing.Sessions, other)
	for i := range worthKeeping {
		pane := g.puppet.listing.Panes[i]
		pane.ID, pane.Session = core.PaneID(fmt.Sprintf("%%%d", 50+i)), other.ID
		g.puppet.listing.Panes = append(g.puppet.listing.Panes, pane)
		g.puppet.screens[pane.ID] = []string{"a", "b", ""}
	}
	if _, err := g.Snapshot(t.Context(), View{Brief: true, Session: "web"}); err != nil {
		t.Fatal(err)
	}
	if asked := g.asked(t); len(asked) != 0 {
		t.Errorf("again: %q", asked)
	}
}

func TestAnAlbumThatCannotBeReadIsMadeAnew(t *testing.T) {
	g := newMuseum(t, worthKeeping)
	g.asked(t)
	path := g.album(t)
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	_, behind, _ := strings.Cut(string(good), "\n")
	for name, text := range map[string]string{
		"empty": "", "another form": "cupola screens 2 0\n" + behind, "another clock": albumForm + "17\n" + behind, "cut off": string(good[:len(good)-5]),
		"a word too few": strings.Replace(string(good), " 0 ", " ", 1), "no number": strings.Replace(string(good), " 3 ", " x ", 1),
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if asked := g.asked(t); len(asked) != worthKeeping {
			t.Errorf("%s: asked for %q", name, asked)
		}
		if asked := g.asked(t); len(asked) != 0 {
			t.Errorf("%s, again: %q", name, asked)
		}
	}
}

func TestNobodyFailsForAnAlbum(t *testing.T) {
	g := newMuseum(t, worthKeeping)
	if err := os.WriteFile(g.dir, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if asked := g.asked(t); len(asked) != worthKeeping {
			t.Errorf("asked for %q", asked)
		}
	}
}

func TestWhatAnAlbumSaysIsWhatIsOnTheScreen(t *testing.T) {
	th := open(t, tmux.Auto)
	var panes []core.PaneID
	var terminals []*os.File
	for i := range worthKeeping + 3 {
		id := core.PaneID(strings.TrimSpace(th.tmux.Run("new-session", "-d", "-P", "-F", "#{pane_id}", "-s", fmt.Sprint("s", i), "-x", "60", "-y", "6", "--", "sleep", "100000")))
		if err := th.engine.Tag(t.Context(), engine.Tag{Pane: id, Name: engine.TagKind, Value: "claude"}); err != nil {
			t.Fatal(err)
		}
		tty, err := os.OpenFile(strings.TrimSpace(th.tmux.Run("display-message", "-p", "-t", string(id), "#{pane_tty}")), os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { tty.Close() })
		panes, terminals = append(panes, id), append(terminals, tty)
	}
	place, known := seatNow(t.Context(), &th.observer), 0
	for end := time.Now().Add(6 * time.Second); time.Now().Before(end); {
		// Most of them rest most of the time.
		if rand.N(4) == 0 {
			fmt.Fprintf(terminals[rand.N(4)], "\x1b[%d;1H%d", 1+rand.N(6), rand.N(1000))
		}
		// Whoever was answered once more finds that tmux has read what was written.
		th.tmux.Run("list-sessions")
		m := newMemory(false)
		m.album = openAlbum(place.screens)
		listing, _, err := th.takeOf(t.Context(), View{Brief: true}.detail()|engine.WithActivity, "", m)
		if err != nil {
			t.Fatal(err)
		}
		for _, pane := range listing.Panes {
			if m.panes[pane.ID].screen == m.album.leaves[pane.ID].screen {
				known++
			}
		}
		fresh, err := th.engine.Capture(t.Context(), plainAsks(panes)...)
		if err != nil {
			t.Fatal(err)
		}
		for i := range fresh {
			if diff := cmp.Diff(fresh[i].Lines, m.panes[fresh[i].Pane].screen.Lines); diff != "" {
				t.Fatalf("%s of %s is not what it shows:\n%s", fresh[i].Pane, th.tmux.Dir, diff)
			}
		}
		if err := m.album.keep(place, &listing, m); err != nil {
			t.Fatal(err)
		}
		<-time.After(time.Duration(rand.N(300)) * time.Millisecond)
	}
	if known < len(panes) {
		t.Errorf("only %d screens were known", known)
	}
}

func plainAsks(panes []core.PaneID) []engine.Ask {
	asks := make([]engine.Ask, len(panes))
	for i, pane := range panes {
		asks[i] = engine.Ask{Pane: pane}
	}
	return asks
}

func FuzzAlbum(f *testing.F) {
	now := clockNow()
	for _, text := range []string{"", "\n%1 2 1 0 0 0 1 5 1\nx", "\n%1 2 2 1 4 5 0 -7 3\na\nb\n%2 2 1 0 0 0 1 5 0\n", "\n%1 2 3 4 5 6 7 8 99\nx", "\n"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		read, err := decodeLeaves(albumForm + fmt.Sprint(int64(now)) + text)
		if err != nil {
			return
		}
		var leaves []leaf
		for _, l := range read {
			leaves = append(leaves, l)
		}
		again, err := decodeLeaves(string(encodeLeaves(leaves)))
		if err != nil || len(again) != len(read) {
			t.Fatalf("%q: %d screens became %d, %v", text, len(read), len(again), err)
		}
		for id, l := range read {
			if diff := cmp.Diff(l.screen, again[id].screen); diff != "" || l.pid != again[id].pid {
				t.Errorf("%q: %s", text, diff)
			}
		}
	})
}
