package tui

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"cupola/core"
	"cupola/core/agent/usage"
	"cupola/core/config"
	"cupola/core/host"
	"cupola/core/record/budget"
	"cupola/core/record/checkpoint"
	"cupola/core/record/store"
	"cupola/core/record/timesheet"
	"cupola/core/verb/agents"
	"cupola/core/verb/sessions"
	setting "cupola/core/verb/settings"
	"cupola/theme"
	"cupola/tui/effect"
	"cupola/tui/intent"
	"cupola/tui/screen"
	"cupola/tui/screen/activity"
	"cupola/tui/screen/history"
	"cupola/tui/screen/hosts"
	"cupola/tui/screen/settings"
	"cupola/tui/screen/spending"
)

// hourAgo is when the activity of the fixture begins.
var hourAgo = noon.Add(-time.Hour)

// spanOf is a time of an agent of the fixture in a state, in minutes after hourAgo.
func spanOf(address, name string, state core.State, reason core.Reason, from, to int) timesheet.Span {
	at := func(minutes int) time.Time { return hourAgo.Add(time.Duration(minutes) * time.Minute) }
	return timesheet.Span{
		Session: address[:len(address)-2], Address: address, Agent: name, State: state, Reason: reason,
		From: at(from), To: at(to), Begins: true,
	}
}

// activityOf returns the activity of the fixture's agents in the last hour.
func activityOf() activity.Activity {
	one := core.PaneRef{Session: "api", Ordinal: 1, Agent: "cc_1"}
	return activity.Activity{
		From: hourAgo, To: noon,
		Spans: []timesheet.Span{
			spanOf("api.1", "cc_1", core.Idle, "", 0, 20),
			spanOf("api.1", "cc_1", core.Working, core.ReasonThinking, 20, 34),
			spanOf("api.1", "cc_1", core.Waiting, core.ReasonApproval, 34, 36),
			spanOf("api.1", "cc_1", core.Working, core.ReasonTool, 36, 60),
			spanOf("api.2", "cod_1", core.Working, "", 10, 48),
			spanOf("api.2", "cod_1", core.Waiting, core.ReasonApproval, 48, 60),
			spanOf("api.3", "gmi_1", core.Errored, core.ReasonServer, 0, 60),
			spanOf("web.1", "cc_1", core.Limited, core.ReasonRateLimit, 19, 60),
			spanOf("old.1", "cc_9", core.Working, "", 2, 8),
			spanOf("gone.1", "oc_1", core.Working, "", 5, 30),
		},
		Events: []core.Event{{
			Type: core.AlertRaised, At: hourAgo.Add(34 * time.Minute),
			Alert: &core.Alert{Subject: "api.1", Message: "cc_1 waits for an approval: rm -rf build \x1b[2J"},
		}},
		Prompts: []core.Prompt{{
			At: hourAgo.Add(20 * time.Minute), Text: "rename the handler\nand \x1b[2J 日本語で",
			Deliveries: []core.Delivery{{PaneRef: one, Result: core.Result{Outcome: core.Delivered}}},
		}},
	}
}

// used is some usage.
func used(requests int, input int64, usd float64) usage.Amount {
	return usage.Amount{
		Requests: requests, UsageTokens: store.UsageTokens{Input: input, Output: input / 10}, Cost: usd,
		Source: usage.FromTable,
	}
}

// usageOf returns the usage of the fixture's agents.
func usageOf() spending.Usage {
	day := func(ago int, usd float64) usage.Row {
		return usage.Row{
			Key:    noon.UTC().AddDate(0, 0, -ago).Format(time.DateOnly),
			Amount: used(10, int64(usd*90_000), usd),
		}
	}
	return spending.Usage{
		Days: []usage.Row{day(6, 2.5), day(5, 7.25), day(3, 0.02), day(1, 12.4), day(0, 3.1)},
		Rows: []usage.Row{
			{Key: "api/cc_1", Amount: used(80, 1_800_000, 14.9)},
			{Key: "web/cc_2", Amount: used(31, 700_000, 8.37)},
			{Key: "docs-日本/cc_1 \x1b[2J", Amount: used(9, 90_000, 2)},
			{
				Key:    "codex",
				Amount: usage.Amount{Requests: 1, UsageTokens: store.UsageTokens{Input: 900}, Unpriced: 900},
			},
		},
		Total: used(121, 2_590_900, 25.27),
		Spends: []budget.Spend{
			{Scope: budget.Day, Unit: budget.USD, Most: 5, Used: 3.1},
			{Scope: budget.Session, Session: "api", Unit: budget.USD, Most: 15, Used: 14.9},
		},
		Limits: []store.UsageLimit{
			{
				Kind:     "codex",
				Name:     "primary",
				Used:     72,
				Window:   5 * time.Hour,
				ResetsAt: noon.Add(2 * time.Hour),
				SeenAt:   noon,
			},
			{Kind: "codex", Name: "over", Used: 100, ResetsAt: noon.Add(-time.Hour), SeenAt: noon.Add(-2 * time.Hour)},
		},
	}
}

// settingsOf are some settings, one of each origin.
func settingsOf() settings.Settings {
	found := settings.Settings{
		File: "/home/me/.config/cupola/config.toml",
		Keys: "/home/me/.config/cupola/keys.toml",
	}
	for _, key := range config.Keys() {
		one := settings.Setting{Key: key, Value: key.Default(), Origin: config.Origin{Layer: config.Default}}
		switch key.Name {
		case "display.glyphs":
			one.Value, one.Origin = "ascii", config.Origin{Layer: config.User, File: found.File, Line: 2}
		case "alerts.idle":
			one.Value, one.Origin = "1h", config.Origin{Layer: config.Environment, Variable: "CUPOLA_ALERTS_IDLE"}
		case "relay.timeout":
			one.Value, one.Origin = "20m", config.Origin{Layer: config.Project, File: "/src/api/cupola.toml", Line: 9}
		}
		found.List = append(found.List, one)
	}
	return found
}

// hostsOf are this machine and others, one of each kind.
func hostsOf() hosts.Hosts {
	const gigabyte = 1 << 30
	return hosts.Hosts{List: []hosts.Host{
		{
			State: host.Up, RoundTrip: -1, Version: "1.4.0", Agents: 4, Needs: 1,
			Machine: host.Machine{Cores: 8, Load: 2.4, MemoryFree: 11 * gigabyte, DiskFree: 120 * gigabyte},
		},
		{
			Name: "gpu1", State: host.Up, By: "ssh", RoundTrip: 34, Version: "1.4.0", Hostname: "gpu1.lan", Agents: 12,
			Machine: host.Machine{Cores: 64, Load: 31.2, MemoryFree: 400 * gigabyte, DiskFree: 2000 * gigabyte},
		},
		{
			Name: "gpu2", State: host.Refused, By: "ssh", RoundTrip: -1, Machine: host.Machine{Load: -1},
			Reason: "its host key has changed; if that is right, remove the old one with ssh-keygen -R",
		},
		{Name: "lab", State: host.Slow, By: "bus", RoundTrip: 1240, Version: "1.3.0", Machine: host.Machine{Load: -1}},
		{Name: "old", State: host.Disabled, By: "ssh", RoundTrip: -1, Machine: host.Machine{Load: -1}},
	}}
}

// readAll answers the questions of the screen on top.
func (s *harness) readAll() {
	answer[activity.Question](s, activityOf())
	answer[spending.Question](s, usageOf())
	answer[hosts.Question](s, hostsOf())
	answer[settings.Question](s, settingsOf())
}

// lastSpan returns the span of the last question about the activity; 0 if none was asked.
func lastSpan(s *harness) time.Duration {
	if read := wasAsked[activity.Question](s.recorder); read != nil {
		return read.Question.(activity.Question).Span
	}
	return 0
}

func TestRecordsAreReadWhileTheyShow(t *testing.T) {
	s := newHarness(t, theme.None, 140, 40)
	s.press("5")
	first := wasAsked[activity.Question](s.recorder)
	if first == nil || first.Question != (activity.Question{Span: time.Hour}) {
		t.Fatalf("asked %+v", first)
	}
	s.shows("reading")
	s.press("left")
	if got := lastSpan(s); got != 4*time.Hour {
		t.Fatalf("asked %+v", got)
	}
	s.model.Update(effect.Answered{Read: *first, Answer: activityOf()})
	s.shows("reading") // that was another question
	s.readAll()
	s.shows("waited for you 14m")
	if got := wasAsked[activity.Question](s.recorder); got != nil {
		t.Fatalf("asked %+v although nothing happened", got)
	}
	s.model.Update(effect.Ticked{Now: noon.Add(time.Minute), Every: time.Minute})
	if got := lastSpan(s); got != 4*time.Hour {
		t.Fatalf("asked %+v in the next minute", got)
	}
	fail[activity.Question](s, errors.New("the disk is full"))
	s.shows("the disk is full")
	s.press("esc")
	s.recorder.read = nil
	s.model.Update(effect.Ticked{Now: noon.Add(2 * time.Minute), Every: time.Minute})
	if got := wasAsked[activity.Question](s.recorder); got != nil {
		t.Errorf("asked %+v although the screen is closed", got)
	}
}

func TestRowsOfRecordsLeadToTheirAgents(t *testing.T) {
	s := newHarness(t, theme.None, 140, 40)
	s.press("5")
	s.readAll()
	s.press("end", "enter") // one that is gone
	s.shows("it has no pane")
	s.press("home", "down", "enter")
	if got := s.model.choice.Pane; got != "%2" {
		t.Errorf("selected %s", got)
	}
	s.press("6")
	s.readAll()
	s.press("down", "enter")
	if got := s.model.choice.Pane; got != "%7" {
		t.Errorf("selected %s", got)
	}
	s.press("6", "g")
	s.readAll()
	s.press("enter")
	s.shows("no agent or session that is there")
}

func TestSettingsAreChanged(t *testing.T) {
	find := func(s *harness, name string) { s.press("/"); s.write(name + "\n") }
	for _, test := range []struct {
		name string
		keys []string
		want intent.Intent
		says string
	}{
		{
			"display.glyphs",
			[]string{"enter", "right", "enter"},
			set("display.glyphs", "nerd"),
			"",
		},
		{
			"display.glyphs",
			[]string{"D"},
			onIts(setting.ConfigSetIn{Key: "display.glyphs", Unset: true}, "display.glyphs"), "",
		},
		{"notify.bell", []string{"enter", "right", "enter"}, set("notify.bell", "false"), ""},
		{"notify.bell", []string{"D"}, nil, "has its usual value"},
		{"alerts.stalled", []string{"enter", "0", "enter"}, set("alerts.stalled", "5m0"), ""},
		{
			"notify.command",
			[]string{"enter", "ctrl+u", "a", "enter"},
			set("notify.command", "a"),
			"",
		},
		{"alerts.idle", []string{"enter"}, nil, "CUPOLA_ALERTS_IDLE says what alerts.idle is"},
		{"relay.timeout", []string{"enter"}, nil, "wins over your own file"},
		{"prices", []string{"enter"}, nil, "E opens that"},
		{"bell", []string{"E"}, intent.Edit{Root: "/home/me/.config/cupola", Path: "config.toml"}, ""},
	} {
		s := newHarness(t, theme.None, 140, 40)
		s.press("f9")
		s.readAll()
		find(s, test.name)
		s.recorder.last()
		s.press(test.keys...)
		if diff := differ(test.want, s.recorder.last()); diff != "" {
			t.Errorf("%s %v: %s", test.name, test.keys, diff)
		}
		if test.says != "" {
			s.shows(test.says)
		}
	}
}

func TestListsShareTheWidthAsTheUserLikes(t *testing.T) {
	s := newHarness(t, theme.None, 140, 40)
	rule := func() int { return strings.Index(ansi.Strip(s.model.shown.Lines[5]), "│") }
	before := rule()
	s.press("}", "}")
	if wider := rule(); wider <= before {
		t.Errorf("the list ended at %d, and now at %d", before, wider)
	}
	if diff := differ(settingTo("display.list", "50"), s.recorder.last()); diff != "" {
		t.Error(diff)
	}
	s.press("\\")
	if at := rule(); at >= 0 {
		t.Errorf("the list is not alone:\n%s", s.model.View())
	}
	s.press("\\")
	if at := rule(); at != before {
		t.Errorf("the list ends at %d, not at %d as usual", at, before)
	}
	for range 20 {
		s.press("{")
	}
	s.exact()
	s.changed()
	s.press("\\")
	if s.row("func Serve") >= 0 {
		t.Errorf("the changes are not alone:\n%s", s.model.View())
	}
}

func TestRowsAreSortedByWhatIsKnownOfThem(t *testing.T) {
	for sort, first := range map[string]core.PaneID{
		screen.SortCost: "%6", screen.SortContext: "%2", screen.SortLines: "%1", screen.SortState: "%2",
	} {
		s := newHarness(t, theme.None, 140, 40)
		s.model.choice.Order = screen.Order{Group: screen.ByHost, Sort: sort}
		s.press("home", "down", "home")
		if s.model.choice.Pane != first {
			t.Errorf("by %s the first is %s, not %s\n%s", sort, s.model.choice.Pane, first, s.model.View())
		}
	}
	s := newHarness(t, theme.None, 140, 40)
	s.shows("$14.30")
	s.press("O", "tab", "tab", "ctrl+u")
	s.write("branch lines")
	s.hides("$14.30")
	s.write(" costs")
	s.press("enter")
	s.shows("costs is no column")
}

func TestTheFieldsOfASavedPromptAreAskedFor(t *testing.T) {
	s := newHarness(t, theme.None, 140, 40)
	offers := screen.Offers{Prompts: []string{"Fix ${goal} in ${dir} of ${HOME}"}}
	answer[screen.WorkQuestion](s, screen.AllWork{Of: fixtureWork, Offers: offers})
	s.press(":")
	s.write("Fix goal")
	s.press("enter")
	s.shows("Fields of the prompt")
	s.write("the ${dir}")
	s.press("tab")
	s.write("src")
	s.press("enter")
	s.shows("Fix the ${dir} in src of ${HOME}")
	s.press("ctrl+s")
	sent, is := inputOf[agents.SendIn](s.recorder.last())
	if !is || sent.Msg != "Fix the ${dir} in src of ${HOME}" {
		t.Errorf("sent %+v", sent)
	}
}

func TestListIsArranged(t *testing.T) {
	s := newHarness(t, theme.None, 140, 40)
	before := s.model.View()
	s.press("O", "right")
	s.shows("  waiting")
	s.press("esc")
	if s.model.View() != before {
		t.Error("leaving the form does not bring the list back as it was")
	}
	s.press("O", "right", "tab", "right", "tab", "enter")
	if did := s.recorder.did; len(did) != 3 || differ(set("display.group", "state"), did[0]) != "" ||
		differ(set("display.sort", "needs"), did[1]) != "" ||
		differ(settingTo("display.columns", screen.Columns...), did[2]) != "" {
		t.Errorf("did %+v", did)
	}
	if s.row("  waiting") > s.row("  working") {
		t.Error("those that wait are not first")
	}
	s.press("home")
	if s.model.choice.Pane != "%2" {
		t.Errorf("the first is %s", s.model.choice.Pane)
	}
	s.press("]")
	if s.model.choice.Pane != "%3" {
		t.Errorf("the first of the next group is %s", s.model.choice.Pane)
	}
}

func TestSessionsAreRecordedAndRestored(t *testing.T) {
	s := newHarness(t, theme.None, 80, 24)
	s.press("C")
	s.write("before\nall green\n")
	if got := s.recorder.last(); got != (intent.RunCommand{
		Line: "checkpoint api --name=before '--note=all green'", Width: 80, Height: 20,
	}) {
		t.Errorf("did %+v", got)
	}
	s.press("esc", "L")
	if got := s.recorder.last(); got != (intent.ListCheckpoints{}) {
		t.Errorf("did %+v", got)
	}
	s.model.Update(effect.CheckpointsListed{})
	s.shows("no session was recorded yet")
	s.model.Update(effect.CheckpointsListed{Err: errors.New("the disk is full")})
	s.shows("the disk is full")
	s.model.Update(effect.CheckpointsListed{Entries: checkpointsOf()})
	s.shows("before-the-move")
	s.write("mov\n\n")
	if got := s.recorder.last(); got != (intent.RunCommand{Line: "restore before-the-move", Width: 80, Height: 20}) {
		t.Errorf("did %+v", got)
	}
}

func TestEveryoneGetsAPrompt(t *testing.T) {
	s := newHarness(t, theme.None, 80, 24)
	s.press("B")
	s.shows("all 9 agents of 3 sessions")
	s.write("commit what you have")
	s.press("ctrl+s")
	did := s.recorder.last()
	if _, is := inputOf[agents.BroadcastIn](did); !is || len(did.(intent.Act).At) != 9 {
		t.Errorf("did %+v", did)
	}
}

// checkpointsOf are recorded sessions.
func checkpointsOf() []checkpoint.Entry {
	return []checkpoint.Entry{
		{
			Checkpoint: checkpoint.Checkpoint{
				Name:    "monday",
				Session: "web",
				At:      noon.Add(-70 * time.Hour),
				Panes:   make([]checkpoint.Pane, 3),
			},
		},
		{Checkpoint: checkpoint.Checkpoint{
			Name: "before-the-move", Session: "api", At: noon.Add(-5 * time.Minute), Note: "all tests pass",
			Panes: make([]checkpoint.Pane, 1),
		}},
		{Checkpoint: checkpoint.Checkpoint{Name: "broken"}, Fault: "its record cannot be read"},
	}
}

func TestAnEarlierPromptIsSentToOthers(t *testing.T) {
	s := newHarness(t, theme.None, 80, 24)
	s.press("m", "m", "H")
	answer[history.Question](s, recalled())
	s.press("j", "r")
	s.shows("2 marked agents")
	s.press("ctrl+s")
	did := s.recorder.last()
	sent, is := inputOf[agents.SendIn](did)
	if !is || len(did.(intent.Act).At) != 2 || sent.Msg != "rename the handler\nand [2J 日本語で" {
		t.Errorf("did %+v", did)
	}
}

func TestWelcomeNamesTheKeysThatTheUserHas(t *testing.T) {
	s := newHarness(t, theme.None, 80, 24)
	keys, err := Keys().ReadKeymap("keys.toml", "[tree]\ns = \"W\"")
	if err != nil {
		t.Fatal(err)
	}
	s.model.world.Keys = keys
	if got := welcome(s.model); got !=
		"Welcome. w who needs you, d decide, W send a prompt, n new session, : anything, ? all keys." {
		t.Errorf("it says %q", got)
	}
}

func TestAgentsArePinned(t *testing.T) {
	s := newHarness(t, theme.None, 140, 40)
	for _, pinned := range []bool{false, true} {
		snapshot := fixture()
		snapshot.Pane("%1").Agent.Pinned = pinned
		s.show(snapshot)
		s.press("P")
		want := act(sessions.LabelIn{Pin: !pinned, Unpin: pinned}, paneOne)
		if diff := differ(want, s.recorder.last()); diff != "" {
			t.Errorf("pinned %t: %s", pinned, diff)
		}
	}
	snapshot := fixture()
	snapshot.Pane("%8").Agent.Pinned = true
	s.show(snapshot)
	for _, order := range []screen.Order{{}, {Sort: screen.SortNeeds}, {Sort: screen.SortKind}} {
		s.model.choice.Order = order
		rows := s.model.choice.Rows(snapshot)
		if rows[0].Session.Name != "web" || rows[1].Pane.ID != "%8" {
			t.Errorf("%+v begins with %s, not the pinned agent", order, rows[1].Pane.ID)
		}
	}
	s.model.choice.Order = screen.Order{Group: screen.ByKind}
	for _, row := range s.model.choice.Rows(snapshot) {
		if row.Group == string(snapshot.Pane("%8").Agent.Kind) && row.Pane.ID != "%8" {
			t.Errorf("its group begins with %s", row.Pane.ID)
		}
	}
}

func TestAgentsAreSnoozed(t *testing.T) {
	s := newHarness(t, theme.None, 140, 40)
	for _, test := range []struct {
		keys []string
		want string
	}{
		{[]string{"enter"}, "30m"},
		{[]string{"right", "enter"}, "2h"},
		{[]string{"left", "enter"}, core.SnoozeTomorrow},
	} {
		s.press("Z")
		s.press(test.keys...)
		if diff := differ(act(sessions.LabelIn{Snooze: test.want}, paneOne), s.recorder.last()); diff != "" {
			t.Errorf("%q: %s", test.keys, diff)
		}
	}
	s.press("Z", "tab")
	s.write("25:99\n")
	s.shows("no time until which to snooze")
	s.press("ctrl+u")
	s.write("45m\n")
	if diff := differ(act(sessions.LabelIn{Snooze: "45m"}, paneOne), s.recorder.last()); diff != "" {
		t.Error(diff)
	}
	snapshot := fixture()
	for _, pane := range snapshot.Panes() {
		pane.Agent.Snoozed = snapshot.Taken.Add(time.Hour)
	}
	s.show(snapshot)
	s.shows("snoozed until ")
	s.hides("Needs you")
	if snapshot.Counts().Snoozed == 0 || len(s.model.choice.Seen.Calling(snapshot)) != 0 ||
		terminalTitle(&s.model.world, s.model.choice) != "cupola" {
		t.Errorf("snoozed agents are called: %q", terminalTitle(&s.model.world, s.model.choice))
	}
	s.press("Z", "enter")
	if diff := differ(act(sessions.LabelIn{Snooze: core.SnoozeOff}, paneOne), s.recorder.last()); diff != "" {
		t.Errorf("a snoozed one is not woken: %s", diff)
	}
}

func TestAgentsAreLabelled(t *testing.T) {
	s := newHarness(t, theme.None, 140, 40)
	s.press("#")
	s.write("two words\n")
	s.shows("must not hold")
	s.press("ctrl+u")
	s.write("#review\n")
	did := s.recorder.last()
	if diff := differ(act(sessions.LabelIn{Label: "review"}, paneOne), did); diff != "" {
		t.Fatal(diff)
	}
	labelled := fixture()
	labelled.Pane("%1").Agent.Label = "review"
	s.show(labelled)
	s.shows("#review")
	s.press("O", "left", "left", "enter", "enter", "enter")
	if s.row("  review") < 0 || s.row("  review") > s.row("  no label") {
		t.Error("those without a label are not last")
	}
	s.press("m", "m", "#")
	s.write("ui\n")
	did = s.recorder.last()
	if _, is := inputOf[sessions.LabelIn](did); !is || len(did.(intent.Act).At) != 2 {
		t.Errorf("did %+v", did)
	}
}

// set is the act that sets a setting.
func set(key, value string) intent.Intent { return settingTo(key, value) }

// settingTo is the act that sets a setting to some values.
func settingTo(key string, value ...string) intent.Intent {
	return onIts(setting.ConfigSetIn{Key: key, Value: value}, key)
}

func TestAYoungFleetIsShownForAShortTime(t *testing.T) {
	s := newHarness(t, theme.None, 140, 40)
	s.press("5")
	young := activityOf()
	young.Spans = young.Spans[7:8]
	young.Spans[0].From = noon.Add(-5 * time.Minute)
	answer[activity.Question](s, young)
	if got := lastSpan(s); got != 15*time.Minute {
		t.Errorf("asked %+v", got)
	}
	s.shows("the last 15 minutes")
}

func TestRecordsShowWithoutASession(t *testing.T) {
	for key, want := range map[string]string{"5": "waited for you", "6": "by agent", "f9": "display.theme"} {
		s := bare(t, theme.None, 140, 40)
		s.show(&core.Snapshot{Taken: noon})
		s.press(key)
		s.readAll()
		s.shows(want)
		s.press("esc")
		s.shows("No agents yet")
	}
}
