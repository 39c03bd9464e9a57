package enginetest

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"cupola/core/engine"
)

var changing = []promise{
	{"panes and sessions are killed", func(t *testing.T, e subject) {
		first := e.session(t, "a", "")
		second := e.create(t, engine.Launch{Into: first.Session, Argv: shell("")})
		other := e.session(t, "b", "")
		if err := e.KillPane(t.Context(), second.Pane); err != nil {
			t.Error(err)
		}
		if l := e.list(t); len(l.Panes) != 2 {
			t.Errorf("panes: %+v", l.Panes)
		}
		if err := e.KillSession(t.Context(), first.Session); err != nil {
			t.Error(err)
		}
		if l := e.list(t); len(l.Sessions) != 1 || l.Sessions[0].ID != other.Session {
			t.Errorf("sessions: %+v", l.Sessions)
		}
	}},
	{"what is gone is named", func(t *testing.T, e subject) {
		e.session(t, "s", "")
		for _, id := range []string{"99", ""} {
			if err := e.KillSession(t.Context(), "$99"); !errors.Is(err, engine.ErrNoSession) {
				t.Errorf("KillSession %q: %v", id, err)
			}
		}
		for name, err := range map[string]error{
			"KillPane":      e.KillPane(t.Context(), "%99"),
			"KillPane \"\"": e.KillPane(t.Context(), ""),
			"Resize":        e.Resize(t.Context(), "%99", 80, 24),
			"Tag":           e.Tag(t.Context(), engine.Tag{Pane: "%99", Name: engine.TagKind, Value: "x"}),
		} {
			if !errors.Is(err, engine.ErrNoPane) {
				t.Errorf("%s: %v", name, err)
			}
		}
		for name, err := range map[string]error{
			"KillSession \"\"": e.KillSession(t.Context(), ""),
			"KillSession name": e.KillSession(t.Context(), "s"),
			"Rename":           e.Rename(t.Context(), "$99", "x"),
			"Tag":              e.Tag(t.Context(), engine.Tag{Session: "$99", Name: engine.TagOrigin, Value: "x"}),
		} {
			if !errors.Is(err, engine.ErrNoSession) {
				t.Errorf("%s: %v", name, err)
			}
		}
		if l := e.list(t); len(l.Sessions) != 1 {
			t.Errorf("sessions: %+v", l.Sessions)
		}
	}},
	{"a session is renamed", func(t *testing.T, e subject) {
		loc := e.session(t, "a", "")
		e.session(t, "b", "")
		for _, name := range []string{"x y", "#{pane_id}", "##[x]", "é🎉", "x;y"} {
			if err := e.Rename(t.Context(), loc.Session, name); err != nil {
				t.Errorf("%q: %v", name, err)
			}
			if l := e.list(t); !slices.ContainsFunc(l.Sessions,
				func(s engine.Session) bool { return s.ID == loc.Session && s.Name == name }) {
				t.Errorf("%q: %+v", name, l.Sessions)
			}
		}
		if err := e.Rename(t.Context(), loc.Session, "b"); !errors.Is(err, engine.ErrDuplicate) {
			t.Errorf("taken name: %v", err)
		}
		for _, name := range []string{"a.b", "a:b", "", "-x", `a\b`} {
			if err := e.Rename(t.Context(), loc.Session, name); err == nil {
				t.Errorf("%q is taken", name)
			}
		}
	}},
	{"a window is resized", func(t *testing.T, e subject) {
		loc := e.session(t, "s", "")
		if err := e.Resize(t.Context(), loc.Pane, 123, 45); err != nil {
			t.Fatal(err)
		}
		if v := e.pane(t, loc.Pane).View; v.Width != 123 || v.Height != 45 {
			t.Errorf("view: %+v", v)
		}
	}},
	{"attaching names the session", func(t *testing.T, e subject) {
		loc := e.session(t, "s", "")
		if argv := e.Attach(loc.Session, loc.Pane); len(argv) == 0 ||
			!strings.Contains(strings.Join(argv, " "), string(loc.Session)) {
			t.Errorf("argv: %q", argv)
		}
	}},
}
