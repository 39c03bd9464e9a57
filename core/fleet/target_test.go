package fleet_test

import (
	"cupola/core"
	"cupola/core/engine"
	"cupola/core/fleet/await"
	"cupola/core/fleet/deliver"
	"cupola/core/fleet/fleettest"
	"cupola/core/fleet/lifecycle"
	"cupola/core/fleet/observe"
	"cupola/core/fleet/resolve"
	"slices"
	"strings"
	"testing"
)

// mixed is a picture with sessions of agents, commands and shells: api has one of
// each and another agent, jobs has no agent, and web has one agent alone.
func mixed() *core.Snapshot {
	job := func(p *core.Pane) { p.Agent = core.Agent{Name: "cmd_1", Kind: core.KindCommand} }
	codex := func(p *core.Pane) { p.Agent = core.Agent{Name: "cod_1", Kind: "codex"} }
	return fleettest.Snapshot(
		fleettest.Session("$1", "api",
			fleettest.Pane(0, "%0", nil), fleettest.Pane(1, "%1", fleettest.Claude(core.Idle)), fleettest.Pane(2, "%2", job), fleettest.Pane(3, "%3", codex)),
		fleettest.Session("$2", "jobs", fleettest.Pane(0, "%4", nil), fleettest.Pane(1, "%5", job)),
		fleettest.Session("$3", "web", fleettest.Pane(1, "%6", fleettest.Claude(core.Idle))),
	)
}

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

// idsIn are the ids of panes, in a line.
func idsIn(panes []*core.Pane) string {
	var ids []string
	for _, pane := range panes {
		ids = append(ids, string(pane.ID))
	}
	return strings.Join(ids, " ")
}

func TestCommandsTakePartInActsOnlyWhereTheyAreNamed(t *testing.T) {
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
		panes, err := staged(t, &fleettest.Engine{}).Resolver.Named(mixed(), c.target.ForPrompts())
		if got := idsIn(panes); err != nil || got != c.want {
			t.Errorf("%s: %s, %v; want %s", name, got, err, c.want)
		}
	}
	panes, err := staged(t, &fleettest.Engine{}).Resolver.Named(mixed(), resolve.Target{Session: "api"})
	if idsIn(panes) != "%1 %2 %3" || err != nil {
		t.Errorf("to look at: %s, %v", idsIn(panes), err)
	}
}

func TestAnActThatLeavesOutTheOnlyCommandSaysHowToNameIt(t *testing.T) {
	_, err := staged(t, &fleettest.Engine{}).Resolver.Named(mixed(), resolve.Target{Session: "jobs"}.ForPrompts())
	known := fleettest.WantError(t, err, core.AgentNotFound, "")
	if want := "It holds: 1 cmd_1 (command). A command takes part where its pane is named, such as jobs.1."; known.Hint != want {
		t.Errorf("hint = %q", known.Hint)
	}
}

func TestAWaitHasSomebodyToWaitFor(t *testing.T) {
	f := staged(t, &fleettest.Engine{})
	for name, c := range map[string]struct {
		picture *core.Snapshot
		target  resolve.Target
		want    string
		skipped int
		says    string
	}{
		"a session with a command":   {mixed(), resolve.Target{Session: "api"}, "%1 %3", 1, ""},
		"every session":              {mixed(), resolve.Target{}, "%1 %3 %6", 2, ""},
		"a command that is named":    {mixed(), resolve.Target{Session: "api.2"}, "%2", 0, ""},
		"a shell that is named":      {mixed(), resolve.Target{Session: "api", Panes: []string{"0"}}, "%0", 0, ""},
		"a session with no agent":    {mixed(), resolve.Target{Session: "jobs"}, "", 0, `there is nobody to wait for: session "jobs" holds no agent`},
		"no session":                 {fleettest.Snapshot(), resolve.Target{}, "", 0, "there is nobody to wait for: no session holds an agent"},
		"no agent of a kind":         {mixed(), resolve.Target{Kinds: []string{"gemini"}}, "", 0, "there is nobody to wait for: no session holds an agent of kind gemini"},
		"a kind that is none at all": {mixed(), resolve.Target{Kinds: []string{"gemni"}}, "", 0, `no agent kind is called "gemni"`},
	} {
		w := &await.waiter{Request: await.Request{Target: c.target.ForPrompts()}, fleet: &f}
		err := w.begin(c.picture)
		if c.says != "" {
			known := fleettest.WantError(t, err, core.AgentNotFound, "")
			add := ""
			if len(known.Suggestions) > 0 && c.target.Session == "jobs" {
				add = "--for=exited"
			}
			if known.Message != c.says || known.Slip.Add != add {
				t.Errorf("%s: %q, %+v", name, known.Message, known.Slip)
			}
			continue
		}
		var ids []string
		for _, id := range await.idsOf(w.panes) {
			ids = append(ids, string(id))
		}
		if got := strings.Join(ids, " "); err != nil || got != c.want || len(w.result(0).Skipped) != c.skipped {
			t.Errorf("%s: %s, %+v, %v", name, got, w.skipped, err)
		}
	}
}

func TestAPromptThatIsWaitedForNeedsAnAgentOrAName(t *testing.T) {
	f := staged(t, &fleettest.Engine{Listing: jobs()})
	for name, c := range map[string]struct {
		target resolve.Target
		filter string
		want   string
	}{
		"agents among all":        {resolve.Target{Session: "api", All: true}, "", "%1"},
		"all of several sessions": {resolve.Target{All: true}, "*", "%1"},
		"a shell that is named":   {resolve.Target{Session: "jobs.0"}, "", "%4"},
		"a command that is named": {resolve.Target{Session: "jobs", Panes: []string{"1"}}, "", "%5"},
		"nobody but shells":       {resolve.Target{Session: "jobs", All: true}, "", ""},
		"nobody where it matches": {resolve.Target{All: true}, "j*", ""},
	} {
		sent, err := f.Sender.Send(t.Context(), deliver.Request{Await: true, DryRun: true, Text: "hello", Target: c.target, Filter: c.filter})
		if c.want == "" {
			if known := fleettest.WantError(t, err, core.AgentNotFound, ""); !strings.HasPrefix(known.Message, "there is nobody to wait for: ") {
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

func TestAWaitTellsForWhomItWaits(t *testing.T) {
	f := staged(t, &fleettest.Engine{})
	var told []core.Progress
	w := &await.waiter{Request: await.Request{
		Target: resolve.Target{Session: "api"}.ForPrompts(), For: []core.State{core.Exited}, Progress: func(p core.Progress) { told = append(told, p) },
	}, fleet: &f}
	if err := w.begin(mixed()); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if done, err := w.settle(fleettest.Noon); done != (len(told) > 1) || err != nil {
			t.Fatal(done, err)
		}
		w.panes[0].Status.State = core.Exited
		w.Any = true
	}
	want := []core.Progress{
		{Phase: "wait", Percent: 0, Message: "0 of 2 are there; waiting for api.1, api.3"},
		{Phase: "wait", Percent: 50, Message: "1 of 2 are there; waiting for api.3"},
	}
	if !slices.Equal(told, want) {
		t.Errorf("%+v", told)
	}
	if got := await.someOf(strings.Split("a b c d e f g", " ")); got != "a, b, c, d, e and 2 more" {
		t.Error(got)
	}
}

func TestAChoiceThatCannotBeSaysWhy(t *testing.T) {
	for name, c := range map[string]struct {
		target resolve.Target
		says   string
		hint   string
	}{
		"a pane of another session": {
			resolve.Target{Session: "api", Panes: []string{"jobs.1"}},
			`pane "jobs.1" is in session "jobs", not in "api"`,
			"Name that session, or a pane of api. It has: 0 (user), 1 cc_1 (claude), 2 cmd_1 (command), 3 cod_1 (codex).",
		},
		"its id": {resolve.Target{Session: "web", Panes: []string{"%5"}}, `pane "%5" is in session "jobs", not in "web"`, "It has: 1 cc_1"},
		"an exclusion from another": {
			resolve.Target{Session: "web", Exclude: []string{"api.1"}}, `pane "api.1" is in session "api", not in "web"`, "It has: 1 cc_1",
		},
		"a pane that is excluded": {
			resolve.Target{Session: "web", Panes: []string{"1"}, Exclude: []string{"1"}},
			`no pane of session "web" is left by all that was asked for together`, "all narrow the choice. It has: 1 cc_1 (claude).",
		},
	} {
		_, err := staged(t, &fleettest.Engine{}).Resolver.Resolve(mixed(), c.target)
		if known := fleettest.WantError(t, err, core.PaneNotFound, ""); known.Message != c.says || !strings.Contains(known.Hint, c.hint) {
			t.Errorf("%s: %s\n%s", name, known.Message, known.Hint)
		}
	}
}

func TestAllAgentsOfASessionAreRestartedOnlyWhereThatIsSaid(t *testing.T) {
	f := staged(t, &fleettest.Engine{})
	api := resolve.Target{Session: "api"}
	for name, c := range map[string]struct {
		request lifecycle.RestartRequest
		want    string
	}{
		"a session":                  {lifecycle.RestartRequest{Target: api}, ""},
		"a session, by its id":       {lifecycle.RestartRequest{Target: resolve.Target{Session: "$1"}}, ""},
		"a session of one agent":     {lifecycle.RestartRequest{Target: resolve.Target{Session: "web"}}, ""},
		"a dry run":                  {lifecycle.RestartRequest{Target: api, DryRun: true}, ""},
		"a smart one":                {lifecycle.RestartRequest{Target: api, Smart: true}, "%1 %3"},
		"a smart one that is forced": {lifecycle.RestartRequest{Target: api, Smart: true, Force: true}, ""},
		"every one, by force":        {lifecycle.RestartRequest{Target: api, Smart: true, Force: true, Every: true}, "%1 %3"},
		"every one":                  {lifecycle.RestartRequest{Target: api, Every: true}, "%1 %3"},
		"an address":                 {lifecycle.RestartRequest{Target: resolve.Target{Session: "api.1"}}, "%1"},
		"a pane":                     {lifecycle.RestartRequest{Target: resolve.Target{Session: "api", Panes: []string{"3"}}}, "%3"},
		"a kind":                     {lifecycle.RestartRequest{Target: resolve.Target{Session: "api", Kinds: []string{"claude"}}}, "%1"},
		"all but one":                {lifecycle.RestartRequest{Target: resolve.Target{Session: "api", Exclude: []string{"1"}}}, "%3"},
		"a command that is named":    {lifecycle.RestartRequest{Target: resolve.Target{Session: "api.2"}}, "%2"},
	} {
		panes, err := c.request.restartable(f.launcher)(mixed())
		if c.want == "" {
			known := fleettest.WantError(t, err, core.MissingRequired, "")
			if len(known.Suggestions) == 0 || known.Slip.Word != c.request.Target.Session {
				t.Errorf("%s: %q in the place of %+v", name, known.Suggestions, known.Slip)
			}
			if !strings.Contains(known.Hint, "--all") || !strings.Contains(known.Message, "1 cc_1 (claude)") {
				t.Errorf("%s: %v", name, known)
			}
		} else if got := idsIn(panes); err != nil || got != c.want {
			t.Errorf("%s: %s, %v", name, got, err)
		}
	}
}

func TestKeysWantAPaneWhereThereAreSeveralAgents(t *testing.T) {
	p := &fleettest.Engine{Listing: jobs()}
	second := fleettest.Row("$1", "%7", "node",
		engine.TagRole, panetag.RoleAgent, engine.TagKind, "codex", engine.TagName, "cod_1", engine.TagOrdinal, "3")
	for name, c := range map[string]struct {
		target resolve.Target
		more   []engine.Pane
		want   int
	}{
		"the only agent":         {resolve.Target{Session: "api"}, nil, 1},
		"one of several":         {resolve.Target{Session: "api"}, []engine.Pane{second}, 0},
		"several of one kind":    {resolve.Target{Session: "api", Kinds: []string{"codex", "claude"}}, []engine.Pane{second}, 2},
		"several that are named": {resolve.Target{Session: "api", Panes: []string{"1", "3"}}, []engine.Pane{second}, 2},
		"all":                    {resolve.Target{Session: "api", All: true}, []engine.Pane{second}, 4},
	} {
		listing := jobs()
		listing.Panes = append(listing.Panes, c.more...)
		p.Listing = listing
		refs, err := staged(t, p).Sender.Keys(t.Context(), deliver.KeysRequest{Target: c.target, Keys: []string{"Enter"}, DryRun: true})
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
	launch := lifecycle.LaunchRequest{Commands: []string{"sh"}, Prompt: "hello"}
	_, err := staged(t, &fleettest.Engine{}).Launcher.Spawn(t.Context(), lifecycle.SpawnRequest{Session: "new", DryRun: true, Launch: launch})
	fleettest.WantError(t, err, core.InvalidInput, "")
}
