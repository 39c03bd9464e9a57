package fleet

import (
	"slices"
	"strings"
	"testing"

	"cupola/core"
	"cupola/core/engine"
)

// mixed is a picture with sessions of agents, commands and shells: api has one of
// each and another agent, jobs has no agent, and web has one agent alone.
func mixed() *core.Snapshot {
	job := func(p *core.Pane) { p.Agent = core.Agent{Name: "cmd_1", Kind: core.KindCommand} }
	codex := func(p *core.Pane) { p.Agent = core.Agent{Name: "cod_1", Kind: "codex"} }
	return aPicture(
		aSession("$1", "api",
			aPane(0, "%0", nil), aPane(1, "%1", claude(core.Idle)), aPane(2, "%2", job), aPane(3, "%3", codex)),
		aSession("$2", "jobs", aPane(0, "%4", nil), aPane(1, "%5", job)),
		aSession("$3", "web", aPane(1, "%6", claude(core.Idle))),
	)
}

// jobs is a server of two sessions: api with an agent, a command and a shell, and jobs
// without an agent.
func jobs() engine.Listing {
	agent := func(session, id, kind, name, ordinal string) engine.Pane {
		return row(session, id, "node",
			engine.TagRole, roleAgent, engine.TagKind, kind, engine.TagName, name, engine.TagOrdinal, ordinal)
	}
	shell := func(session, id string) engine.Pane {
		return row(session, id, "bash", engine.TagRole, roleUser, engine.TagOrdinal, "0")
	}
	return engine.Listing{
		Taken: noon, Sessions: []engine.Session{{ID: "$1", Name: "api"}, {ID: "$2", Name: "jobs"}},
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
		target Target
		want   string
	}{
		"a session":                   {Target{Session: "api"}, "%1 %3"},
		"every session":               {Target{}, "%1 %3 %6"},
		"all":                         {Target{Session: "api", All: true}, "%0 %1 %2 %3"},
		"an address":                  {Target{Session: "api.2"}, "%2"},
		"a name among panes":          {Target{Session: "api", Panes: []string{"cmd_1", "1"}}, "%1 %2"},
		"an address in every session": {Target{Panes: []string{"jobs.1"}}, "%5"},
		"the kind":                    {Target{Session: "api", Kinds: []string{"command"}}, "%2"},
		"the kind beside another":     {Target{Session: "api", Kinds: []string{"claude", "command"}}, "%1 %2"},
		"what is left out":            {Target{Session: "api", Exclude: []string{"1"}}, "%3"},
	} {
		panes, err := staged(t, &puppet{}).named(mixed(), c.target.prompted())
		if got := idsIn(panes); err != nil || got != c.want {
			t.Errorf("%s: %s, %v; want %s", name, got, err, c.want)
		}
	}
	panes, err := staged(t, &puppet{}).named(mixed(), Target{Session: "api"})
	if idsIn(panes) != "%1 %2 %3" || err != nil {
		t.Errorf("to look at: %s, %v", idsIn(panes), err)
	}
}

func TestAnActThatLeavesOutTheOnlyCommandSaysHowToNameIt(t *testing.T) {
	_, err := staged(t, &puppet{}).named(mixed(), Target{Session: "jobs"}.prompted())
	known := wantError(t, err, core.AgentNotFound, "")
	if want := "It holds: 1 cmd_1 (command). A command takes part where its pane is named, such as jobs.1."; known.Hint != want {
		t.Errorf("hint = %q", known.Hint)
	}
}

func TestAWaitHasSomebodyToWaitFor(t *testing.T) {
	f := staged(t, &puppet{})
	for name, c := range map[string]struct {
		picture *core.Snapshot
		target  Target
		want    string
		skipped int
		says    string
	}{
		"a session with a command":   {mixed(), Target{Session: "api"}, "%1 %3", 1, ""},
		"every session":              {mixed(), Target{}, "%1 %3 %6", 2, ""},
		"a command that is named":    {mixed(), Target{Session: "api.2"}, "%2", 0, ""},
		"a shell that is named":      {mixed(), Target{Session: "api", Panes: []string{"0"}}, "%0", 0, ""},
		"a session with no agent":    {mixed(), Target{Session: "jobs"}, "", 0, `there is nobody to wait for: session "jobs" holds no agent`},
		"no session":                 {aPicture(), Target{}, "", 0, "there is nobody to wait for: no session holds an agent"},
		"no agent of a kind":         {mixed(), Target{Kinds: []string{"gemini"}}, "", 0, "there is nobody to wait for: no session holds an agent of kind gemini"},
		"a kind that is none at all": {mixed(), Target{Kinds: []string{"gemni"}}, "", 0, `no agent kind is called "gemni"`},
	} {
		w := &waiter{WaitRequest: WaitRequest{Target: c.target.prompted()}, fleet: &f.lookout}
		err := w.begin(c.picture)
		if c.says != "" {
			known := wantError(t, err, core.AgentNotFound, "")
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
		for _, id := range idsOf(w.panes) {
			ids = append(ids, string(id))
		}
		if got := strings.Join(ids, " "); err != nil || got != c.want || len(w.result(0).Skipped) != c.skipped {
			t.Errorf("%s: %s, %+v, %v", name, got, w.skipped, err)
		}
	}
}

func TestAPromptThatIsWaitedForNeedsAnAgentOrAName(t *testing.T) {
	f := staged(t, &puppet{listing: jobs()})
	for name, c := range map[string]struct {
		target Target
		filter string
		want   string
	}{
		"agents among all":        {Target{Session: "api", All: true}, "", "%1"},
		"all of several sessions": {Target{All: true}, "*", "%1"},
		"a shell that is named":   {Target{Session: "jobs.0"}, "", "%4"},
		"a command that is named": {Target{Session: "jobs", Panes: []string{"1"}}, "", "%5"},
		"nobody but shells":       {Target{Session: "jobs", All: true}, "", ""},
		"nobody where it matches": {Target{All: true}, "j*", ""},
	} {
		sent, err := f.Send(t.Context(), SendRequest{Await: true, DryRun: true, Text: "hello", Target: c.target, Filter: c.filter})
		if c.want == "" {
			if known := wantError(t, err, core.AgentNotFound, ""); !strings.HasPrefix(known.Message, "there is nobody to wait for: ") {
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
	f := staged(t, &puppet{})
	var told []Progress
	w := &waiter{WaitRequest: WaitRequest{
		Target: Target{Session: "api"}.prompted(), For: []core.State{core.Exited}, Progress: func(p Progress) { told = append(told, p) },
	}, fleet: &f.lookout}
	if err := w.begin(mixed()); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if done, err := w.settle(noon); done != (len(told) > 1) || err != nil {
			t.Fatal(done, err)
		}
		w.panes[0].Status.State = core.Exited
		w.Any = true
	}
	want := []Progress{
		{Phase: "wait", Percent: 0, Message: "0 of 2 are there; waiting for api.1, api.3"},
		{Phase: "wait", Percent: 50, Message: "1 of 2 are there; waiting for api.3"},
	}
	if !slices.Equal(told, want) {
		t.Errorf("%+v", told)
	}
	if got := someOf(strings.Split("a b c d e f g", " ")); got != "a, b, c, d, e and 2 more" {
		t.Error(got)
	}
}

func TestAChoiceThatCannotBeSaysWhy(t *testing.T) {
	for name, c := range map[string]struct {
		target Target
		says   string
		hint   string
	}{
		"a pane of another session": {
			Target{Session: "api", Panes: []string{"jobs.1"}},
			`pane "jobs.1" is in session "jobs", not in "api"`,
			"Name that session, or a pane of api. It has: 0 (user), 1 cc_1 (claude), 2 cmd_1 (command), 3 cod_1 (codex).",
		},
		"its id": {Target{Session: "web", Panes: []string{"%5"}}, `pane "%5" is in session "jobs", not in "web"`, "It has: 1 cc_1"},
		"an exclusion from another": {
			Target{Session: "web", Exclude: []string{"api.1"}}, `pane "api.1" is in session "api", not in "web"`, "It has: 1 cc_1",
		},
		"a pane that is excluded": {
			Target{Session: "web", Panes: []string{"1"}, Exclude: []string{"1"}},
			`no pane of session "web" is left by all that was asked for together`, "all narrow the choice. It has: 1 cc_1 (claude).",
		},
	} {
		_, err := staged(t, &puppet{}).resolve(mixed(), c.target)
		if known := wantError(t, err, core.PaneNotFound, ""); known.Message != c.says || !strings.Contains(known.Hint, c.hint) {
			t.Errorf("%s: %s\n%s", name, known.Message, known.Hint)
		}
	}
}

func TestAllAgentsOfASessionAreRestartedOnlyWhereThatIsSaid(t *testing.T) {
	f := staged(t, &puppet{})
	api := Target{Session: "api"}
	for name, c := range map[string]struct {
		request RestartRequest
		want    string
	}{
		"a session":                  {RestartRequest{Target: api}, ""},
		"a session, by its id":       {RestartRequest{Target: Target{Session: "$1"}}, ""},
		"a session of one agent":     {RestartRequest{Target: Target{Session: "web"}}, ""},
		"a dry run":                  {RestartRequest{Target: api, DryRun: true}, ""},
		"a smart one":                {RestartRequest{Target: api, Smart: true}, "%1 %3"},
		"a smart one that is forced": {RestartRequest{Target: api, Smart: true, Force: true}, ""},
		"every one, by force":        {RestartRequest{Target: api, Smart: true, Force: true, Every: true}, "%1 %3"},
		"every one":                  {RestartRequest{Target: api, Every: true}, "%1 %3"},
		"an address":                 {RestartRequest{Target: Target{Session: "api.1"}}, "%1"},
		"a pane":                     {RestartRequest{Target: Target{Session: "api", Panes: []string{"3"}}}, "%3"},
		"a kind":                     {RestartRequest{Target: Target{Session: "api", Kinds: []string{"claude"}}}, "%1"},
		"all but one":                {RestartRequest{Target: Target{Session: "api", Exclude: []string{"1"}}}, "%3"},
		"a command that is named":    {RestartRequest{Target: Target{Session: "api.2"}}, "%2"},
	} {
		panes, err := c.request.restartable(&f.observer)(mixed())
		if c.want == "" {
			known := wantError(t, err, core.MissingRequired, "")
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
	p := &puppet{listing: jobs()}
	second := row("$1", "%7", "node",
		engine.TagRole, roleAgent, engine.TagKind, "codex", engine.TagName, "cod_1", engine.TagOrdinal, "3")
	for name, c := range map[string]struct {
		target Target
		more   []engine.Pane
		want   int
	}{
		"the only agent":         {Target{Session: "api"}, nil, 1},
		"one of several":         {Target{Session: "api"}, []engine.Pane{second}, 0},
		"several of one kind":    {Target{Session: "api", Kinds: []string{"codex", "claude"}}, []engine.Pane{second}, 2},
		"several that are named": {Target{Session: "api", Panes: []string{"1", "3"}}, []engine.Pane{second}, 2},
		"all":                    {Target{Session: "api", All: true}, []engine.Pane{second}, 4},
	} {
		listing := jobs()
		listing.Panes = append(listing.Panes, c.more...)
		p.listing = listing
		refs, err := staged(t, p).Keys(t.Context(), KeysRequest{Target: c.target, Keys: []string{"Enter"}, DryRun: true})
		if c.want == 0 {
			if known := wantError(t, err, core.MissingRequired, "api.1"); known.Slip.Word != "api" {
				t.Errorf("%s: %+v", name, known)
			}
		} else if err != nil || len(refs) != c.want {
			t.Errorf("%s: %+v, %v", name, refs, err)
		}
	}
}

func TestAFirstPromptNeedsAnAgent(t *testing.T) {
	launch := LaunchRequest{Commands: []string{"sh"}, Prompt: "hello"}
	_, err := staged(t, &puppet{}).Spawn(t.Context(), SpawnRequest{Session: "new", DryRun: true, Launch: launch})
	wantError(t, err, core.InvalidInput, "")
}
