package enginetest

import (
	"testing"

	"cupola/core"
	"cupola/core/engine"
)

// only returns the focus of a caller that learns of other panes by another way.
func only(panes ...core.PaneID) engine.Focus { return engine.Focus{Only: true, Visible: panes} }

var feedingOnly = []promise{
	{"what is visible is reported whatever else prints", func(t *testing.T, e subject) {
		seen, unseen := e.session(t, "s", ""), e.session(t, "u", "")
		feed := e.watch(t, only(seen.Pane))
		next(t, feed, isFirst)
		for range 3 {
			write(t, e.pane(t, unseen.Pane), "x")
			write(t, e.pane(t, seen.Pane), "x")
			next(t, feed, dirty(seen.Pane))
		}
	}},
	{"what is not visible is reported in the end", func(t *testing.T, e subject) {
		seen, unseen := e.session(t, "s", ""), e.session(t, "u", "")
		feed := e.watch(t, only(seen.Pane))
		next(t, feed, isFirst)
		write(t, e.pane(t, unseen.Pane), "x")
		next(t, feed, dirty(unseen.Pane))
		if err := e.KillSession(t.Context(), unseen.Session); err != nil {
			t.Fatal(err)
		}
		next(t, feed, func(c engine.Change) bool { return structural(c) && len(c.Listing.Sessions) == 1 })
	}},
	{"a pane that was made since is looked at once it is visible", func(t *testing.T, e subject) {
		first := e.session(t, "s", "")
		feed := e.watch(t, only(first.Pane))
		next(t, feed, isFirst)
		second := e.create(t, engine.Launch{Into: first.Session, Argv: shell("")})
		feed.SetFocus(only(second.Pane))
		if c := next(t, feed, dirty(second.Pane)); !c.Structural {
			t.Errorf("%+v", c)
		}
		write(t, e.pane(t, second.Pane), "x")
		next(t, feed, dirty(second.Pane))
	}},
	{"a visible pane that goes does not hide the others", func(t *testing.T, e subject) {
		stays := e.session(t, "s", "")
		goes := e.create(t, engine.Launch{Into: stays.Session, Argv: shell("")})
		feed := e.watch(t, only(goes.Pane, "%99", stays.Pane))
		next(t, feed, isFirst)
		if err := e.KillPane(t.Context(), goes.Pane); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			write(t, e.pane(t, stays.Pane), "x")
			next(t, feed, dirty(stays.Pane))
		}
	}},
	{"no repaint is missed", func(t *testing.T, e subject) { repaints(t, e, "", only) }},
	{"no repaint of a full screen is missed", func(t *testing.T, e subject) { repaints(t, e, "\x1b[?1049h", only) }},
}
