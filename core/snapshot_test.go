package core_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"cupola/core"
)

func testSnapshot() *core.Snapshot {
	return &core.Snapshot{Sessions: []core.Session{
		{ID: "$0", Name: "api", Panes: []core.Pane{
			{
				ID: "%0", Session: "api", Ordinal: 1, Agent: core.Agent{Kind: "claude"},
				Status: core.Status{State: core.Working},
			},
			{ID: "%1", Session: "api", Ordinal: 2, Status: core.Status{State: core.Unknown}},
		}},
		{ID: "$1", Name: "web", Panes: []core.Pane{
			{
				ID: "%2", Session: "web", Ordinal: 1, Agent: core.Agent{Kind: "codex"},
				Status: core.Status{State: core.Waiting},
			},
			{
				ID: "%3", Session: "web", Ordinal: 2, Agent: core.Agent{Kind: "codex"},
				Status: core.Status{State: core.Waiting},
			},
		}},
	}}
}

func TestSnapshotFindsByNameAndID(t *testing.T) {
	s := testSnapshot()
	if s.Session("web") != &s.Sessions[1] || s.Session("$0") != &s.Sessions[0] || s.Session("we") != nil ||
		s.Session("") != nil {
		t.Error("a session is not found, or one is that is not there")
	}
	if s.Pane("%2") != &s.Sessions[1].Panes[0] || s.Pane("%9") != nil {
		t.Error("a pane is not found, or one is that is not there")
	}
	var names []string
	for _, pane := range s.Panes() {
		names = append(names, pane.Address())
	}
	if want := []string{"api.1", "api.2", "web.1", "web.2"}; !slices.Equal(names, want) {
		t.Errorf("panes are %q", names)
	}
	if agents := s.Sessions[0].Agents(); len(agents) != 1 || agents[0] != &s.Sessions[0].Panes[0] {
		t.Errorf("agents are %v", agents)
	}
}

func TestCountsCountStatesOfAgentsOnly(t *testing.T) {
	got := testSnapshot().Counts()
	if got.Sessions != 2 || got.Panes != 4 || got.Agents != 3 || got.ByState[core.Working] != 1 ||
		got.ByState[core.Waiting] != 2 || len(got.ByState) != 2 {
		t.Errorf("got %+v", got)
	}
	if got := (&core.Snapshot{}).Counts(); got.Agents != 0 || got.ByState == nil {
		t.Errorf("of nothing: %+v", got)
	}
}

func TestBottomLooksAtTheVisibleScreenOnly(t *testing.T) {
	screen := core.Screen{Lines: []string{"history", "", "one  ", "", "two\t", "   "}, Visible: 4}
	for n, want := range map[int][]string{0: nil, 1: {"two"}, 2: {"one", "two"}, 9: {"one", "two"}, -1: nil} {
		if got := screen.Bottom(n); !slices.Equal(got, want) {
			t.Errorf("Bottom(%d) = %q, want %q", n, got, want)
		}
	}
	if got := (&core.Screen{Lines: []string{"a"}, Visible: 5}).Bottom(3); !slices.Equal(got, []string{"a"}) {
		t.Errorf("of a screen shorter than it says: %q", got)
	}
	if got := screen.Text(); got != strings.Join(screen.Lines, "\n") {
		t.Errorf("text is %q", got)
	}
}

func TestStatusIsTheSameWhateverProvesIt(t *testing.T) {
	status := core.Status{State: core.Waiting, Reason: core.ReasonPlan, Notes: []core.Note{core.NoteDraft}}
	proven := status
	proven.Evidence = []string{"a rule"}
	if !status.Same(proven) {
		t.Error("evidence makes a difference")
	}
	for _, other := range []core.Status{
		{State: core.Working, Reason: core.ReasonPlan, Notes: status.Notes},
		{State: core.Waiting, Notes: status.Notes},
		{State: core.Waiting, Reason: core.ReasonPlan},
		{State: core.Waiting, Reason: core.ReasonPlan, Notes: []core.Note{core.NoteQueued}},
	} {
		if status.Same(other) {
			t.Errorf("%+v counts as the same", other)
		}
	}
}

func TestAnotherQuestionIsAskedOnlyWhereBothAreKnown(t *testing.T) {
	for _, test := range []struct {
		was, is string
		anew    bool
	}{{"ls", "ls", false}, {"ls", "rm", true}, {"", "rm", false}, {"ls", "", false}, {"", "", false}} {
		if got := (core.Status{Asks: test.is}).AsksAnew(core.Status{Asks: test.was}); got != test.anew {
			t.Errorf("%q after %q: anew is %v", test.is, test.was, got)
		}
	}
}

func TestAnAlertIsOpenUntilItIsResolvedOrDismissed(t *testing.T) {
	at := time.Unix(1, 0)
	for _, alert := range []core.Alert{{ResolvedAt: at}, {DismissedAt: at}, {ResolvedAt: at, DismissedAt: at}} {
		if alert.Open() {
			t.Errorf("%+v is open", alert)
		}
	}
	if !(&core.Alert{FirstSeen: at}).Open() {
		t.Error("a fresh alert is not open")
	}
}

func TestEveryReasonBelongsToOneState(t *testing.T) {
	seen := map[core.Reason]core.State{}
	for _, state := range core.States {
		for _, reason := range core.ReasonsOf(state) {
			// A set-up runs before an agent starts, and ends it where it fails.
			if other, taken := seen[reason]; taken && reason != core.ReasonSetup {
				t.Errorf("%s is a reason of %s and of %s", reason, other, state)
			}
			seen[reason] = state
		}
	}
	if len(seen) != 21 || len(core.States) != 8 {
		t.Errorf("%d reasons of %d states", len(seen), len(core.States))
	}
}

func TestAlertsAreCountedBySeverity(t *testing.T) {
	got := core.CountAlerts([]core.Alert{
		{Severity: core.SeverityCritical},
		{Severity: core.SeverityError},
		{Severity: core.SeverityError},
		{Severity: core.SeverityWarning},
		{Severity: core.SeverityInfo},
		{},
	})
	if want := (core.AlertCounts{Critical: 1, Error: 2, Warning: 1, Info: 1}); got != want {
		t.Errorf("got %+v", got)
	}
}

func TestEveryReasonToWaitHasWords(t *testing.T) {
	seen := map[string]core.Reason{}
	for _, reason := range append([]core.Reason{""}, core.ReasonsOf(core.Waiting)...) {
		words := reason.Awaited()
		if other, twice := seen[words]; twice {
			t.Errorf("%q and %q both wait for %s", reason, other, words)
		}
		seen[words] = reason
	}
}
