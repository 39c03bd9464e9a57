package overview

import (
	"testing"
	"time"

	"cupola/core"
	"cupola/core/verb"
	"cupola/core/verb/verbtest"
)

func TestAGapBetweenRevisionsIsSeen(t *testing.T) {
	event := func(revision core.Revision, kind core.EventType) core.Event {
		return core.Event{Revision: revision, Type: kind}
	}
	for name, c := range map[string]struct {
		from, to core.Revision
		events   []core.Event
		whole    bool
	}{
		"nothing happened":     {7, 7, nil, true},
		"one after another":    {7, 9, []core.Event{event(8, core.PaneOpened), event(9, core.StateChanged)}, true},
		"two at once":          {7, 8, []core.Event{event(8, core.PaneOpened), event(8, core.StateChanged)}, true},
		"the first is missing": {7, 9, []core.Event{event(9, core.StateChanged)}, false},
		"the last is missing":  {7, 9, []core.Event{event(8, core.StateChanged)}, false},
		"one between is missing": {
			7, 10,
			[]core.Event{event(8, core.StateChanged), event(10, core.StateChanged)},
			false,
		},
		"a resync": {7, 8, []core.Event{event(8, core.Resynced)}, false},
	} {
		if gap := gapBetween(c.from, c.to, c.events); (gap == "") != c.whole {
			t.Errorf("%s: %q", name, gap)
		}
	}
}

func TestOnlyWhatChangedStays(t *testing.T) {
	changed := changes{events: []core.Event{
		{Type: core.StateChanged, Session: "api", PaneID: "%1"},
		{Type: core.SessionRenamed, Session: "old", To: "new"},
		{Type: core.AlertRaised, Session: "api", Alert: &core.Alert{ID: "a"}},
	}}
	out := snapshotOut{
		Panes:    []verb.PaneRow{{PaneRef: core.PaneRef{Pane: "%1"}}, {PaneRef: core.PaneRef{Pane: "%2"}}},
		Details:  []verb.PaneDetail{{Pane: "%1"}, {Pane: "%2"}},
		Sessions: []verb.SessionRow{{Name: "api"}, {Name: "new"}, {Name: "web"}},
		Alerts: alertRows([]core.Alert{
			{ID: "a", LastSeen: verbtest.Noon},
			{ID: "b", LastSeen: verbtest.Noon},
			{ID: "c", LastSeen: verbtest.Noon.Add(-time.Hour)},
		}),
	}
	byRevision := out
	byRevision.Alerts = append([]alertRow{}, out.Alerts...)
	changed.only(&out.Sessions, &out.Panes, &out.Details, &out.Alerts, verbtest.Noon.Add(-time.Minute))
	if len(out.Panes) != 1 || len(out.Details) != 1 || len(out.Sessions) != 2 || out.Sessions[1].Name != "new" ||
		len(out.Alerts) != 2 {
		t.Errorf("got %+v", out)
	}
	changed.only(&byRevision.Sessions, &byRevision.Panes, &byRevision.Details, &byRevision.Alerts, time.Time{})
	if len(byRevision.Alerts) != 1 || byRevision.Alerts[0].ID != "a" {
		t.Errorf("got %+v", byRevision.Alerts)
	}
	if rows := changed.rows(); len(rows) != 3 || rows[1].To != "new" {
		t.Errorf("got %+v", rows)
	}
}
