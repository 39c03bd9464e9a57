package sessions

import (
	"slices"
	"strings"
	"testing"

	"cupola/core"
	"cupola/core/fleet/lifecycle"
	"cupola/core/verb"
	"cupola/core/verb/registry"
	"cupola/core/verb/verbtest"
)

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

func TestConsentOfPeopleAndPrograms(t *testing.T) {
	asking := func(yes bool, err error) *registry.Caller {
		return &registry.Caller{Confirm: func(string) (bool, error) { return yes, err }}
	}
	for _, test := range []struct {
		why    string
		caller *registry.Caller
		given  registry.Consent
		code   core.Code // empty if it may continue
	}{
		{"a program that says yes", &registry.Caller{}, registry.Consent{Yes: true}, ""},
		{"a program that forces", &registry.Caller{}, registry.Consent{Force: true}, ""},
		{
			"a program that says nothing", &registry.Caller{Catalog: &registry.Catalog{Verbs: Verbs}},
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
		in := KillIn{InSession: registry.InSession{Session: "api"}, Consent: test.given}
		e := core.AsError(verb.Permission{Verb: "kill", In: in, Given: in.Given()}.Ask(test.caller, "End it?"))
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

func TestKillNeedsConsentExceptInDryRun(t *testing.T) {
	s := &verbtest.Server{}
	if _, err := verbtest.Call[KillOut](t, Verbs, s,
		KillIn{InSession: registry.InSession{Session: "web"}}); core.AsError(err).Code != core.MissingRequired {
		t.Errorf("got %v", err)
	}
	out, err := verbtest.Call[KillOut](t, Verbs, s,
		KillIn{InSession: registry.InSession{Session: "web"}, Preview: registry.Preview{DryRun: true}})
	if err != nil || out.Session != "web" || !out.DryRun || len(out.Panes) != 1 || len(s.Killed) != 0 {
		t.Fatalf("got %+v, %v; killed %q", out, err, s.Killed)
	}
	var said strings.Builder
	for _, cell := range out.Report().Blocks[0].Lines[0] {
		said.WriteString(cell.Text)
	}
	if said.String() != "Would end web with 1 pane" {
		t.Errorf("got %q", said.String())
	}
	if _, err := verbtest.Call[KillOut](t, Verbs, s,
		KillIn{InSession: registry.InSession{Session: "web"}, Consent: registry.Consent{Yes: true}}); err != nil ||
		!slices.Equal(s.Killed, []string{"$2"}) {
		t.Errorf("killed %q, %v", s.Killed, err)
	}
}

func TestRenameReachesTheEngine(t *testing.T) {
	s := &verbtest.Server{}
	renamed, err := verbtest.Call[RenameOut](
		t,
		Verbs,
		s,
		RenameIn{InSession: registry.InSession{Session: "web"}, To: "web2"},
	)
	if err != nil || s.Renamed != "$2 web2" || renamed.To != "web2" || renamed.ID != "$2" {
		t.Errorf("got %+v, %v; renamed %q", renamed, err, s.Renamed)
	}
}
