package core_test

import (
	"slices"
	"testing"

	"cupola/core"
	"cupola/core/agent"
	"cupola/core/fleet/fleettest"
	"cupola/core/fleet/resolve"
)

// TestEveryKindIsAnAgentOrLeftOut goes over all kinds, and what a pane can hold beside them: each is counted exactly
// where it is addressed.
func TestEveryKindIsAnAgentOrLeftOut(t *testing.T) {
	kinds, err := agent.Load()
	if err != nil {
		t.Fatal(err)
	}
	held := map[core.Kind]bool{"": false, core.KindCommand: false, "a-kind-without-a-file": true}
	for _, kind := range kinds.All() {
		held[kind.ID] = kind.ID != core.KindCommand
	}
	if len(held) < 9 {
		t.Fatalf("only %d kinds", len(held))
	}
	for kind, is := range held {
		for _, state := range core.States {
			snap := fleettest.Snapshot(fleettest.Session("$1", "api", fleettest.Pane(1, "%1", func(p *core.Pane) {
				p.Agent, p.Status.State = core.Agent{Name: "x_1", Kind: kind}, state
			})))
			pane, session := snap.Pane("%1"), &snap.Sessions[0]
			who, counts := core.AddresseesOf(snap.Panes()), snap.Counts()
			for what, got := range map[string]bool{
				"addressed": slices.Contains(who.Agents, pane), "not beside": !slices.Contains(who.Beside, pane),
				"without a reason": pane.WhyBeside() == "", "an agent": pane.IsAgent(),
				"counted":       counts.Agents == 1 && counts.ByState[state] == 1,
				"its session's": len(session.Agents()) == 1,
			} {
				if got != is {
					t.Errorf("%q %s: %s is %v", kind, state, what, got)
				}
			}
			if needing := len(snap.PanesNeedingUser()) > 0; needing && !is {
				t.Errorf("%q %s: needs the user as an agent", kind, state)
			}
			if named := len(session.Programs()) == 1; named != (kind != "") {
				t.Errorf("%q %s: a program is %v", kind, state, named)
			}
		}
	}
}

// TestWhatAnAgentsOwnProgramRunsIsBeside goes over the roles: who leads a team is addressed, its members where they are
// asked for, and an overview is no agent.
func TestWhatAnAgentsOwnProgramRunsIsBeside(t *testing.T) {
	for role, want := range map[core.Role]struct{ agent, addressed, inTeam bool }{
		"": {true, true, true}, core.RoleLead: {true, true, true}, core.RoleMember: {true, false, true},
		core.RoleOverview: {},
	} {
		snap := fleettest.Snapshot(fleettest.Session("$1", "api", fleettest.Pane(1, "%1", func(p *core.Pane) {
			p.Agent = core.Agent{Name: "cc_1", Kind: "claude", Role: role, Team: "alpha"}
		})))
		pane := snap.Pane("%1")
		resolver := resolve.New(fleettest.Kinds(t, fleettest.StubKind), false)
		selects := func(target resolve.Target) bool {
			panes, err := resolver.Resolve(snap, target.ForPrompts())
			return err == nil && len(panes) == 1
		}
		for what, check := range map[string]struct{ got, want bool }{
			"an agent":          {pane.IsAgent(), want.agent},
			"addressed":         {pane.WhyBeside() == "", want.addressed},
			"of the session":    {selects(resolve.Target{Session: "api"}), want.addressed},
			"of the kind":       {selects(resolve.Target{Session: "api", Kinds: []string{"cc"}}), want.addressed},
			"with the team":     {selects(resolve.Target{Session: "api", Team: true}), want.inTeam},
			"where it is named": {selects(resolve.Target{Session: "api.1"}), true},
		} {
			if check.got != check.want {
				t.Errorf("%q: %s is %v", role, what, check.got)
			}
		}
	}
}
