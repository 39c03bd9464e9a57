package enginetest

import (
	"maps"
	"strings"
	"testing"

	"cupola/core/engine"
)

var tagging = []promise{
	{"any value is kept", func(t *testing.T, e subject) {
		loc := e.session(t, "s", "")
		for name, value := range texts {
			if len(value) > 200_000 {
				continue
			}
			err := e.Tag(t.Context(),
				engine.Tag{Pane: loc.Pane, Name: engine.TagMissed, Value: value},
				engine.Tag{Session: loc.Session, Name: engine.TagOrigin, Value: value})
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			l := e.list(t)
			if p, s := l.Panes[0].Tags[engine.TagMissed], l.Sessions[0].Tags[engine.TagOrigin]; p != value ||
				s != value {
				t.Errorf("%s: %.100q and %.100q, want %.100q", name, p, s, value)
			}
		}
	}},
	{"every tag has a place, and an empty value removes it", func(t *testing.T, e subject) {
		loc := e.session(t, "s", "")
		var set, unset []engine.Tag
		for _, name := range engine.PaneTags {
			set = append(set, engine.Tag{Pane: loc.Pane, Name: name, Value: "p " + name})
			unset = append(unset, engine.Tag{Pane: loc.Pane, Name: name})
		}
		for _, name := range engine.SessionTags {
			set = append(set, engine.Tag{Session: loc.Session, Name: name, Value: "s " + name})
			unset = append(unset, engine.Tag{Session: loc.Session, Name: name})
		}
		if err := e.Tag(t.Context(), set...); err != nil {
			t.Fatal(err)
		}
		l := e.list(t)
		for _, tag := range set {
			got := l.Panes[0].Tags
			if tag.Pane == "" {
				got = l.Sessions[0].Tags
			}
			if got[tag.Name] != tag.Value {
				t.Errorf("%s: %q", tag.Name, got[tag.Name])
			}
		}
		if err := e.Tag(t.Context(), unset...); err != nil {
			t.Fatal(err)
		}
		if l := e.list(t); len(l.Panes[0].Tags) != 0 || len(l.Sessions[0].Tags) != 0 {
			t.Errorf("left: %q %q", l.Panes[0].Tags, l.Sessions[0].Tags)
		}
		if err := e.Tag(t.Context()); err != nil {
			t.Errorf("no tags: %v", err)
		}
	}},
	{"hundreds of tags are set at once", func(t *testing.T, e subject) {
		loc := e.session(t, "s", "")
		var tags []engine.Tag
		for range 300 {
			tags = append(tags,
				engine.Tag{Pane: loc.Pane, Name: engine.TagMissed, Value: strings.Repeat("long; ", 20)})
		}
		tags = append(tags, engine.Tag{Pane: loc.Pane, Name: engine.TagKind, Value: "last"})
		if err := e.Tag(t.Context(), tags...); err != nil {
			t.Fatal(err)
		}
		if got := e.pane(t, loc.Pane).Tags[engine.TagKind]; got != "last" {
			t.Errorf("got %q", got)
		}
	}},
	{"tags stay where they were set", func(t *testing.T, e subject) {
		first := e.session(t, "a", "")
		split := e.create(t, engine.Launch{Into: first.Session, Split: first.Window, Argv: shell("")})
		e.session(t, "b", "")
		err := e.Tag(t.Context(),
			engine.Tag{Session: first.Session, Name: engine.TagNext, Value: "3"},
			engine.Tag{Pane: first.Pane, Name: engine.TagKind, Value: "kind-a"})
		if err != nil {
			t.Fatal(err)
		}
		l := e.list(t)
		for _, p := range l.Panes {
			want := map[string]string{}
			if p.ID == first.Pane {
				want[engine.TagKind] = "kind-a"
			}
			if !maps.Equal(p.Tags, want) {
				t.Errorf("pane %s (split %s): %q", p.ID, split.Pane, p.Tags)
			}
		}
		for _, s := range l.Sessions {
			if want := s.ID == first.Session; (s.Tags[engine.TagNext] == "3") != want || len(s.Tags) > 1 {
				t.Errorf("session %s: %q", s.Name, s.Tags)
			}
		}
	}},
	{"a tag that is not read is refused", func(t *testing.T, e subject) {
		loc := e.session(t, "s", "")
		for _, tag := range []engine.Tag{
			{Pane: loc.Pane, Name: "other", Value: "x"},
			{Pane: loc.Pane, Name: engine.TagOrigin, Value: "x"},
			{Session: loc.Session, Name: engine.TagKind, Value: "x"},
		} {
			if err := e.Tag(t.Context(), tag); err == nil {
				t.Errorf("%+v is set", tag)
			}
		}
	}},
}
