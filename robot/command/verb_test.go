package command

import (
	"slices"
	"strings"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/fleet/output"
	"cupola/robot/registry"
)

func TestStatusOfAFleet(t *testing.T) {
	out, err := call[statusOut](t, &server{}, statusIn{Detail: registry.Detail{Verbose: true}})
	if err != nil {
		t.Fatal(err)
	}
	if !out.GeneratedAt.Equal(noon) || len(out.Sessions) != 2 || len(out.Panes) != 3 ||
		len(out.Details) != 3 || !out.System.EngineUp {
		t.Errorf("got %+v", out)
	}
	api := out.Sessions[0]
	if api.Name != "api" || api.Panes != 2 || api.Agents != 1 || api.Foreign || out.Sessions[1].Foreign != true ||
		!api.CreatedAt.Equal(noon.Add(-time.Hour)) {
		t.Errorf("got %+v", out.Sessions)
	}
	if row := out.Panes[1]; row.Agent != "st_1" || row.Kind != "stub" || row.Variant != "big" || row.Ordinal != 1 ||
		row.Pane != "%1" {
		t.Errorf("got %+v", row)
	}
	one, err := call[statusOut](t, &server{}, statusIn{Page: registry.Page{Limit: 1, Offset: 1}})
	if err != nil || len(one.Panes) != 1 || one.Panes[0].Pane != "%1" || !one.Pagination.HasMore || one.Details != nil {
		t.Errorf("got %+v, %v", one, err)
	}
	if hints := one.Hints(); *hints.NextOffset != 2 || hints.Summary != "2 sessions, 1 agent" {
		t.Errorf("hints are %+v", hints)
	}
}

func TestStatusWithoutAServerIsEmpty(t *testing.T) {
	out, err := call[statusOut](t, &server{down: true}, statusIn{})
	if err != nil || out.System.EngineUp || out.Sessions == nil || out.Panes == nil || len(out.Panes) != 0 {
		t.Fatalf("got %+v, %v", out, err)
	}
	if next := out.Next(); len(next) != 1 || next[0].Action != "spawn" {
		t.Errorf("next is %+v", next)
	}
	for session, says := range map[string]string{
		"":    "No tmux server is running, so there is no session yet.",
		"api": "Nothing in api.",
	} {
		out.Filters.Session = session
		if got := out.Report().Blocks[0].Lines[0][0].Text; got != says {
			t.Errorf("%q: got %q", session, got)
		}
	}
}

func TestSnapshotKeepsTheSectionsAskedFor(t *testing.T) {
	out, err := call[snapshotOut](t, &server{}, snapshotIn{Sections: []string{"panes"}})
	if err != nil || len(out.Sessions) != 0 || len(out.Panes) != 3 || len(out.Details) != 3 {
		t.Errorf("got %+v, %v", out, err)
	}
	out, err = call[snapshotOut](t, &server{}, snapshotIn{Sections: []string{"sessions"}})
	if err != nil || len(out.Sessions) != 2 || len(out.Panes) != 0 {
		t.Errorf("got %+v, %v", out, err)
	}
}

func TestRepliesOlderThanTheirSinceAreLeftOut(t *testing.T) {
	for _, since := range []registry.Since{
		{Ago: time.Hour},
		{At: noon},
		{Midnight: true},
		{Midnight: true, Ago: 24 * time.Hour},
	} {
		out, err := call[replyOut](t, &server{}, replyIn{InSession: registry.InSession{Session: "api"}, Since: since})
		if err != nil || len(out.Replies) != 0 {
			t.Errorf("--since=%s: got %+v, %v", since, out, err)
		}
	}
	if out, err := call[replyOut](t, &server{}, replyIn{InSession: registry.InSession{Session: "api"}}); err != nil ||
		len(out.Replies) != 1 {
		t.Errorf("without it: got %+v, %v", out, err)
	}
}

func TestInspectFindsTheFirstAgentOfASession(t *testing.T) {
	out, err := call[inspectOut](t, &server{},
		inspectIn{InSession: registry.InSession{Session: "api"}, Index: -1, Lines: 4, Code: true})
	if err != nil || out.Pane != "%1" || len(out.Lines) != 4 ||
		!slices.Equal(out.CodeBlocks, []output.CodeBlock{{Language: "go", Text: "two()", Closed: true}}) {
		t.Errorf("got %+v, %v", out, err)
	}
	out, err = call[inspectOut](t, &server{},
		inspectIn{InSession: registry.InSession{Session: "api"}, Index: 0, Lines: 4})
	if err != nil || out.Pane != "%0" || len(out.CodeBlocks) != 0 {
		t.Errorf("got %+v, %v", out, err)
	}
}

func TestKillNeedsConsentExceptInDryRun(t *testing.T) {
	s := &server{}
	if _, err := call[killOut](t, s,
		killIn{InSession: registry.InSession{Session: "web"}}); core.AsError(err).Code != core.MissingRequired {
		t.Errorf("got %v", err)
	}
	out, err := call[killOut](t, s,
		killIn{InSession: registry.InSession{Session: "web"}, Preview: registry.Preview{DryRun: true}})
	if err != nil || out.Session != "web" || !out.DryRun || len(out.Panes) != 1 || len(s.killed) != 0 {
		t.Fatalf("got %+v, %v; killed %q", out, err, s.killed)
	}
	var said strings.Builder
	for _, cell := range out.Report().Blocks[0].Lines[0] {
		said.WriteString(cell.Text)
	}
	if said.String() != "Would end web with 1 pane" {
		t.Errorf("got %q", said.String())
	}
	if _, err := call[killOut](t, s,
		killIn{InSession: registry.InSession{Session: "web"}, Consent: registry.Consent{Yes: true}}); err != nil ||
		!slices.Equal(s.killed, []string{"$2"}) {
		t.Errorf("killed %q, %v", s.killed, err)
	}
}

func TestKeysAndRenameReachTheEngine(t *testing.T) {
	s := &server{}
	out, err := call[keysOut](t, s,
		keysIn{InSession: registry.InSession{Session: "api.1"}, Keys: []string{"Down", "Enter"}})
	if err != nil || len(out.Panes) != 1 || !slices.Equal(s.pressed, []string{"%1", "Down", "Enter"}) {
		t.Errorf("got %+v, %v; pressed %q", out, err, s.pressed)
	}
	renamed, err := call[renameOut](t, s, renameIn{InSession: registry.InSession{Session: "web"}, To: "web2"})
	if err != nil || s.renamed != "$2 web2" || renamed.To != "web2" || renamed.ID != "$2" {
		t.Errorf("got %+v, %v; renamed %q", renamed, err, s.renamed)
	}
}

func TestStatusIsTerseAndMarkdownAsThoseVerbsAre(t *testing.T) {
	out, err := call[statusOut](t, &server{}, statusIn{})
	if err != nil {
		t.Fatal(err)
	}
	line, err := call[terseOut](t, &server{}, terseIn{})
	if err != nil || out.Terse() != line.Terse() || !strings.HasPrefix(line.Line, "cupola/1 sessions=2 agents=1 ") {
		t.Errorf("got %q and %q, %v", out.Terse(), line.Line, err)
	}
	page, err := call[markdownOut](t, &server{}, markdownIn{})
	if err != nil || out.Markdown() != page.Markdown() ||
		!strings.HasPrefix(page.Text, "## Fleet\n\n2 sessions, 1 agent") {
		t.Errorf("got\n%s\nand\n%s\n%v", out.Markdown(), page.Text, err)
	}
}
