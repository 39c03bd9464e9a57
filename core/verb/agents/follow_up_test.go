package agents

import (
	"strings"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/agent/transcript"
	"cupola/core/fleet/await"
	"cupola/core/fleet/conversation"
	"cupola/core/verb"
	"cupola/core/verb/health"
	"cupola/core/verb/registry"
	"cupola/core/verb/verbtest"
)

func to(session string, ordinal int, kind core.Kind, outcome core.Outcome) DeliveryRow {
	return DeliveryRow{
		PaneRow: verb.PaneRow{PaneRef: core.PaneRef{Session: session, Ordinal: ordinal, Kind: kind}},
		Result:  core.Result{Outcome: outcome},
	}
}

func TestSendSuggestsWaitAndReply(t *testing.T) {
	done := waitedFor{}
	for _, test := range []struct {
		deliveries []DeliveryRow
		wait       *waitedFor
		want       string
	}{
		{
			[]DeliveryRow{to("my api", 1, "claude", core.Delivered)},
			nil,
			"wait 'my api.1'; reply 'my api.1'; tail 'my api.1'",
		},
		{[]DeliveryRow{to("api", 1, "claude", core.Delivered)}, &done, "reply api.1; tail api.1"},
		{
			[]DeliveryRow{to("api", 1, "claude", core.Delivered), to("api", 2, "codex", core.Queued)},
			nil,
			"wait api; reply api; tail api",
		},
		{
			[]DeliveryRow{to("api", 1, "claude", core.Delivered), to("api", 2, "codex", core.Refused)},
			nil,
			"wait api.1; reply api.1; tail api",
		},
		{
			[]DeliveryRow{to("api", 0, "", core.Delivered), to("api", 1, core.KindCommand, core.Delivered)},
			nil,
			"tail api",
		},
		{[]DeliveryRow{to("api", 1, "claude", core.Typed)}, nil, "tail api.1"},
		{
			[]DeliveryRow{
				to("a", 1, "codex", core.Delivered), to("b", 1, "codex", core.Delivered),
				to("c", 1, "codex", core.Delivered), to("d", 1, "codex", core.Delivered),
			},
			&done,
			"reply a.1; reply b.1; reply c.1; tail a.1; tail b.1; tail c.1",
		},
	} {
		if got := verbtest.Commands(SendOut{Deliveries: test.deliveries, Wait: test.wait}.Next()); got != test.want {
			t.Errorf("%+v: %s, want %s", test.deliveries, got, test.want)
		}
	}
}

func TestEarlyEndOfWaitSuggestsNext(t *testing.T) {
	out := waitedFor{}
	out.fill(&await.Result{
		Reached: []await.PaneResult{{
			PaneRef: core.PaneRef{Session: "api", Ordinal: 1, Kind: "codex"},
			Status:  core.Status{State: core.Idle},
		}},
		Pending: []await.PaneResult{{
			PaneRef: core.PaneRef{Session: "api", Ordinal: 2, Kind: "claude"},
			Status:  core.Status{State: core.Waiting, Reason: core.ReasonApproval, Asks: "rm -r build/it's"},
		}},
	})
	which := ` --expect=approval --showing='rm -r build/it'\''s'`
	decide := "answer api.2 --dry-run; answer api.2 --approve" + which + "; answer api.2 --deny" + which
	if got := verbtest.Commands(afterWaiting(&out)); got != decide+"; reply api.1" {
		t.Errorf("next is %s", got)
	}
	again := func(pending []string) []string {
		return []string{"cupola wait " + strings.Join(pending, " ") + " --any"}
	}
	err := core.AsError(out.ended(core.Errorf(core.NotReady, "api.2: it waits for approval"), out, again))
	if got := strings.ReplaceAll(strings.Join(err.Actions, "; "), "cupola ", ""); got != decide+
		"; reply api.1; wait api.2 --any; tail api.2" {
		t.Errorf("actions are %s", got)
	}
	if !strings.HasPrefix(err.Hint, "An agent waits for a decision: ") {
		t.Errorf("the hint is %q", err.Hint)
	}
	if other := out.ended(core.Errorf(core.IOError, "no"), out, again); core.AsError(other).Actions != nil {
		t.Errorf("%+v", other)
	}
}

func TestWaitTimeoutSuggestsLongerWait(t *testing.T) {
	for code, want := range map[core.Code]time.Duration{core.Timeout: 4 * time.Second, core.NotReady: 2 * time.Second} {
		if got := longer(core.Errorf(code, "no"), 2*time.Second); got != want {
			t.Errorf("%s: %s", code, got)
		}
	}
	out := waitedFor{}
	out.fill(&await.Result{Pending: []await.PaneResult{{PaneRef: core.PaneRef{
		Session: "api", Ordinal: 1,
		Kind: "codex",
	}, Status: core.Status{State: core.Idle}}}})
	if got := verbtest.Commands(afterWaiting(&out)); got != "" {
		t.Errorf("who waited for another state than idle is offered %s", got)
	}
}

func TestQuestionIsShownFirst(t *testing.T) {
	for status, want := range map[*core.Status]string{
		{State: core.Waiting, Reason: core.ReasonApproval}:                             "cupola answer api.1 --dry-run",
		{State: core.Waiting, Reason: core.ReasonQuestion, Asks: "Which?"}:             "cupola answer api.1 --dry-run",
		{State: core.Waiting, Reason: core.ReasonLogin}:                                "cupola attach api.1",
		{State: core.Waiting, Reason: core.ReasonTrust, Asks: "/home/dev"}:             "cupola answer api.1 --dry-run",
		{State: core.Waiting, Reason: core.ReasonPlan, Asks: "Do this and then that…"}: "cupola answer api.1 --dry-run",
	} {
		pane := &core.Pane{Session: "api", Ordinal: 1, Agent: core.Agent{Kind: "codex"}, Status: *status}
		if got := health.ConditionOf(pane).Command; got != want {
			t.Errorf("%+v: %s, want %s", status, got, want)
		}
	}
}

func TestYesAndNoQuoteTheQuestion(t *testing.T) {
	plan := verbtest.Commands(DialogAnswers("api.1", core.ReasonPlan, "Do this and then that…"))
	if plan != "answer api.1 --approve --expect=plan --showing='Do this and then that'; answer api.1 --deny "+
		"--expect=plan --showing='Do this and then that'" {
		t.Errorf("a plan is answered by %s", plan)
	}
	for reason, asks := range map[core.Reason]string{
		core.ReasonApproval: "", core.ReasonQuestion: "Which?",
		core.ReasonLogin: "Sign in", core.ReasonDialog: "Continue",
	} {
		if got := verbtest.Commands(DialogAnswers("api.1", reason, asks)); got != "" {
			t.Errorf("%s: %s", reason, got)
		}
	}
}

func TestAckTimeoutSuggestsAckByID(t *testing.T) {
	env := &verb.Env{Local: verb.Local{Caller: registry.Caller{Catalog: &registry.Catalog{Verbs: Verbs}}}}
	out := ackOut{Panes: []ackRow{
		{PaneRow: verb.PaneRow{PaneRef: core.PaneRef{Session: "web", Ordinal: 1}, State: "working"}, Acked: true},
		{PaneRow: verb.PaneRow{PaneRef: core.PaneRef{Session: "web", Ordinal: 2}, State: "idle"}},
		{PaneRow: verb.PaneRow{PaneRef: core.PaneRef{Session: "web", Ordinal: 3}}},
	}}
	err := core.AsError(unacked(env, ackIn{ID: "web", Timeout: 5 * time.Second, Poll: time.Second}, "1jfs2tq0c", out))
	if got := strings.Join(err.Actions, "; "); got != "cupola ack 1jfs2tq0c --timeout=5s --poll=1s; cupola tail web.2" {
		t.Errorf("actions are %s", got)
	}
}

func TestReplyOffersToolBodies(t *testing.T) {
	row := func(ordinal int, tools ...transcript.Tool) replyRow {
		return replyRow{
			PaneRow: verb.PaneRow{PaneRef: core.PaneRef{Session: "api", Ordinal: ordinal, Kind: "codex"}},
			Message: conversation.Message{Tools: tools},
		}
	}
	out := replyOut{Replies: []replyRow{row(1, transcript.Tool{Name: "exec"}), row(2)}}
	if got := verbtest.Commands(out.Next()); got != "reply api.1 --include-bodies" {
		t.Errorf("next is %q", got)
	}
	out.bodies = true
	if got := verbtest.Commands(out.Next()); got != "" {
		t.Errorf("next is %q", got)
	}
}
