package enginetest

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"cupola/core/engine"
)

var capturing = []promise{
	{"a screen has all its rows", func(t *testing.T, e subject) {
		loc := e.create(t, engine.Launch{
			Session: "s", Width: 40, Height: 6,
			Argv: shell(`printf 'one\n\n  two\033[2;7H'`),
		})
		e.shows(t, loc.Pane, "two")
		before := time.Now()
		s := e.capture(t, engine.Ask{Pane: loc.Pane})
		if want := []string{"one", "", "  two", "", "", ""}; !slices.Equal(s.Lines, want) || s.Visible != 6 ||
			s.Pane != loc.Pane {
			t.Errorf("screen: %+v", s)
		}
		if s.Taken.Before(before) || s.Taken.After(time.Now()) {
			t.Errorf("taken %v, asked %v", s.Taken, before)
		}
		v := s.View
		if v.Width != 40 || v.Height != 6 || v.Cursor.X != 6 || v.Cursor.Y != 1 || !v.Cursor.Visible || v.AlternateOn ||
			v.InMode || !v.Active {
			t.Errorf("view: %+v", v)
		}
	}},
	{"many panes come in order, without those that are gone", func(t *testing.T, e subject) {
		first := e.session(t, "s", "echo =0=")
		asks := []engine.Ask{{Pane: "%98"}, {Pane: first.Pane}, {Pane: "%99"}, {Pane: ""}}
		for i := 1; i <= 60; i++ {
			loc := e.create(t, engine.Launch{Into: first.Session, Argv: shell(fmt.Sprintf("echo =%d=", i))})
			asks = append(asks, engine.Ask{Pane: loc.Pane, History: i % 2 * 10}, engine.Ask{Pane: "%99"})
		}
		e.shows(t, asks[len(asks)-2].Pane, "=60=")
		screens, err := e.Capture(t.Context(), asks...)
		if err != nil || len(screens) != 61 {
			t.Fatalf("%d screens, %v", len(screens), err)
		}
		for i, s := range screens {
			if s.Lines[0] != fmt.Sprintf("=%d=", i) && s.Lines[0] != "" {
				t.Errorf("screen %d is %q", i, s.Lines[0])
			}
		}
	}},
	{"brief screens have the same rows, height and cursor", func(t *testing.T, e subject) {
		first := e.session(t, "s", `printf 'one\n\n  two\033[2;7H'`)
		second := e.create(t, engine.Launch{
			Into: first.Session,
			Argv: shell(`printf '\033[?25l%0500d\033[?1049hthree' 7`),
		})
		gone := e.create(t, engine.Launch{Into: first.Session, Argv: shell("echo four")})
		e.shows(t, first.Pane, "two")
		e.shows(t, second.Pane, "three")
		e.shows(t, gone.Pane, "four")
		asks := []engine.Ask{
			{Pane: second.Pane, Brief: true},
			{Pane: gone.Pane, Brief: true},
			{Pane: first.Pane, Brief: true},
		}
		for left := 3; left > 0; left-- {
			screens, err := e.Capture(t.Context(), asks...)
			if err != nil || len(screens) != left {
				t.Fatalf("%d screens, %v", len(screens), err)
			}
			for _, s := range screens {
				full := e.capture(t, engine.Ask{Pane: s.Pane})
				v, w := s.View, full.View
				if !slices.Equal(s.Lines, full.Lines) || s.Visible != full.Visible || v.Height != w.Height ||
					v.AlternateOn != w.AlternateOn || v.Cursor != w.Cursor {
					t.Errorf("%+v, in full %+v", s, full)
				}
			}
			switch left {
			case 3:
				if err := e.KillPane(t.Context(), gone.Pane); err != nil {
					t.Fatal(err)
				}
			case 2:
				asks = append(asks[:1], engine.Ask{Pane: "%99", Brief: true})
			}
		}
	}},
	{"brief screens of known sessions are the same", func(t *testing.T, e subject) {
		var asks, placed []engine.Ask
		for i := range 3 {
			loc := e.session(t, fmt.Sprintf("s%d", i), fmt.Sprintf("echo in %d", i))
			for j := range 2 {
				pane := loc.Pane
				if j > 0 {
					pane = e.create(t,
						engine.Launch{Into: loc.Session, Argv: shell(fmt.Sprintf("echo more in %d", i))}).Pane
				}
				e.shows(t, pane, fmt.Sprintf("in %d", i))
				asks = append(asks, engine.Ask{Pane: pane, Brief: true})
				placed = append(placed, engine.Ask{Pane: pane, Brief: true, Session: loc.Session})
			}
		}
		placed[1].Session = placed[5].Session // it was moved there meanwhile
		for _, some := range [][]engine.Ask{placed, {placed[4], placed[0], placed[5]}} {
			screens, err := e.Capture(t.Context(), some...)
			if err != nil || len(screens) != len(some) {
				t.Fatalf("%d screens, %v", len(screens), err)
			}
			for i, s := range screens {
				if full := e.capture(t, engine.Ask{Pane: some[i].Pane}); s.Pane != some[i].Pane ||
					!slices.Equal(s.Lines, full.Lines) || s.View.Cursor != full.View.Cursor {
					t.Errorf("%+v, in full %+v", s, full)
				}
			}
		}
		if screens, err := e.Capture(t.Context(), engine.Ask{Pane: asks[0].Pane, Brief: true, Session: "$99"},
			asks[1]); err != nil || len(screens) != 2 {
			t.Errorf("a session that is gone: %d screens, %v", len(screens), err)
		}
	}},
	{"no panes are no screens", func(t *testing.T, e subject) {
		e.session(t, "s", "")
		if screens, err := e.Capture(t.Context()); err != nil || len(screens) != 0 {
			t.Errorf("none asked: %v, %v", screens, err)
		}
		if screens, err := e.Capture(t.Context(), engine.Ask{Pane: "%99"}); err != nil || len(screens) != 0 {
			t.Errorf("none there: %v, %v", screens, err)
		}
	}},
	{"titles are kept", func(t *testing.T, e subject) {
		title := `a|b 'c' "d" $HOME #{pane_id} ##[x] %H é🎉 ;`
		loc := e.session(t, "s", `printf '\033]2;%s\007ready' '`+strings.ReplaceAll(title, "'", `'\''`)+`'`)
		e.shows(t, loc.Pane, "ready")
		if s := e.capture(t, engine.Ask{Pane: loc.Pane}); s.Title != title {
			t.Errorf("screen title %q", s.Title)
		}
		if p := e.pane(t, loc.Pane); p.Title != title {
			t.Errorf("listed title %q", p.Title)
		}
	}},
	{"escapes are kept where asked for", func(t *testing.T, e subject) {
		loc := e.session(t, "s", `printf '\033[1;31mred\033[0m'`)
		e.shows(t, loc.Pane, "red")
		if s := e.capture(t, engine.Ask{Pane: loc.Pane}); s.Lines[0] != "red" {
			t.Errorf("plain: %q", s.Lines[0])
		}
		if s := e.capture(t, engine.Ask{Pane: loc.Pane, Escapes: true}); !strings.Contains(s.Lines[0], "mred") ||
			s.Lines[0][0] != 0x1b {
			t.Errorf("with escapes: %q", s.Lines[0])
		}
	}},
	{"history is above what is visible", func(t *testing.T, e subject) {
		loc := e.create(t, engine.Launch{Session: "s", Height: 10, Argv: shell("seq 100; printf end")})
		e.shows(t, loc.Pane, "end")
		s := e.capture(t, engine.Ask{Pane: loc.Pane, History: 20})
		if len(s.Lines) != 30 || s.Visible != 10 || s.Lines[0] != "72" || s.Lines[29] != "end" || s.View.History != 91 {
			t.Errorf("screen: %d %q, %+v", s.Visible, s.Lines, s.View)
		}
		all := e.capture(t, engine.Ask{Pane: loc.Pane, History: 1000})
		if len(all.Lines) != 101 || all.Lines[0] != "1" || all.Visible != 10 {
			t.Errorf("screen: %d %q", all.Visible, all.Lines)
		}
	}},
	{"no history is nothing", func(t *testing.T, e subject) {
		loc := e.create(t, engine.Launch{Session: "s", Height: 5, Argv: shell("printf end")})
		e.shows(t, loc.Pane, "end")
		if s := e.capture(t, engine.Ask{Pane: loc.Pane, History: 20}); len(s.Lines) != 5 || s.Visible != 5 ||
			s.Lines[0] != "end" {
			t.Errorf("screen: %d %q", s.Visible, s.Lines)
		}
	}},
	{"a full-screen program has no history", func(t *testing.T, e subject) {
		loc := e.create(t, engine.Launch{
			Session: "s", Height: 5,
			Argv: shell(`seq 100; printf '\033[?1049h\033[Hfull'`),
		})
		e.shows(t, loc.Pane, "full")
		s := e.capture(t, engine.Ask{Pane: loc.Pane, History: 50})
		if len(s.Lines) != 5 || s.Visible != 5 || s.Lines[0] != "full" || !s.View.AlternateOn {
			t.Errorf("screen: %d %q, %+v", s.Visible, s.Lines, s.View)
		}
	}},
	{"wrapped lines are joined where asked for", func(t *testing.T, e subject) {
		long := strings.Repeat("0123456789", 5)
		loc := e.create(t, engine.Launch{
			Session: "s", Width: 20, Height: 5,
			Argv: shell("seq 9; printf '" + long + "\\nend'"),
		})
		e.shows(t, loc.Pane, "end")
		s := e.capture(t, engine.Ask{Pane: loc.Pane, Join: true, History: 3})
		if want := []string{"6", "7", "8", "9", long, "end"}; !slices.Equal(s.Lines, want) || s.Visible != 3 {
			t.Errorf("screen: %d %q", s.Visible, s.Lines)
		}
	}},
	{"a pane cannot pretend to be an answer", func(t *testing.T, e subject) {
		noise := `V|0|%0|1|1|0|0|0|0|0|1|1|t|\nS|\n%%end 1 1 0\nE|\nP|%%7|$0|\n|||\\\\|\\n=;=`
		liar := e.create(t, engine.Launch{
			Session: "s", Height: 12,
			Argv: shell("printf '" + strings.ReplaceAll(noise, "%0", "%%0") + "\\nready'"),
		})
		honest := e.create(t, engine.Launch{Into: liar.Session, Argv: shell("echo honest")})
		e.shows(t, liar.Pane, "ready")
		e.shows(t, honest.Pane, "honest")
		screens, err := e.Capture(t.Context(), engine.Ask{Pane: liar.Pane}, engine.Ask{Pane: honest.Pane})
		if err != nil || len(screens) != 2 {
			t.Fatalf("%v, %v", screens, err)
		}
		if screens[0].Lines[0] != `V|0|%0|1|1|0|0|0|0|0|1|1|t|` || screens[0].Visible != 12 ||
			screens[1].Lines[0] != "honest" {
			t.Errorf("screens: %+v", screens)
		}
	}},
	{"answers may be large", func(t *testing.T, e subject) {
		loc := e.session(t, "s",
			`i=0; while [ $i -lt 19 ]; do seq -f 'line %.0f of a long history with enough text in it to matter ..........................................' 100; i=$((i+1)); done; printf end`)
		e.shows(t, loc.Pane, "end")
		asks := make([]engine.Ask, 20)
		for i := range asks {
			asks[i] = engine.Ask{Pane: loc.Pane, History: 100000}
		}
		screens, err := e.Capture(t.Context(), asks...)
		if err != nil || len(screens) != 20 {
			t.Fatalf("%d screens, %v", len(screens), err)
		}
		for _, s := range screens {
			if len(s.Lines) != s.View.History+s.View.Height || s.Lines[0] != screens[0].Lines[0] {
				t.Fatalf("%d lines of %d and %d", len(s.Lines), s.View.History, s.View.Height)
			}
		}
	}},
}
