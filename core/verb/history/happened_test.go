package history

import (
	"strings"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/fleet/worklog"
	"cupola/core/record/timesheet"
	"cupola/core/verb"
	"cupola/core/verb/registry"
	"cupola/core/verb/verbtest"
)

func TestAPageOfADiffIsOneOfEachList(t *testing.T) {
	out := changes{
		Prompts: []promptRow{{ID: "1"}, {ID: "2"}, {ID: "3"}}, Alerts: []alertEdge{{ID: "a"}, {ID: "b"}},
		Changes: []changeRow{{To: "x"}},
	}
	out.cut(registry.Page{Limit: 1, Offset: 1})
	want := verb.Pagination{Limit: 1, Offset: 1, Count: 1, Total: 3, HasMore: true, NextCursor: "2"}
	if len(out.Prompts) != 1 || out.Prompts[0].ID != "2" || len(out.Alerts) != 1 || out.Alerts[0].ID != "b" ||
		len(out.Changes) != 0 || out.Pagination != want {
		t.Errorf("got %+v", out)
	}
}

func TestGapsMakeAnswersIncomplete(t *testing.T) {
	start := verbtest.Noon.Add(-time.Hour)
	event := func(after time.Duration, from, to core.State) core.Event {
		return core.Event{
			Type: core.StateChanged, At: start.Add(after), PaneID: "%1", Session: "api", Pane: "api.1",
			Agent: "cc_1", Kind: "claude", From: string(from), To: string(to),
		}
	}
	events := []core.Event{
		{Type: core.KeeperChanged, At: start},
		event(10*time.Second, core.Idle, core.Working), event(20*time.Second, core.Working, core.Waiting),
		event(30*time.Second, core.Waiting, core.Working), event(40*time.Second, core.Working, core.Idle),
	}
	for name, test := range map[string]struct {
		events   []core.Event
		turns    int
		waiting  float64
		sentence string
	}{
		"a turn with a question is one": {
			events, 1, 10,
			"cc_1 worked 20s in 1 turn and waited 10s for you; it is gone.",
		},
		"nothing": {events[:1], 0, 0, "cc_1 did nothing that is on record; it is gone."},
	} {
		h := &happened{
			since: start, from: start, to: verbtest.Noon, snap: &core.Snapshot{}, events: test.events,
			work: &worklog.Work{}, spans: timesheet.Of(test.events, verbtest.Noon, true),
		}
		a := newTally(h).agent("api", "api.1", "cc_1")
		if got := a.sentence(true); int(a.Turns) != test.turns || float64(a.WaitingS) != test.waiting ||
			got != test.sentence {
			t.Errorf("%s: %+v, %s", name, a, got)
		}
	}
	unseen := agentWork{Agent: "cc_1", State: "idle", workCounts: workCounts{Answers: 2, AlertsRaised: 1}, WorkingS: 3}
	if got, want := unseen.sentence(false),
		"cc_1 was answered twice, worked at least 3s and raised at least 1 alert; it is idle now."; got != want {
		t.Errorf("said %q, want %q", got, want)
	}
	h := happened{from: start, gaps: []gapRow{{From: start, To: start.Add(time.Minute)}}}
	if h.sees(time.Time{}) || h.sees(start.Add(time.Second)) || h.sees(start.Add(-time.Second)) ||
		!h.sees(start.Add(2*time.Minute)) {
		t.Error("an agent that was started after the last gap alone was seen whole")
	}
	unseen.admit()
	if unseen.Turns != -1 || unseen.WaitingS != -1 || unseen.WorkingS != 3 {
		t.Errorf("%+v", unseen)
	}
}

func TestUndeliveredPromptsDoNotCount(t *testing.T) {
	a := agentWork{workCounts: workCounts{Prompts: 4, PromptsFailed: 1}}
	if got, want := a.sentence(true), "took 3 prompts (1 more not delivered)"; !strings.Contains(got, want) {
		t.Errorf("said %q, want %q", got, want)
	}
}
