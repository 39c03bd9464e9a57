package fleet_test

import (
	"strings"
	"testing"

	"cupola/core"
	"cupola/core/engine"
	"cupola/core/fleet/deliver"
	"cupola/core/fleet/fleettest"
	"cupola/core/fleet/lifecycle"
	"cupola/core/fleet/panetag"
	"cupola/core/fleet/resolve"
)

// jobs is a server of two sessions: api with an agent, a command and a shell, and jobs
// without an agent.
func jobs() engine.Listing {
	agent := func(session, id, kind, name, ordinal string) engine.Pane {
		return fleettest.Row(session, id, "node",
			engine.TagRole, panetag.RoleAgent, engine.TagKind, kind, engine.TagName, name, engine.TagOrdinal, ordinal)
	}
	shell := func(session, id string) engine.Pane {
		return fleettest.Row(session, id, "bash", engine.TagRole, panetag.RoleUser, engine.TagOrdinal, "0")
	}
	return engine.Listing{
		Taken: fleettest.Noon, Sessions: []engine.Session{{ID: "$1", Name: "api"}, {ID: "$2", Name: "jobs"}},
		Panes: []engine.Pane{
			shell("$1", "%0"), agent("$1", "%1", "claude", "cc_1", "1"), agent("$1", "%2", "command", "cmd_1", "2"),
			shell("$2", "%4"), agent("$2", "%5", "command", "cmd_1", "1"),
		},
	}
}

func TestCommandsTakePartInActsOnlyWhereTheyAreNamed(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		target resolve.Target
		want   string
	}{
		"a session":                   {resolve.Target{Session: "api"}, "%1 %3"},
		"every session":               {resolve.Target{}, "%1 %3 %6"},
		"all":                         {resolve.Target{Session: "api", All: true}, "%0 %1 %2 %3"},
		"an address":                  {resolve.Target{Session: "api.2"}, "%2"},
		"a name among panes":          {resolve.Target{Session: "api", Panes: []string{"cmd_1", "1"}}, "%1 %2"},
		"an address in every session": {resolve.Target{Panes: []string{"jobs.1"}}, "%5"},
		"the kind":                    {resolve.Target{Session: "api", Kinds: []string{"command"}}, "%2"},
		"the kind beside another":     {resolve.Target{Session: "api", Kinds: []string{"claude", "command"}}, "%1 %2"},
		"what is left out":            {resolve.Target{Session: "api", Exclude: []string{"1"}}, "%3"},
	} {
		panes, err := openFake(t, &fleettest.Engine{}).Resolver.Named(fleettest.MixedSnapshot(), c.target.ForPrompts())
		if got := fleettest.IDs(panes); err != nil || got != c.want {
			t.Errorf("%s: %s, %v; want %s", name, got, err, c.want)
		}
	}
	panes, err := openFake(t, &fleettest.Engine{}).Resolver.Named(fleettest.MixedSnapshot(),
		resolve.Target{Session: "api"})
	if fleettest.IDs(panes) != "%1 %2 %3" || err != nil {
		t.Errorf("to look at: %s, %v", fleettest.IDs(panes), err)
	}
}

func TestAnActThatLeavesOutTheOnlyCommandSaysHowToNameIt(t *testing.T) {
	t.Parallel()
	_, err := openFake(t, &fleettest.Engine{}).Resolver.Named(fleettest.MixedSnapshot(),
		resolve.Target{Session: "jobs"}.ForPrompts())
	known := fleettest.WantError(t, err, core.AgentNotFound, "")
	want := "It holds: 1 cmd_1 (command). A command takes part where its pane is named, such as jobs.1."
	if known.Hint != want {
		t.Errorf("hint = %q", known.Hint)
	}
}

func TestAPromptThatIsWaitedForNeedsAnAgentOrAName(t *testing.T) {
	t.Parallel()
	f := openFake(t, &fleettest.Engine{Listing: jobs()})
	for name, c := range map[string]struct {
		target resolve.Target
		filter string
		want   string
	}{
		"agents among all":        {resolve.Target{Session: "api", All: true}, "", "%1"},
		"all of several sessions": {resolve.Target{All: true}, "*", "%1"},
		"a shell that is named":   {resolve.Target{Session: "jobs.0"}, "", "%4"},
		"a command that is named": {resolve.Target{Session: "jobs", Panes: []string{"1"}}, "", "%5"},
		"shells only":             {resolve.Target{Session: "jobs", All: true}, "", ""},
		"no agent that matches":   {resolve.Target{All: true}, "j*", ""},
	} {
		sent, err := f.Sender.Send(t.Context(),
			deliver.Request{Await: true, DryRun: true, Text: "hello", Target: c.target, Filter: c.filter})
		if c.want == "" {
			if known := fleettest.WantError(t, err, core.AgentNotFound, ""); !strings.HasPrefix(known.Message,
				"there is no agent to wait for: ") {
				t.Errorf("%s: %s", name, known.Message)
			}
			continue
		}
		var ids []string
		for _, pane := range sent.Await {
			ids = append(ids, string(pane.Pane))
		}
		// Nothing can be typed there, so that the prompt fails.
		if got := strings.Join(ids, " "); core.AsError(err).HasCode(core.AgentNotFound) || got != c.want {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}

func TestAChoiceThatCannotBeSaysWhy(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		target resolve.Target
		says   string
		hint   string
	}{
		"a pane of another session": {
			resolve.Target{Session: "api", Panes: []string{"jobs.1"}},
			`pane "jobs.1" is in session "jobs", not in "api"`,
			"Name that session, or a pane of api. It has: 0 (user), 1 cc_1 (claude), 2 cmd_1 (command), 3 cod_1 " +
				"(codex).",
		},
		"its id": {
			resolve.Target{Session: "web", Panes: []string{"%5"}},
			`pane "%5" is in session "jobs", not in "web"`, "It has: 1 cc_1",
		},
		"an exclusion from another": {
			resolve.Target{Session: "web", Exclude: []string{"api.1"}},
			`pane "api.1" is in session "api", not in "web"`, "It has: 1 cc_1",
		},
		"a pane that is excluded": {
			resolve.Target{Session: "web", Panes: []string{"1"}, Exclude: []string{"1"}},
			`no pane of session "web" is left by all that was asked for together`,
			"It has: 1 cc_1 (claude).",
		},
	} {
		_, err := openFake(t, &fleettest.Engine{}).Resolver.Resolve(fleettest.MixedSnapshot(), c.target)
		if known := fleettest.WantError(t, err, core.PaneNotFound, ""); known.Message != c.says ||
			!strings.Contains(known.Hint, c.hint) {
			t.Errorf("%s: %s\n%s", name, known.Message, known.Hint)
		}
	}
}

func TestKeysWantAPaneWhereThereAreSeveralAgents(t *testing.T) {
	t.Parallel()
	p := &fleettest.Engine{Listing: jobs()}
	second := fleettest.Row("$1", "%7", "node",
		engine.TagRole, panetag.RoleAgent, engine.TagKind, "codex", engine.TagName, "cod_1", engine.TagOrdinal, "3")
	for name, c := range map[string]struct {
		target resolve.Target
		more   []engine.Pane
		want   int
	}{
		"the only agent": {resolve.Target{Session: "api"}, nil, 1},
		"one of several": {resolve.Target{Session: "api"}, []engine.Pane{second}, 0},
		"several of one kind": {
			resolve.Target{Session: "api", Kinds: []string{"codex", "claude"}},
			[]engine.Pane{second},
			2,
		},
		"several that are named": {resolve.Target{Session: "api", Panes: []string{"1", "3"}}, []engine.Pane{second}, 2},
		"all":                    {resolve.Target{Session: "api", All: true}, []engine.Pane{second}, 4},
	} {
		listing := jobs()
		listing.Panes = append(listing.Panes, c.more...)
		p.Listing = listing
		refs, err := openFake(t, p).Sender.Keys(t.Context(),
			deliver.KeysRequest{Target: c.target, Keys: []string{"Enter"}, DryRun: true})
		if c.want == 0 {
			if known := fleettest.WantError(t, err, core.MissingRequired, "api.1"); known.Slip.Word != "api" {
				t.Errorf("%s: %+v", name, known)
			}
		} else if err != nil || len(refs) != c.want {
			t.Errorf("%s: %+v, %v", name, refs, err)
		}
	}
}

func TestAFirstPromptNeedsAnAgent(t *testing.T) {
	t.Parallel()
	launch := lifecycle.LaunchRequest{Commands: []string{"sh"}, Prompt: "hello"}
	_, err := openFake(t, &fleettest.Engine{}).Launcher.Spawn(t.Context(),
		lifecycle.SpawnRequest{Session: "new", DryRun: true, Launch: launch})
	fleettest.WantError(t, err, core.InvalidInput, "")
}
