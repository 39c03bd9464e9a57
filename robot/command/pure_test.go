package command

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"cupola/core"
	"cupola/core/bridge"
	"cupola/core/fleet/lifecycle"
	"cupola/core/fleet/worklog"
	"cupola/core/report"
	"cupola/core/timesheet"
	"cupola/robot/registry"
)

func TestPagesCutAndSayWhatIsLeft(t *testing.T) {
	rows := []int{1, 2, 3, 4, 5}
	for _, test := range []struct {
		page registry.Page
		rows []int
		want pagination
	}{
		{registry.Page{}, rows, pagination{Count: 5, Total: 5}},
		{
			registry.Page{Limit: 2},
			[]int{1, 2},
			pagination{Limit: 2, Count: 2, Total: 5, HasMore: true, NextCursor: "2"},
		},
		{registry.Page{Limit: 2, Offset: 4}, []int{5}, pagination{Limit: 2, Offset: 4, Count: 1, Total: 5}},
		{registry.Page{Limit: 2, Offset: 3}, []int{4, 5}, pagination{Limit: 2, Offset: 3, Count: 2, Total: 5}},
		{registry.Page{Offset: 9}, []int{}, pagination{Offset: 9, Total: 5}},
	} {
		got, p := cut(rows, test.page)
		if !slices.Equal(got, test.rows) || got == nil || p.Pagination != test.want {
			t.Errorf("%+v: got %v, %+v", test.page, got, p)
		}
	}
}

func TestPageHintsCountThePagesThatRemain(t *testing.T) {
	if got := pageHints(pagination{Count: 5, Total: 5}); !got.Empty() {
		t.Errorf("the last page has hints: %+v", got)
	}
	_, p := cut([]int{1, 2, 3, 4, 5}, registry.Page{Limit: 2})
	if got := pageHints(p.Pagination); *got.NextOffset != 2 || *got.PagesRemaining != 2 {
		t.Errorf("next %d, remaining %d", *got.NextOffset, *got.PagesRemaining)
	}
}

func TestAPageOfADiffIsOneOfEachList(t *testing.T) {
	out := diffOut{
		Prompts: []promptRow{{ID: "1"}, {ID: "2"}, {ID: "3"}}, Alerts: []alertEdge{{ID: "a"}, {ID: "b"}},
		Changes: []changeRow{{To: "x"}},
	}
	out.cut(registry.Page{Limit: 1, Offset: 1})
	want := pagination{Limit: 1, Offset: 1, Count: 1, Total: 3, HasMore: true, NextCursor: "2"}
	if len(out.Prompts) != 1 || out.Prompts[0].ID != "2" || len(out.Alerts) != 1 || out.Alerts[0].ID != "b" ||
		len(out.Changes) != 0 || out.Pagination != want {
		t.Errorf("got %+v", out)
	}
}

func TestAgeIsInLargestFittingUnit(t *testing.T) {
	for ago, want := range map[time.Duration]string{
		0: "0s", 59 * time.Second: "59s", time.Minute: "1m", 59 * time.Minute: "59m", 47 * time.Hour: "47h",
		48 * time.Hour: "2d", -time.Second: "0s",
	} {
		if got := report.Age(noon.Add(-ago), noon); got != want {
			t.Errorf("%v: got %s, want %s", ago, got, want)
		}
	}
	if got := report.Age(time.Time{}, noon); got != "" {
		t.Errorf("of no time: %s", got)
	}
}

func TestThingsAreCountedInWords(t *testing.T) {
	for want, n := range map[string]int{"1 agent": 1, "0 agents": 0, "3 agents": 3} {
		if got := plural(n, "agent"); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	if got := plural(2, "process"); got != "2 processes" {
		t.Errorf("got %s", got)
	}
}

func TestAgentCountsAreReadFromEveryFlag(t *testing.T) {
	for _, text := range []string{"claude:=1", "=2", ":opus", "claude:"} {
		if got, err := (launch{Agents: []string{text}}).counts(); !core.AsError(err).HasCode(core.InvalidInput) {
			t.Errorf("%s: got %v, %v", text, got, err)
		}
	}
	got, err := launch{SpawnCC: 2, SpawnOC: 1, Agents: []string{"codex", "claude:opus=3"}}.counts()
	want := []lifecycle.AgentCount{
		{Kind: "cc", Count: 2},
		{Kind: "oc", Count: 1},
		{Kind: "codex", Count: 1},
		{Kind: "claude", Model: "opus", Count: 3},
	}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("got %+v, %v", got, err)
	}
	for _, text := range []string{"claude=", "claude=0", "claude=51", "claude=x", "claude=-1"} {
		if _, err := (launch{Agents: []string{text}}).counts(); core.AsError(err) == nil ||
			core.AsError(err).Code != core.InvalidInput {
			t.Errorf("%s: got %v", text, err)
		}
	}
}

func TestMessagesComeFromOnePlace(t *testing.T) {
	path := filepath.Join(t.TempDir(), "prompt")
	if err := os.WriteFile(path, []byte("from a file\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	env := &Env{Caller: registry.Caller{
		Stdin: func() (string, error) { return "from standard input", nil },
	}}
	for _, test := range []struct{ msg, file, want string }{
		{"text", "", "text"},
		{"", path, "from a file\n"},
		{"-", "", "from standard input"},
		{"", "-", "from standard input"},
	} {
		if got, err := message(env, test.msg, test.file); err != nil || got != test.want {
			t.Errorf("%+v: got %q, %v", test, got, err)
		}
	}
	env.Stdin = func() (string, error) { return "", core.Errorf(core.IOError, "closed") }
	for _, test := range []struct {
		msg, file string
		code      core.Code
	}{
		{"", "", core.MissingRequired},
		{"", path + ".none", core.InvalidInput},
		{"", filepath.Dir(path), core.IOError},
		{"-", "", core.IOError},
	} {
		if _, err := message(env, test.msg, test.file); core.AsError(err) == nil ||
			core.AsError(err).Code != test.code {
			t.Errorf("%+v: got %v", test, err)
		}
	}
}

func TestPromptFromTwoSourcesIsRefused(t *testing.T) {
	for _, in := range []sendIn{
		{Msg: "text", sending: sending{MsgFile: "prompt"}},
		{Msg: "text", sending: sending{Palette: "a"}},
		{sending: sending{MsgFile: "prompt", Palette: "a"}},
		{Msg: "text", sending: sending{Wait: true, NoEnter: true}},
	} {
		in.Session, in.When = "api", "ready"
		if err := send.Check(in); !core.AsError(err).HasCode(core.InvalidFlag) {
			t.Errorf("%+v: got %v", in, err)
		}
	}
}

func TestConsentOfPeopleAndPrograms(t *testing.T) {
	asking := func(yes bool, err error) *Env {
		return &Env{Caller: registry.Caller{Confirm: func(string) (bool, error) { return yes, err }}}
	}
	for _, test := range []struct {
		why   string
		env   *Env
		given registry.Consent
		code  core.Code // empty if it may go on
	}{
		{"a program that says yes", &Env{}, registry.Consent{Yes: true}, ""},
		{"a program that forces", &Env{}, registry.Consent{Force: true}, ""},
		{
			"a program that says nothing", &Env{Caller: registry.Caller{Catalog: Catalog()}},
			registry.Consent{},
			core.MissingRequired,
		},
		{"a person who agrees", asking(true, nil), registry.Consent{}, ""},
		{"a person who does not", asking(false, nil), registry.Consent{}, core.Cancelled},
		{
			"a person who leaves", asking(true, core.Errorf(core.Cancelled, "interrupted")),
			registry.Consent{},
			core.Cancelled,
		},
		{"a person who said so before", asking(false, nil), registry.Consent{Yes: true}, ""},
	} {
		in := killIn{InSession: registry.InSession{Session: "api"}, Consent: test.given}
		e := core.AsError(permission{verb: "kill", in: in, given: in.Given()}.ask(test.env, "End it?"))
		if (e == nil) != (test.code == "") || e != nil && e.Code != test.code {
			t.Errorf("%s: got %v", test.why, e)
		}
		if want := "kill needs --yes to end it"; test.code == core.MissingRequired && e.Message != want {
			t.Errorf("%s: said %q, want %q", test.why, e.Message, want)
		}
		if want := []string{"cupola kill api --dry-run", "cupola kill api --yes"}; test.code == core.MissingRequired &&
			!slices.Equal(e.Actions, want) {
			t.Errorf("%s: actions %q, want %q", test.why, e.Actions, want)
		}
	}
}

func TestDestructiveToolsNeedConsent(t *testing.T) {
	known := bridge.Open(fstest.MapFS{"vault.toml": {Data: []byte(`
gives = "keeps secrets"
[action.purge]
short = "Delete a secret"
effect = "destroys"
takes = ["id"]
argument = "id"
argv = [["purge", "{id}"]]
map = "{}"
example = [{ id = "old" }]
`)}}, exec.LookPath)
	catalog := CatalogOf(known)
	verb := catalog.Find("vault-purge")
	in, err := registry.Fill(verb, map[string]any{"id": "my key"})
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		why  string
		env  *Env
		code core.Code
	}{
		{
			"a program that says nothing", &Env{Caller: registry.Caller{Catalog: catalog}, Bridges: known},
			core.MissingRequired,
		},
		{
			"a person who does not agree",
			&Env{Bridges: known, Caller: registry.Caller{Confirm: func(string) (bool, error) { return false, nil }}},
			core.Cancelled,
		},
		{
			"a person who agrees",
			&Env{
				Bridges: known,
				Caller: registry.Caller{
					Confirm: func(asked string) (bool, error) { return asked == "Delete a secret?", nil },
				},
			},
			core.ToolNotFound,
		},
	} {
		_, err := verb.Call(t.Context(), test.env, in, nil)
		if !core.AsError(err).HasCode(test.code) {
			t.Errorf("%s: got %v", test.why, err)
		}
		if want := []string{"cupola vault-purge --id='my key' --yes"}; test.code == core.MissingRequired &&
			!slices.Equal(core.AsError(err).Actions, want) {
			t.Errorf("actions %q, want %q", core.AsError(err).Actions, want)
		}
	}
}

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
	waiting := core.Status{State: core.Waiting, Reason: core.ReasonApproval, Since: noon.Add(-42 * time.Second)}
	longer := waiting
	longer.Since = noon.Add(-5 * time.Minute)
	return &core.Snapshot{
		Taken: noon, EngineUp: true, Alerts: []core.Alert{
			{Severity: core.SeverityWarning, Type: "waiting_approval", Subject: "api.2", Message: "a | b"},
			{Severity: core.SeverityInfo},
		},
		Sessions: []core.Session{
			{Name: "api", Panes: []core.Pane{
				pane("api", 0, "", core.Status{State: core.Waiting, Since: noon.Add(-time.Hour)}),
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
		"alerts=0c0e1w1i next=feature%2Fx%20y.1/waiting/approval/5m api=1/2 feature/x%20y=0/2"
	if got := terseLine(busy()); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	want = "cupola/1 sessions=0 agents=0 working=0 waiting=0 idle=0 limited=0 error=0 starting=0 exited=0 unknown=0 " +
		"alerts=0c0e0w0i next=-"
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

func TestDeliveriesAreCountedByOutcome(t *testing.T) {
	deliveries := []deliveryRow{
		{Result: core.Result{Outcome: core.Delivered}},
		{Result: core.Result{Outcome: core.Queued}},
		{Result: core.Result{Outcome: core.Steered}},
		{Result: core.Result{Outcome: core.Refused}},
		{Result: core.Result{Outcome: core.Planned}},
	}
	if got := countDeliveries(deliveries); got != (sendSummary{
		Panes: 5, Delivered: 1, Queued: 1, Steered: 1, Failed: 1,
		Planned: 1,
	}) {
		t.Errorf("got %+v", got)
	}
	rows := (sendOut{Deliveries: deliveries}).Report().Blocks[0].Table.Rows
	for i, want := range []report.Tone{report.Good, report.Good, report.Good, report.Bad, report.Warn} {
		if got := rows[i][2].Tone; got != want {
			t.Errorf("%s is shown as %q", deliveries[i].Outcome, got)
		}
	}
	if next := (sendOut{DryRun: true}).Next(); next != nil {
		t.Errorf("next is %+v", next)
	}
}

func TestLaunchReportsReadyAgents(t *testing.T) {
	made := &lifecycle.Launches{Session: "my api", ID: "$7", Dir: "/src", Panes: []lifecycle.Launched{
		{
			PaneRef: core.PaneRef{Session: "my api", Ordinal: 0}, Start: lifecycle.Start{Command: "bash"},
			Status: core.Status{State: core.Unknown},
		},
		{
			PaneRef: core.PaneRef{Session: "my api", Ordinal: 1, Agent: "cc_1", Kind: "claude"},
			Status:  core.Status{State: core.Idle}, Start: lifecycle.Start{Ready: true},
			Delivery: &core.Delivery{Result: core.Result{Outcome: core.Delivered}},
		},
		{
			PaneRef: core.PaneRef{Session: "my api", Ordinal: 2, Agent: "cc_2", Kind: "claude"},
			Status:  core.Status{State: core.Waiting, Reason: core.ReasonLogin},
			Start:   lifecycle.Start{Screen: "Log in"},
		},
	}}
	out := launched("Started", made, false)
	if out.Session != "my api" || out.ID != "$7" || out.Panes[1].Delivery != "delivered" || !out.Panes[1].Ready ||
		out.Panes[2].Screen != "Log in" || out.Panes[2].Reason != "login" {
		t.Errorf("got %+v", out)
	}
	if got := out.Hints().Summary; got != "Started 3 panes in my api" {
		t.Errorf("the summary is %q", got)
	}
	for _, next := range out.Next() {
		if !strings.Contains(next.Command, "'my api'") {
			t.Errorf("the next action is %q", next.Command)
		}
	}
	r := out.Report()
	var states []string
	for _, row := range r.Blocks[1].Table.Rows {
		states = append(states, row[1].Text+" "+row[3].Text)
	}
	if want := []string{"user unknown", "cc_1 ready", "cc_2 waiting (login)"}; !slices.Equal(states, want) ||
		len(r.Next) == 0 {
		t.Errorf("states are %q", states)
	}
	dry := launched("Started", made, true)
	if got := dry.Hints().Summary; got != "Would start 3 panes in my api" || dry.Next() != nil ||
		len(dry.Report().Next) > 0 {
		t.Errorf("a dry run says %q", got)
	}
}

func TestNumbersAreRounded(t *testing.T) {
	for _, test := range []struct {
		n      float64
		digits int
		want   string
	}{{0.93 + 0.03, 2, "0.96"}, {0.1 + 0.2, 1, "0.3"}, {-1, 1, "-1"}, {1e-7, 4, "0"}, {2.00005, 4, "2.0001"}} {
		if got := jsonOf(rounded(test.n, test.digits)); got != test.want {
			t.Errorf("%v to %d digits is %s", test.n, test.digits, got)
		}
	}
}

func TestGapsMakeAnswersIncomplete(t *testing.T) {
	start := noon.Add(-time.Hour)
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
			since: start, from: start, to: noon, snap: &core.Snapshot{}, events: test.events,
			work: &worklog.Work{}, spans: timesheet.Of(test.events, noon, true),
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

func TestTheFileOfAMonitorHoldsTheLinesOfItsAnswer(t *testing.T) {
	file, err := os.Create(filepath.Join(t.TempDir(), "lines"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	emitted := 0
	emit := tee(func(any) error { emitted++; return nil }, file)
	if err := emit(monitorLine{Type: "pane", At: noon.Add(time.Millisecond)}); err != nil || emitted != 1 {
		t.Fatalf("%v, %d lines", err, emitted)
	}
	const want = `{"type":"pane","at":"2026-01-31T12:00:00Z","session":"","ordinal":0,"notes":[]}` + "\n"
	if got, err := os.ReadFile(file.Name()); err != nil || string(got) != want {
		t.Errorf("got %s (%v)", got, err)
	}
}
