package enginetest

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"cupola/core"
	"cupola/core/engine"
)

// surroundings are the variables that a program needs in any case.
var surroundings = []string{"PATH=/usr/bin:/bin", "HOME=/", "SHELL=/bin/sh", "LANG=C.UTF-8", "PS1=$ ", "ENV="}

var creating = []promise{
	{"arguments reach the program as they are", func(t *testing.T, e subject) {
		args := []string{
			"a b", `"q" 'p'`, "$HOME", "`id`", "#{pane_id}", "##", "~", "%H", "\\", "\\;", "x;", ";", "-n",
			"é🎉", "*",
		}
		argv := append([]string{"/bin/sh", "-c", `for a; do printf '<%s>\n' "$a"; done; exec sleep 100000`, "sh"},
			args...)
		loc := e.create(t, engine.Launch{Session: "s", Argv: argv})
		e.shows(t, loc.Pane, "<*>")
		want := "<" + strings.Join(args, ">\n<") + ">"
		if got := e.text(t, loc.Pane); !strings.HasPrefix(got, want) {
			t.Errorf("got %s\nwant %s", got, want)
		}
	}},
	{"one word is a program too", func(t *testing.T, e subject) {
		dir := t.TempDir()
		program := filepath.Join(dir, "odd $name; exit")
		writeProgram(t, program, "#!/bin/sh\necho it runs\nexec sleep 100000\n")
		loc := e.create(t, engine.Launch{Session: "s", Argv: []string{program}})
		e.shows(t, loc.Pane, "it runs")
	}},
	{"the environment and its PATH are given", func(t *testing.T, e subject) {
		dir := t.TempDir()
		writeProgram(t, filepath.Join(dir, "only-there"),
			"#!/bin/sh\nprintf '%s|' \"$CUPOLA_ODD\"\nexec sleep 100000\n")
		env := []string{"CUPOLA_ODD=a b;$x #{pane_id};", "PATH=" + dir + ":/usr/bin:/bin"}
		first := e.create(t, engine.Launch{Session: "s", Env: env, Argv: []string{"only-there"}})
		window := e.create(t, engine.Launch{Into: first.Session, Env: env, Argv: []string{"only-there"}})
		split := e.create(t, engine.Launch{
			Into: first.Session, Split: first.Window, Env: env,
			Argv: []string{"only-there"},
		})
		for _, loc := range []engine.Location{first, window, split} {
			e.shows(t, loc.Pane, "a b;$x #{pane_id};|")
		}
		other := e.create(t, engine.Launch{Into: first.Session, Argv: shell(`echo "[$CUPOLA_ODD]"`)})
		e.shows(t, other.Pane, "[]")
	}},
	{"a program has the environment of its launch, and nothing of the server's", func(t *testing.T, e subject) {
		odd := "one\n#two\n  'three' \"four\" $HOME #{pane_id} \\ \\\n;\té" + strings.Repeat("long ", 8000)
		first := append(slices.Clip(surroundings), "BUILD=one", "ONLY_SERVER=1", "ODD="+odd, "KITTY_WINDOW_ID=7",
			"CUPOLA_SESSION=other")
		second := append(slices.Clip(surroundings), "BUILD=two", "EMPTY=")
		script := `printf '%s|%s|%s|%s|%s\n' "$BUILD" "${ONLY_SERVER-none}" "${KITTY_WINDOW_ID-none}" ` +
			`"${CUPOLA_SESSION-none}" "${EMPTY-none}"; [ "$ODD" = "$GIVEN" ] && echo same`
		loc := e.create(t, engine.Launch{
			Session: "s", Argv: shell(script), Environ: first, Env: []string{"GIVEN=" + odd},
		})
		e.shows(t, loc.Pane, "one|1|none|none|none\nsame")
		other := e.create(t, engine.Launch{
			Into: loc.Session, Argv: shell(script), Environ: second, Env: []string{"GIVEN="},
		})
		e.shows(t, other.Pane, "two|none|none|none|\nsame")
		if _, err := e.Respawn(t.Context(), loc.Pane,
			engine.Launch{Argv: shell(script), Environ: second, Env: []string{"BUILD=three", "GIVEN="}}); err != nil {
			t.Fatal(err)
		}
		e.shows(t, loc.Pane, "three|none|none|none|\nsame")
	}},
	{"a shell has the environment of its launch too", func(t *testing.T, e subject) {
		first := e.create(t, engine.Launch{
			Session: "s", Environ: append(slices.Clip(surroundings), "BUILD=one", "ONLY_SERVER=1"),
		})
		other := e.create(t, engine.Launch{Session: "t", Environ: append(slices.Clip(surroundings), "BUILD=two")})
		for pane, shows := range map[core.PaneID]string{first.Pane: "<one1>", other.Pane: "<two>"} {
			if err := e.Paste(t.Context(), pane, []byte("echo \"<$BUILD$ONLY_SERVER>\"")); err != nil {
				t.Fatal(err)
			}
			if err := e.Press(t.Context(), pane, "Enter"); err != nil {
				t.Fatal(err)
			}
			e.shows(t, pane, shows)
		}
	}},
	{"a folder with any name is the working directory", func(t *testing.T, e subject) {
		dir := filepath.Join(ShortDir(t), "a #{pane_id} ##[x] #[b] $HOME 'é';")
		makeDir(t, dir)
		loc := e.create(t, engine.Launch{Session: "s", Dir: dir, Argv: shell("pwd >pwd")})
		Eventually(t, Timeout, func() bool { return readFile(filepath.Join(dir, "pwd")) == dir+"\n" }, nil)
		if got := e.pane(t, loc.Pane).Process.Dir; got != dir {
			t.Errorf("dir %q, want %q", got, dir)
		}
	}},
	{"a missing folder makes nothing", func(t *testing.T, e subject) {
		if _, err := e.Create(t.Context(),
			engine.Launch{Session: "s", Dir: filepath.Join(t.TempDir(), "none")}); err == nil {
			t.Error("no error")
		}
		if _, err := e.List(t.Context(), 0); !errors.Is(err, engine.ErrNoServer) {
			t.Errorf("List: %v", err)
		}
	}},
	{"session names are kept", func(t *testing.T, e subject) {
		for _, name := range []string{
			"a b", "#{pane_id}", "#[x]", "##[y]", "a###b", "it's", `"q"`, "é🎉", "x;y", "a|b",
			"*", "%H"[1:], "a{b}", "(c)",
		} {
			loc := e.create(t,
				engine.Launch{Session: name, Argv: shell(""), Tags: map[string]string{engine.TagKind: name}})
			found := false
			for _, s := range e.list(t).Sessions {
				found = found || s.ID == loc.Session && s.Name == name
			}
			if !found || e.pane(t, loc.Pane).Tags[engine.TagKind] != name {
				t.Errorf("%q is not there: %+v", name, e.list(t).Sessions)
			}
		}
	}},
	{"a name that is taken is a duplicate", func(t *testing.T, e subject) {
		e.session(t, "s", "")
		if _, err := e.Create(t.Context(), engine.Launch{Session: "s"}); !errors.Is(err, engine.ErrDuplicate) {
			t.Errorf("error: %v", err)
		}
	}},
	{"a session is made although the last one has just ended its server", func(t *testing.T, e subject) {
		for i := range 30 {
			loc := e.create(t, engine.Launch{Session: "next", Argv: shell("")})
			if err := e.KillSession(t.Context(), loc.Session); err != nil {
				t.Fatalf("after %d: %v", i, err)
			}
		}
	}},
	{"targets that are gone are named", func(t *testing.T, e subject) {
		loc := e.session(t, "s", "")
		if _, err := e.Create(t.Context(), engine.Launch{Into: "$99"}); !errors.Is(err, engine.ErrNoSession) {
			t.Errorf("session: %v", err)
		}
		if _, err := e.Create(t.Context(), engine.Launch{Into: loc.Session, Split: "@99"}); !errors.Is(err,
			engine.ErrNoWindow) {
			t.Errorf("window: %v", err)
		}
	}},
	{"tags are there before the program is heard", func(t *testing.T, e subject) {
		tags := map[string]string{engine.TagKind: "kind-a", engine.TagMissed: "a|b; 'c' #{x} é\n%41"}
		first := e.create(t, engine.Launch{
			Session: "s", Argv: shell("echo x"), Tags: tags,
			SessionTags: map[string]string{engine.TagOrigin: "spawn"},
		})
		window := e.create(t, engine.Launch{Into: first.Session, Argv: shell("echo x"), Tags: tags})
		split := e.create(t, engine.Launch{Into: first.Session, Split: first.Window, Argv: shell("echo x"), Tags: tags})
		plain := e.create(t, engine.Launch{Into: first.Session, Split: first.Window, Argv: shell("echo x")})
		// No client shows this window.
		bare := e.create(t, engine.Launch{Into: first.Session, Split: window.Window, Argv: shell("echo x"), Tile: true})
		e.create(t, engine.Launch{
			Into: first.Session, Split: window.Window, Argv: shell("echo x"), Tile: true,
			Tags: tags,
		})
		l := e.list(t)
		for _, p := range l.Panes {
			want := tags
			if p.ID == plain.Pane || p.ID == bare.Pane {
				want = nil
			}
			if len(p.Tags) != len(want) || p.Tags[engine.TagKind] != want[engine.TagKind] ||
				p.Tags[engine.TagMissed] != want[engine.TagMissed] {
				t.Errorf("%s: %q, want %q (%v %v %v)", p.ID, p.Tags, want, first, window, split)
			}
		}
		if got := l.Sessions[0].Tags[engine.TagOrigin]; got != "spawn" {
			t.Errorf("session: %q", got)
		}
	}},
	{"the keyboard stays where it is", func(t *testing.T, e subject) {
		first := e.session(t, "s", "")
		e.create(t, engine.Launch{Into: first.Session, Argv: shell("")})
		e.create(t, engine.Launch{Into: first.Session, Split: first.Window, Argv: shell("")})
		if !e.pane(t, first.Pane).View.Active {
			t.Error("the first pane lost it")
		}
	}},
	{"panes fill up until there is no space, or are laid out evenly", func(t *testing.T, e subject) {
		first := e.create(t, engine.Launch{Session: "s", Width: 80, Height: 20, Argv: shell("")})
		for range 8 {
			e.create(t, engine.Launch{Into: first.Session, Split: first.Window, Tile: true, Argv: shell("")})
		}
		var err error
		for range 8 {
			if _, err = e.Create(t.Context(),
				engine.Launch{Into: first.Session, Split: first.Window, Argv: shell("")}); err != nil {
				break
			}
		}
		if !errors.Is(err, engine.ErrNoSpace) {
			t.Errorf("error: %v", err)
		}
	}},
	{"a shell goes with its pane", func(t *testing.T, e subject) {
		first := e.session(t, "s", "")
		second := e.create(t, engine.Launch{Into: first.Session})
		if err := e.Paste(t.Context(), second.Pane, []byte("exit\n")); err != nil {
			t.Fatal(err)
		}
		Eventually(t, Timeout, func() bool { return len(e.list(t).Panes) == 1 }, nil)
	}},
}
