package overview

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/verb/registry"
	"cupola/core/verb/verbtest"
)

func TestResyncHoldsWatchedSessionOnly(t *testing.T) {
	whole := &core.Snapshot{Sessions: []core.Session{{Name: "api"}, {Name: "web"}}}
	event := core.Event{Type: core.Resynced, Snapshot: whole}
	if got := narrowed(event, "web").Snapshot.Sessions; len(got) != 1 || got[0].Name != "web" {
		t.Errorf("got %+v", got)
	}
	if got := narrowed(event, ""); got.Snapshot != whole || len(whole.Sessions) != 2 {
		t.Errorf("got %+v", got)
	}
	if got := narrowed(event, "none").Snapshot.Sessions; got == nil || len(got) != 0 {
		t.Errorf("got %+v", got)
	}
}

func TestEventsAreFilteredBySessionAndType(t *testing.T) {
	for _, test := range []struct {
		event core.Event
		in    watchIn
		want  bool
	}{
		{core.Event{Type: core.PaneClosed, Session: "api"}, watchIn{}, true},
		{
			core.Event{Type: core.PaneClosed, Session: "api"},
			watchIn{OfSession: registry.OfSession{Session: "web"}},
			false,
		},
		{core.Event{Type: core.EngineLost}, watchIn{OfSession: registry.OfSession{Session: "web"}}, true},
		{core.Event{Type: core.PaneClosed}, watchIn{Types: []string{"state_changed"}}, false},
		{core.Event{Type: core.Resynced}, watchIn{Types: []string{"state_changed"}}, true},
	} {
		if got := wanted(test.event, test.in); got != test.want {
			t.Errorf("%+v, %+v: %v", test.event, test.in, got)
		}
	}
	if err := checkTypes([]string{"state_changed", "resync"}); err != nil {
		t.Error(err)
	}
	if e := core.AsError(checkTypes([]string{"state_change"})); e == nil ||
		!slices.Contains(e.Suggestions, "state_changed") {
		t.Errorf("got %v", e)
	}
}

func TestOnlyGaplessEventsAreReported(t *testing.T) {
	for _, test := range []struct {
		on    []core.Revision
		since core.Revision
		want  string
	}{
		{nil, 0, "[]"},
		{[]core.Revision{1, 2, 3}, 0, "[1 2 3]"},
		{[]core.Revision{5, 6, 8, 9}, 4, "[5 6]"},
		{[]core.Revision{6, 7}, 4, "[]"},
		{[]core.Revision{1, 2, 3, 1, 2}, 0, "[1 2]"},
	} {
		var events []core.Event
		for _, revision := range test.on {
			events = append(events, core.Event{Revision: revision})
		}
		got := []core.Revision{}
		for _, e := range unbroken(events, test.since) {
			got = append(got, e.Revision)
		}
		if fmt.Sprint(got) != test.want {
			t.Errorf("%v after %d: %v, want %s", test.on, test.since, got, test.want)
		}
	}
}

// busy is a snapshot in which agents wait, one of them in a session with an
// awkward name.
func busy() *core.Snapshot {
	pane := func(session string, ordinal int, kind core.Kind, status core.Status) core.Pane {
		return core.Pane{
			ID: "%1", Session: session, Ordinal: ordinal, Agent: core.Agent{Kind: kind, Name: "cc_1"},
			Status: status,
		}
	}
	waiting := core.Status{
		State:  core.Waiting,
		Reason: core.ReasonApproval,
		Since:  verbtest.Noon.Add(-42 * time.Second),
	}
	longer := waiting
	longer.Since = verbtest.Noon.Add(-5 * time.Minute)
	return &core.Snapshot{
		Taken: verbtest.Noon, EngineUp: true, Alerts: []core.Alert{
			{Severity: core.SeverityWarning, Type: "waiting_approval", Subject: "api.2", Message: "a | b"},
			{Severity: core.SeverityInfo},
		},
		Sessions: []core.Session{
			{Name: "api", Panes: []core.Pane{
				pane("api", 0, "", core.Status{State: core.Waiting, Since: verbtest.Noon.Add(-time.Hour)}),
				pane("api", 1, "claude", core.Status{State: core.Working}), pane("api", 2, "claude", waiting),
			}},
			{
				Name: "feature/x y",
				Panes: []core.Pane{
					pane("feature/x y", 1, "codex", longer),
					pane("feature/x y", 2, "codex", core.Status{State: core.Errored}),
				},
			},
		},
	}
}

func TestTerseLineNamesLongestWaiting(t *testing.T) {
	want := "cupola/1 sessions=2 agents=4 working=1 waiting=2 idle=0 limited=0 error=1 starting=0 exited=0 unknown=0 " +
		"done=0 alerts=0c0e1w1i next=feature%2Fx%20y.1/waiting/approval/5m api=1/2 feature/x%20y=0/2"
	if got := terseLine(busy()); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	want = "cupola/1 sessions=0 agents=0 working=0 waiting=0 idle=0 limited=0 error=0 starting=0 exited=0 unknown=0 " +
		"done=0 alerts=0c0e0w0i next=-"
	if got := terseLine(&core.Snapshot{}); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestTheMarkdownPageHasTheSectionsAskedFor(t *testing.T) {
	for _, test := range []struct {
		in       markdownIn
		sections []string
	}{
		{markdownIn{}, []string{"Fleet", "Sessions", "Agents", "Alerts"}},
		{markdownIn{Compact: true}, []string{"Fleet", "Sessions", "Alerts"}},
		{markdownIn{Sections: []string{"agents"}}, []string{"Agents"}},
		{markdownIn{Sections: []string{"agents"}, Compact: true}, []string{"Agents"}},
	} {
		var sections []string
		for line := range strings.SplitSeq(markdownPage(busy(), test.in), "\n") {
			if title, ok := strings.CutPrefix(line, "## "); ok {
				sections = append(sections, title)
			}
		}
		if !slices.Equal(sections, test.sections) {
			t.Errorf("%+v: sections are %q", test.in, sections)
		}
	}
	page := markdownPage(busy(), markdownIn{MaxAlerts: 1})
	for _, line := range []string{
		"2 sessions, 4 agents, 1 working, 2 waiting, 1 error", "| feature/x y | 2 | 0 | 1 | 1 |",
		"| api.2 | cc_1 | claude | waiting (approval) | 42s |", "| warning | waiting_approval | api.2 | a \\| b |",
	} {
		if !slices.Contains(strings.Split(page, "\n"), line) {
			t.Errorf("%q is not in\n%s", line, page)
		}
	}
	if strings.Contains(page, "| info |") {
		t.Errorf("more alerts than asked for in\n%s", page)
	}
	if got := markdownPage(&core.Snapshot{}, markdownIn{}); !strings.Contains(got, "(no terminal server is running)") ||
		strings.Count(got, "none") != 2 {
		t.Errorf("of nothing:\n%s", got)
	}
}

func TestTheFileOfAMonitorHoldsTheLinesOfItsAnswer(t *testing.T) {
	file, err := os.Create(filepath.Join(t.TempDir(), "lines"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	emitted := 0
	emit := tee(func(any) error { emitted++; return nil }, file)
	if err := emit(monitorLine{Type: "pane", At: verbtest.Noon.Add(time.Millisecond)}); err != nil || emitted != 1 {
		t.Fatalf("%v, %d lines", err, emitted)
	}
	const want = `{"type":"pane","at":"2026-01-31T12:00:00Z","session":"","ordinal":0,"notes":[]}` + "\n"
	if got, err := os.ReadFile(file.Name()); err != nil || string(got) != want {
		t.Errorf("got %s (%v)", got, err)
	}
}

func TestStatusOfAFleet(t *testing.T) {
	out, err := verbtest.Call[statusOut](t, Verbs, &verbtest.Server{}, statusIn{Detail: registry.Detail{Verbose: true}})
	if err != nil {
		t.Fatal(err)
	}
	if !out.GeneratedAt.Equal(verbtest.Noon) || len(out.Sessions) != 2 || len(out.Panes) != 3 ||
		len(out.Details) != 3 || !out.System.EngineUp {
		t.Errorf("got %+v", out)
	}
	api := out.Sessions[0]
	if api.Name != "api" || api.Panes != 2 || api.Agents != 1 || api.Foreign || out.Sessions[1].Foreign != true ||
		!api.CreatedAt.Equal(verbtest.Noon.Add(-time.Hour)) {
		t.Errorf("got %+v", out.Sessions)
	}
	if row := out.Panes[1]; row.Agent != "st_1" || row.Kind != "stub" || row.Variant != "big" || row.Ordinal != 1 ||
		row.Pane != "%1" {
		t.Errorf("got %+v", row)
	}
	one, err := verbtest.Call[statusOut](
		t,
		Verbs,
		&verbtest.Server{},
		statusIn{Page: registry.Page{Limit: 1, Offset: 1}},
	)
	if err != nil || len(one.Panes) != 1 || one.Panes[0].Pane != "%1" || !one.Pagination.HasMore || one.Details != nil {
		t.Errorf("got %+v, %v", one, err)
	}
	if hints := one.Hints(); *hints.NextOffset != 2 || hints.Summary != "2 sessions, 1 agent" {
		t.Errorf("hints are %+v", hints)
	}
}

func TestStatusWithoutAServerIsEmpty(t *testing.T) {
	out, err := verbtest.Call[statusOut](t, Verbs, &verbtest.Server{Down: true}, statusIn{})
	if err != nil || out.System.EngineUp || out.Sessions == nil || out.Panes == nil || len(out.Panes) != 0 {
		t.Fatalf("got %+v, %v", out, err)
	}
	if next := out.Next(); len(next) != 1 || next[0].Action != "spawn" {
		t.Errorf("next is %+v", next)
	}
	for session, says := range map[string]string{
		"":    "No agents yet.",
		"api": "Nothing in api.",
	} {
		out.Filters.Session = session
		if got := out.Report().Blocks[0].Lines[0][0].Text; got != says {
			t.Errorf("%q: got %q", session, got)
		}
	}
}

func TestSnapshotKeepsTheSectionsAskedFor(t *testing.T) {
	out, err := verbtest.Call[snapshotOut](t, Verbs, &verbtest.Server{}, snapshotIn{Sections: []string{"panes"}})
	if err != nil || len(out.Sessions) != 0 || len(out.Panes) != 3 || len(out.Details) != 3 {
		t.Errorf("got %+v, %v", out, err)
	}
	out, err = verbtest.Call[snapshotOut](t, Verbs, &verbtest.Server{}, snapshotIn{Sections: []string{"sessions"}})
	if err != nil || len(out.Sessions) != 2 || len(out.Panes) != 0 {
		t.Errorf("got %+v, %v", out, err)
	}
}

func TestStatusIsTerseAndMarkdownAsThoseVerbsAre(t *testing.T) {
	out, err := verbtest.Call[statusOut](t, Verbs, &verbtest.Server{}, statusIn{})
	if err != nil {
		t.Fatal(err)
	}
	line, err := verbtest.Call[terseOut](t, Verbs, &verbtest.Server{}, terseIn{})
	if err != nil || out.Terse() != line.Terse() || !strings.HasPrefix(line.Line, "cupola/1 sessions=2 agents=1 ") {
		t.Errorf("got %q and %q, %v", out.Terse(), line.Line, err)
	}
	page, err := verbtest.Call[markdownOut](t, Verbs, &verbtest.Server{}, markdownIn{})
	if err != nil || out.Markdown() != page.Markdown() ||
		!strings.HasPrefix(page.Text, "## Fleet\n\n2 sessions, 1 agent") {
		t.Errorf("got\n%s\nand\n%s\n%v", out.Markdown(), page.Text, err)
	}
}

func TestSilentStatusIsReported(t *testing.T) {
	_, err := verbtest.Call[statusOut](t, Verbs, &verbtest.Server{Silent: true}, statusIn{})
	if e := core.AsError(err); !e.HasCode(core.EngineBusy) ||
		e.Error() != "the terminal server is not answering" || e.Hint == "" {
		t.Errorf("status: %+v", e)
	}
}
