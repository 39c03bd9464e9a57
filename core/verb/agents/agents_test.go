package agents

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/fleet/output"
	"cupola/core/text/report"
	"cupola/core/verb"
	"cupola/core/verb/registry"
	"cupola/core/verb/verbtest"
)

func TestMessagesComeFromOnePlace(t *testing.T) {
	path := filepath.Join(t.TempDir(), "prompt")
	if err := os.WriteFile(path, []byte("from a file\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	env := &verb.Env{Local: verb.Local{Caller: registry.Caller{
		Stdin: func() (string, error) { return "from standard input", nil },
	}}}
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
	for _, in := range []SendIn{
		{Msg: "text", sending: sending{MsgFile: "prompt"}},
		{Msg: "text", sending: sending{Palette: "a"}},
		{sending: sending{MsgFile: "prompt", Palette: "a"}},
		{Msg: "text", sending: sending{Wait: true, NoEnter: true}},
	} {
		in.Session, in.When = "api", "ready"
		if err := Send.Check(in); !core.AsError(err).HasCode(core.InvalidFlag) {
			t.Errorf("%+v: got %v", in, err)
		}
	}
}

func TestDeliveriesAreCountedByOutcome(t *testing.T) {
	deliveries := []DeliveryRow{
		{Result: core.Result{Outcome: core.Delivered}},
		{Result: core.Result{Outcome: core.Queued}},
		{Result: core.Result{Outcome: core.Steered}},
		{Result: core.Result{Outcome: core.Refused}},
		{Result: core.Result{Outcome: core.Planned}},
	}
	if got := CountDeliveries(deliveries); got != (SendSummary{
		Panes: 5, Delivered: 1, Queued: 1, Steered: 1, Failed: 1,
		Planned: 1,
	}) {
		t.Errorf("got %+v", got)
	}
	rows := (SendOut{Deliveries: deliveries}).Report().Blocks[0].Table.Rows
	for i, want := range []report.Tone{report.Good, report.Good, report.Good, report.Bad, report.Warn} {
		if got := rows[i][2].Tone; got != want {
			t.Errorf("%s is shown as %q", deliveries[i].Outcome, got)
		}
	}
	if next := (SendOut{DryRun: true}).Next(); next != nil {
		t.Errorf("next is %+v", next)
	}
}

func TestRepliesOlderThanTheirSinceAreLeftOut(t *testing.T) {
	for _, since := range []registry.Since{
		{Ago: time.Hour},
		{At: verbtest.Noon},
		{Midnight: true},
		{Midnight: true, Ago: 24 * time.Hour},
	} {
		out, err := verbtest.Call[replyOut](
			t,
			Verbs,
			&verbtest.Server{},
			ReplyIn{InSession: registry.InSession{Session: "api"}, Since: since},
		)
		if err != nil || len(out.Replies) != 0 {
			t.Errorf("--since=%s: got %+v, %v", since, out, err)
		}
	}
	if out, err := verbtest.Call[replyOut](t, Verbs, &verbtest.Server{},
		ReplyIn{InSession: registry.InSession{Session: "api"}}); err != nil ||
		len(out.Replies) != 1 {
		t.Errorf("without it: got %+v, %v", out, err)
	}
}

func TestInspectFindsTheFirstAgentOfASession(t *testing.T) {
	out, err := verbtest.Call[inspectOut](t, Verbs, &verbtest.Server{},
		inspectIn{InSession: registry.InSession{Session: "api"}, Index: -1, Lines: 4, Code: true})
	if err != nil || out.Pane != "%1" || len(out.Lines) != 4 ||
		!slices.Equal(out.CodeBlocks, []output.CodeBlock{{Language: "go", Text: "two()", Closed: true}}) {
		t.Errorf("got %+v, %v", out, err)
	}
	out, err = verbtest.Call[inspectOut](t, Verbs, &verbtest.Server{},
		inspectIn{InSession: registry.InSession{Session: "api"}, Index: 0, Lines: 4})
	if err != nil || out.Pane != "%0" || len(out.CodeBlocks) != 0 {
		t.Errorf("got %+v, %v", out, err)
	}
}

func TestKeysReachTheEngine(t *testing.T) {
	s := &verbtest.Server{}
	out, err := verbtest.Call[KeysOut](t, Verbs, s,
		KeysIn{InSession: registry.InSession{Session: "api.1"}, Keys: []string{"Down", "Enter"}})
	if err != nil || len(out.Panes) != 1 || !slices.Equal(s.Pressed, []string{"%1", "Down", "Enter"}) {
		t.Errorf("got %+v, %v; pressed %q", out, err, s.Pressed)
	}
}

func TestAPromptToManyIsReportedInOneSentence(t *testing.T) {
	var out SendOut
	add := func(session string, ordinal int, outcome core.Outcome, why string) {
		row := DeliveryRow{Result: core.Result{Outcome: outcome, Why: why, Evidence: []string{"a long observation"}}}
		row.Session, row.Ordinal = session, ordinal
		out.Deliveries = append(out.Deliveries, row)
	}
	add("api", 1, core.Refused, "dialog")
	if got := out.Said(); got != "api.1 refused: a long observation" {
		t.Errorf("%q", got)
	}
	add("api", 2, core.Delivered, "")
	add("api", 3, core.Refused, "dialog")
	add("web", 1, core.Queued, "")
	add("web", 2, core.Refused, "gone")
	add("web", 3, core.Delivered, "")
	if got, want := out.Said(), "2 delivered, 1 queued, 3 refused: api.1 api.3 wait, web.2 ended"; got != want {
		t.Errorf("%q, not %q", got, want)
	}
}
