package fleet_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"cupola/core"
	"cupola/core/agent"
	"cupola/core/fleet/fleettest"
	"cupola/core/fleet/observe"
	"cupola/core/fleet/resolve"
)

func TestResolveFindsWhatIsNamed(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		target resolve.Target
		want   string
	}{
		"a session means its agents":    {resolve.Target{Session: "api"}, "%2 %3"},
		"by id":                         {resolve.Target{Session: "$1"}, "%2 %3"},
		"all includes user panes":       {resolve.Target{Session: "api", All: true}, "%1 %2 %3 %12"},
		"an address":                    {resolve.Target{Session: "api.3"}, "%3"},
		"an address of a user pane":     {resolve.Target{Session: "api.0"}, "%1"},
		"an address by session id":      {resolve.Target{Session: "$1.1"}, "%2"},
		"a pane id":                     {resolve.Target{Session: "%12"}, "%12"},
		"window and pane":               {resolve.Target{Session: "api:1.0"}, "%2"},
		"an ordinal":                    {resolve.Target{Session: "api", Panes: []string{"3"}}, "%3"},
		"an agent's name":               {resolve.Target{Session: "api", Panes: []string{"cc_1"}}, "%2"},
		"an id among panes":             {resolve.Target{Session: "api", Panes: []string{"%12", "1"}}, "%2 %12"},
		"an address among panes":        {resolve.Target{Session: "api", Panes: []string{"api.0"}}, "%1"},
		"a name made up for a stranger": {resolve.Target{Session: "web", Panes: []string{"cc_2"}}, "%20"},
		"the same pane twice is once":   {resolve.Target{Session: "api", Panes: []string{"1", "cc_1"}}, "%2"},
		"a kind by short name":          {resolve.Target{Session: "api", Kinds: []string{"cod"}}, "%3"},
		"kinds together":                {resolve.Target{Session: "api", Kinds: []string{"codex", "cc"}}, "%2 %3"},
		"exclusion": {resolve.Target{
			Session: "api", All: true,
			Exclude: []string{"0", "cod_1"},
		}, "%2 %12"},
		"a kind in a pane that has it":      {resolve.Target{Session: "api.1", Kinds: []string{"claude"}}, "%2"},
		"an address and the panes among it": {resolve.Target{Session: "api.1", Panes: []string{"1", "3"}}, "%2"},
	} {
		t.Run(name, func(t *testing.T) {
			panes, err := resolveIn(t, c.target)
			if err != nil {
				t.Fatal(err)
			}
			var ids []string
			for _, pane := range panes {
				ids = append(ids, string(pane.ID))
			}
			if got := strings.Join(ids, " "); got != c.want {
				t.Errorf("resolve(%+v) = %s, want %s", c.target, got, c.want)
			}
		})
	}
}

func TestAPaneIdIsThePaneWhateverSessionsAreNamed(t *testing.T) {
	t.Parallel()
	snapshot := &core.Snapshot{Sessions: []core.Session{
		{ID: "$1", Name: "api", Panes: []core.Pane{{ID: "%3", Session: "api", Ordinal: 1}}},
		{ID: "$2", Name: "%3", Panes: []core.Pane{{ID: "%4", Session: "%3", Ordinal: 1}}},
		{ID: "$3", Name: "%9"},
	}}
	for word, want := range map[string]string{
		"%3": "api %3", "=%3": "%3", "=%3.1": "%3 %4", "%3.1": "%3 %4",
		"=api": "api", "api": "api",
	} {
		session, pane, err := resolve.Locate(snapshot, word)
		if err != nil {
			t.Errorf("%s: %v", word, err)
			continue
		}
		got := session.Name
		if pane != nil {
			got += " " + string(pane.ID)
		}
		if got != want {
			t.Errorf("%s is %s, want %s", word, got, want)
		}
	}
	_, _, err := resolve.Locate(snapshot, "%9")
	if e := core.AsError(err); !e.HasCode(core.PaneNotFound) || len(e.Suggestions) != 1 || e.Suggestions[0] != "=%9" {
		t.Errorf("got %v, %q", err, e.Suggestions)
	}
}

func TestResolveSuggestsAndNeverGuesses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		target     resolve.Target
		code       core.Code
		suggestion string
	}{
		"a prefix":                     {resolve.Target{Session: "ap"}, core.SessionNotFound, "api"},
		"another case":                 {resolve.Target{Session: "API"}, core.SessionNotFound, "api"},
		"a letter too many":            {resolve.Target{Session: "apii"}, core.SessionNotFound, "api"},
		"nothing near":                 {resolve.Target{Session: "zzz"}, core.SessionNotFound, ""},
		"no session at all":            {resolve.Target{}, core.MissingRequired, ""},
		"an address in no session":     {resolve.Target{Session: "wep.1"}, core.SessionNotFound, "web.1"},
		"an ordinal that is not there": {resolve.Target{Session: "api.2"}, core.PaneNotFound, ""},
		"a name in an address":         {resolve.Target{Session: "api.cc_1"}, core.PaneNotFound, "api.1"},
		"an id that is not there":      {resolve.Target{Session: "%99"}, core.PaneNotFound, ""},
		"a window that is not there":   {resolve.Target{Session: "api:9.0"}, core.PaneNotFound, ""},
		"windows of the same name":     {resolve.Target{Session: "api:w.0"}, core.Ambiguous, "%1"},
		"a pane of another session": {
			resolve.Target{Session: "api", Panes: []string{"%5"}},
			core.PaneNotFound,
			"",
		},
		"a kind in an address": {resolve.Target{Session: "api.claude"}, core.PaneNotFound, "api.1"},
		"no pane beside the one named": {
			resolve.Target{Session: "api.1", Panes: []string{"9"}},
			core.PaneNotFound,
			"api.1",
		},
		"a name that is nearly one": {
			resolve.Target{Session: "api", Panes: []string{"cc1"}},
			core.PaneNotFound,
			"api.1",
		},
		"an exclusion that is not there": {
			resolve.Target{Session: "api", Exclude: []string{"7"}},
			core.PaneNotFound,
			"",
		},
		"an empty word among panes": {
			resolve.Target{Session: "api", Panes: []string{""}},
			core.PaneNotFound,
			"",
		},
		"a kind that does not exist": {
			resolve.Target{Session: "api", Kinds: []string{"cladue"}},
			core.AgentNotFound, "claude",
		},
		"a kind that is not here": {
			resolve.Target{Session: "api", Kinds: []string{"gmi"}},
			core.AgentNotFound,
			"",
		},
		"everything excluded": {
			resolve.Target{Session: "api", Exclude: []string{"1", "3"}},
			core.PaneNotFound, "",
		},
		"a kind that the named pane lacks": {resolve.Target{
			Session: "api", Panes: []string{"0"},
			Kinds: []string{"cc"},
		}, core.PaneNotFound, ""},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := resolveIn(t, c.target)
			fleettest.WantError(t, err, c.code, c.suggestion)
		})
	}
}

// A kind chooses its agents by protocol too: they are the same program. The twin chooses its own alone.
func TestAKindChoosesItsAgentsByProtocolToo(t *testing.T) {
	t.Parallel()
	kinds := fleettest.BuiltinKinds(t)
	resolver := resolve.New(kinds, false)
	for _, kind := range kinds.All() {
		twin, err := kinds.Twin(kind, agent.ByProtocol)
		if err != nil {
			continue
		}
		session := core.Session{Name: "api"}
		for i, id := range []core.Kind{kind.ID, twin.ID, "other"} {
			session.Panes = append(session.Panes, core.Pane{
				ID: core.PaneID(fmt.Sprintf("%%%d", i)), Session: "api", Ordinal: i,
				Agent: core.Agent{Kind: id, Name: string(id)},
			})
		}
		snapshot := &core.Snapshot{EngineUp: true, Sessions: []core.Session{session}}
		for word, want := range map[string]int{
			string(kind.ID): 2, kind.Short: 2, string(twin.ID): 1, twin.Short: 1,
		} {
			for _, in := range []string{"api", ""} {
				panes, err := resolver.Named(snapshot, resolve.Target{Session: in, Kinds: []string{word}, All: true})
				if err != nil || len(panes) != want {
					t.Errorf("--type=%s of %q: %d panes, %v", word, in, len(panes), err)
				}
			}
			if ids, err := resolver.KindIDs([]string{word}); err != nil || len(ids) != want {
				t.Errorf("%s means %s, %v", word, ids, err)
			}
		}
	}
}

func TestAMissingPaneListsWhatThereIs(t *testing.T) {
	t.Parallel()
	_, err := resolveIn(t, resolve.Target{Session: "api.2"})
	known := fleettest.WantError(t, err, core.PaneNotFound, "")
	if want := "It has: 0 (user), 1 cc_1 (claude), 3 cod_1 (codex), 4 (user)."; known.Hint != want {
		t.Errorf("hint = %q, want %q", known.Hint, want)
	}
	if details := fmt.Sprint(known.Details); !strings.Contains(details, "cod_1") {
		t.Errorf("details = %s", details)
	}
}

func TestAWrongNameSaysWhatWouldTakeItsPlace(t *testing.T) {
	t.Parallel()
	listing := fleettest.TwoSessions()
	listing.Sessions[0].Name = "it's here"
	f := openFake(t, &fleettest.Engine{Listing: listing})
	seen, err := f.Observer.Outline(t.Context(), observe.View{})
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		target resolve.Target
		code   core.Code
		slip   core.Slip
		near   string
	}{
		{resolve.Target{Session: "its here"}, core.SessionNotFound, core.Slip{Word: "its here"}, "it's here"},
		{resolve.Target{Session: "apo.1"}, core.SessionNotFound, core.Slip{Word: "apo.1"}, "api.1"},
		{resolve.Target{Session: "api.cc_2"}, core.PaneNotFound, core.Slip{Word: "api.cc_2"}, "api.1"},
		{resolve.Target{Session: "api", Panes: []string{"cc_2"}}, core.PaneNotFound, core.Slip{Word: "cc_2"}, "api.1"},
		{
			resolve.Target{Session: "api", Kinds: []string{"claud"}},
			core.AgentNotFound,
			core.Slip{Word: "claud"},
			"claude",
		},
		{resolve.Target{Session: "cc_1"}, core.SessionNotFound, core.Slip{Word: "cc_1"}, "api.1"},
		{resolve.Target{Session: "codex"}, core.SessionNotFound, core.Slip{Word: "codex"}, "api"},
		{resolve.Target{Session: "cod"}, core.SessionNotFound, core.Slip{Word: "cod"}, "api"},
	} {
		_, err := f.Resolver.Resolve(seen.Snapshot, test.target)
		known := fleettest.WantError(t, err, test.code, test.near)
		if known.Slip != test.slip {
			t.Errorf("%+v: the slip is %+v, want %+v", test.target, known.Slip, test.slip)
		}
		if kind := known.Subject.Kind; kind != "" && kind != test.slip.Word ||
			(kind != "") != slices.Contains(known.Remedies, core.RemedyNameSession) {
			t.Errorf("%+v: %q for the kind %q", test.target, known.Remedies, kind)
		}
	}
}

func TestANameThatIsAlsoAnIdIsAmbiguous(t *testing.T) {
	t.Parallel()
	listing := fleettest.TwoSessions()
	listing.Sessions[0].Name = "$1"
	seen, err := openFake(t, &fleettest.Engine{Listing: listing}).Observer.Outline(t.Context(), observe.View{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = resolve.FindSession(seen.Snapshot, "$1")
	fleettest.WantError(t, err, core.Ambiguous, "")
}

func resolveIn(t *testing.T, target resolve.Target) ([]*core.Pane, error) {
	t.Helper()
	f := openFake(t, &fleettest.Engine{Listing: fleettest.TwoSessions()})
	seen, err := f.Observer.Outline(t.Context(), observe.View{})
	if err != nil {
		t.Fatal(err)
	}
	return f.Resolver.Resolve(seen.Snapshot, target)
}
