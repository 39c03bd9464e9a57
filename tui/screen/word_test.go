package screen_test

import (
	"testing"

	"cupola/core"
	"cupola/tui/screen"
)

func TestWordsTellOfTeamsOverviewsAndGuesses(t *testing.T) {
	idle := core.Status{State: core.Idle}
	for _, c := range []struct {
		agent       core.Agent
		full, brief string
	}{
		{core.Agent{Kind: "claude", Role: core.RoleLead, Team: "alpha"}, "idle, leads alpha", "idle"},
		{core.Agent{Kind: "claude", Role: core.RoleMember, Team: "alpha"}, "idle, member of alpha", "idle"},
		{core.Agent{Kind: "claude", Role: core.RoleOverview}, "overview of agents", "overview"},
		{core.Agent{Maybe: "claude"}, "user, maybe claude", "user"},
		{core.Agent{}, "user", "user"},
	} {
		pane := &core.Pane{Agent: c.agent, Status: idle}
		if full, brief := screen.StateWord(pane), screen.BriefWord(pane); full != c.full || brief != c.brief {
			t.Errorf("%+v: %q, %q", c.agent, full, brief)
		}
	}
}
