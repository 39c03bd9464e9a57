package observe

import (
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

	"cupola/core"
	"cupola/core/engine"
	"cupola/core/engine/enginetest"
	"cupola/core/fleet/fleettest"
)

// resting is an Observer of an engine whose agents have rested for a while.
type resting struct {
	observer *Observer
	engine   *fleettest.Engine
	dir      string
}

func newResting(t testing.TB, agents int) *resting {
	t.Helper()
	eng := &fleettest.Engine{
		Listing: engine.Listing{Sessions: []engine.Session{{ID: "$1", Name: "api"}}},
		Screens: map[core.PaneID][]string{}, Taken: fleettest.Noon,
	}
	for i := range agents {
		pane := fleettest.Row("$1", fmt.Sprintf("%%%d", i+1), "claude", engine.TagKind, "claude")
		pane.Process.PID, pane.Activity = -1, fleettest.Noon.Add(-time.Minute)
		eng.Listing.Panes = append(eng.Listing.Panes, pane)
		eng.Screens[pane.ID] = []string{"line of " + string(pane.ID), "❯ ", ""}
	}
	r := &resting{engine: eng, dir: filepath.Join(fleettest.RuntimeDir(t), "run")}
	r.observer = New(optionsFor(t, eng, r.dir))
	return r
}

// asked takes a snapshot and returns whose screens were asked for.
func (r *resting) asked(t testing.TB) []core.PaneID {
	t.Helper()
	r.engine.Asked = nil
	if _, err := r.observer.Observe(t.Context(), View{Brief: true}); err != nil {
		t.Fatal(err)
	}
	slices.Sort(r.engine.Asked)
	return slices.Compact(r.engine.Asked)
}

// file is the path of the screen cache; empty if there is none.
func (r *resting) file(t testing.TB) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(r.dir, "*.screens"))
	if err != nil || len(files) > 1 {
		t.Fatalf("%q, %v", files, err)
	}
	if len(files) == 0 {
		return ""
	}
	return files[0]
}

func TestScreensOfRestingAgentsAreNotAskedForAgain(t *testing.T) {
	r := newResting(t, minFresh)
	if asked := r.asked(t); len(asked) != minFresh {
		t.Fatalf("first: %q", asked)
	}
	for range 2 {
		if asked := r.asked(t); len(asked) != 0 {
			t.Errorf("again: %q", asked)
		}
	}
	if info, err := os.Stat(r.file(t)); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
}

func TestAScreenIsAskedForAgainWhereItMayHaveChanged(t *testing.T) {
	for name, change := range map[string]func(*engine.Pane){
		"something was printed since":  func(p *engine.Pane) { p.Activity = fleettest.Noon.Add(time.Second) },
		"in the second of the capture": func(p *engine.Pane) { p.Activity = fleettest.Noon },
		"in the second before":         func(p *engine.Pane) { p.Activity = fleettest.Noon.Add(-time.Second) },
		"activity unknown":             func(p *engine.Pane) { p.Activity = time.Time{} },
		"another program runs":         func(p *engine.Pane) { p.Process.PID = -2 },
		"another title":                func(p *engine.Pane) { p.Title = "⠐ work" },
		"another kind": func(p *engine.Pane) {
			p.Tags = map[string]string{engine.TagKind: "codex"}
		},
		"it is another pane with another id": func(p *engine.Pane) { p.ID = "%99" },
	} {
		r := newResting(t, minFresh)
		r.asked(t)
		pane := &r.engine.Listing.Panes[3]
		change(pane)
		r.engine.Screens[pane.ID] = []string{"a", "b", ""}
		if asked := r.asked(t); !slices.Equal(asked, []core.PaneID{pane.ID}) {
			t.Errorf("%s: asked for %q", name, asked)
		}
	}
}

func TestFewAgentsLeaveNoScreens(t *testing.T) {
	r := newResting(t, minFresh-1)
	r.asked(t)
	if screens, err := filepath.Glob(filepath.Join(r.dir, "*.screens")); err != nil || len(screens) > 0 {
		t.Errorf("%q: %v", screens, err)
	}
	if asked := r.asked(t); len(asked) != minFresh-1 {
		t.Errorf("again: %q", asked)
	}
}

func TestASnapshotOfOneSessionKeepsTheScreensOfOthers(t *testing.T) {
	r := newResting(t, minFresh)
	r.asked(t)
	other := engine.Session{ID: "$2", Name: "web"}
	r.engine.Listing.Sessions = append(r.engine.Listing.Sessions, other)
	for i := range minFresh {
		pane := r.engine.Listing.Panes[i]
		pane.ID, pane.Session = core.PaneID(fmt.Sprintf("%%%d", 50+i)), other.ID
		r.engine.Listing.Panes = append(r.engine.Listing.Panes, pane)
		r.engine.Screens[pane.ID] = []string{"a", "b", ""}
	}
	if _, err := r.observer.Observe(t.Context(), View{Brief: true, Session: "web"}); err != nil {
		t.Fatal(err)
	}
	if asked := r.asked(t); len(asked) != 0 {
		t.Errorf("again: %q", asked)
	}
}

func TestAScreenCacheThatCannotBeReadIsMadeAnew(t *testing.T) {
	r := newResting(t, minFresh)
	r.asked(t)
	path := r.file(t)
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	head, body, _ := strings.Cut(string(good), "\n")
	form, _, _ := strings.Cut(head, "clock ")
	for name, text := range map[string]string{
		"empty": "", "another form": "x" + string(good), "another clock": form + "clock 17\n" + body,
		"no clock": form + "clock\n" + body, "cut off": string(good[:len(good)-5]),
		"a screen without a pane": head + "\n[null,{}]\n",
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if asked := r.asked(t); len(asked) != minFresh {
			t.Errorf("%s: asked for %q", name, asked)
		}
		if asked := r.asked(t); len(asked) != 0 {
			t.Errorf("%s, again: %q", name, asked)
		}
	}
}

func TestScreensThatOtherRulesReadAreReadAgain(t *testing.T) {
	r := newResting(t, minFresh)
	r.asked(t)
	o := optionsFor(t, r.engine, r.dir)
	builtin := o.Kinds
	o.Kinds = fleettest.Kinds(t, fstest.MapFS{"claude.toml": {Data: []byte("name = \"Other\"\n")}})
	r.observer = New(o)
	if asked := r.asked(t); len(asked) != minFresh {
		t.Errorf("other rules: asked for %q", asked)
	}
	program := filepath.Join(t.TempDir(), "cupola")
	if err := os.WriteFile(program, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	o.Kinds, o.Self = builtin, program
	r.observer = New(o)
	if asked := r.asked(t); len(asked) != minFresh {
		t.Errorf("another program: asked for %q", asked)
	}
}

func TestScreenCacheFailureIsIgnored(t *testing.T) {
	r := newResting(t, minFresh)
	if err := os.WriteFile(r.dir, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if asked := r.asked(t); len(asked) != minFresh {
			t.Errorf("asked for %q", asked)
		}
	}
}

// scenes are screens of Claude in states that a title does not change.
var scenes = []string{
	"idle_after_answer", "working", "waiting_permission", "context_low", "error_server", "draft_typed",
}

func TestWhatTheScreenCacheSaysIsWhatTheScreenShows(t *testing.T) {
	server := enginetest.Private(t)
	eng := fleettest.EngineOf(t, server, "")
	t.Cleanup(func() {
		if err := eng.Close(); err != nil {
			t.Error(err)
		}
	})
	var terminals []*os.File
	for i := range minFresh + 3 {
		id := core.PaneID(strings.TrimSpace(server.Run("new-session", "-d", "-P", "-F", "#{pane_id}",
			"-s", fmt.Sprint("s", i), "-x", "120", "-y", "40", "--", "sleep", "100000")))
		if err := eng.Tag(t.Context(), engine.Tag{Pane: id, Name: engine.TagKind, Value: "claude"}); err != nil {
			t.Fatal(err)
		}
		path := strings.TrimSpace(server.Run("display-message", "-p", "-t", string(id), "#{pane_tty}"))
		tty, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { tty.Close() })
		fmt.Fprint(tty, fleettest.Drawing(t, "claude", scenes[i%len(scenes)]))
		terminals = append(terminals, tty)
	}
	o := optionsFor(t, eng, filepath.Join(server.Dir, "run"))
	o.Now = time.Now
	observer := New(o)
	files, err := o.Dir.Files(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	known, began := 0, time.Now()
	for time.Since(began) < 6*time.Second || known < len(terminals) {
		if time.Since(began) > enginetest.Timeout {
			t.Fatalf("only %d screens were known", known)
		}
		// Most of them rest most of the time.
		if rand.N(4) == 0 {
			fmt.Fprint(terminals[rand.N(4)], fleettest.Drawing(t, "claude", scenes[rand.N(len(scenes))]))
		}
		// A second answer proves that tmux has read what was written.
		server.Run("list-sessions")
		detail := View{Brief: true}.detail() | engine.WithActivity
		tracker := NewTracker(false)
		tracker.cache = openScreenCache(files.Screens, "")
		remembered, err := observer.observe(t.Context(), detail, "", tracker)
		if err != nil {
			t.Fatal(err)
		}
		seen, err := observer.observe(t.Context(), detail, "", NewTracker(false))
		if err != nil {
			t.Fatal(err)
		}
		for i, pane := range seen.Snapshot.Panes() {
			if tracker.panes[pane.ID].cached != nil {
				known++
			}
			again := remembered.Snapshot.Panes()[i].Status
			if diff := cmp.Diff(pane.Status, again, cmpopts.IgnoreFields(core.Status{}, "Since")); diff != "" {
				t.Fatalf("%s is not what it shows:\n%s", pane.Address(), diff)
			}
		}
		if err := tracker.cache.save(files, &remembered.Listing, tracker); err != nil {
			t.Fatal(err)
		}
		<-time.After(time.Duration(rand.N(300)) * time.Millisecond)
	}
}

func FuzzScreenCache(f *testing.F) {
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
