package fleet_test

import (
	"slices"
	"testing"

	"cupola/core"
	"cupola/core/engine"
	"cupola/core/fleet/fleettest"
	"cupola/core/fleet/lifecycle"
	"cupola/core/fleet/panetag"
)

func TestAdoptKeepsEveryNumberOfTheSession(t *testing.T) {
	t.Parallel()
	p := &fleettest.Engine{Listing: fleettest.TwoSessions()}
	pane, err := openFake(t, p).Launcher.Adopt(t.Context(), lifecycle.AdoptRequest{Pane: "web.2", Name: "critic"})
	if err != nil {
		t.Fatal(err)
	}
	if pane.Agent.Name != "critic" || pane.Agent.Kind != "claude" || !pane.Managed {
		t.Errorf("adopted %+v", pane)
	}
	want := []engine.Tag{
		{Pane: "%5", Name: engine.TagOrdinal, Value: "0"},
		{Pane: "%6", Name: engine.TagOrdinal, Value: "1"},
		{Pane: "%20", Name: engine.TagOrdinal, Value: "2"},
		{Pane: "%20", Name: engine.TagKind, Value: "claude"},
		{Pane: "%20", Name: engine.TagRole, Value: panetag.RoleAgent},
		{Pane: "%20", Name: engine.TagName, Value: "critic"},
		{Session: "$2", Name: engine.TagNext, Value: "3"},
	}
	if !slices.Equal(p.Tags, want) {
		t.Errorf("tags %v\nwant %v", p.Tags, want)
	}
}

func TestAdoptRefuses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		request lifecycle.AdoptRequest
		code    core.Code
	}{
		"an unknown kind":              {lifecycle.AdoptRequest{Pane: "web.1", Kind: "cladue"}, core.AgentNotFound},
		"a pane nothing is known of":   {lifecycle.AdoptRequest{Pane: "web.1"}, core.MissingRequired},
		"another kind than it has":     {lifecycle.AdoptRequest{Pane: "api.1", Kind: "codex"}, core.Conflict},
		"a name that is taken":         {lifecycle.AdoptRequest{Pane: "web.2", Name: "cc_1"}, core.AlreadyExists},
		"a name that is a number":      {lifecycle.AdoptRequest{Pane: "web.2", Name: "7"}, core.InvalidInput},
		"a name that parts an address": {lifecycle.AdoptRequest{Pane: "web.2", Name: "a.b"}, core.InvalidInput},
		"a whole session":              {lifecycle.AdoptRequest{Pane: "web"}, core.InvalidInput},
	} {
		t.Run(name, func(t *testing.T) {
			p := &fleettest.Engine{Listing: fleettest.TwoSessions()}
			_, err := openFake(t, p).Launcher.Adopt(t.Context(), c.request)
			fleettest.WantError(t, err, c.code, "")
			if len(p.Tags) > 0 {
				t.Errorf("tagged %v", p.Tags)
			}
		})
	}
}

func TestAdoptingAgainChangesNothing(t *testing.T) {
	t.Parallel()
	pane, err := openFake(t, &fleettest.Engine{Listing: fleettest.TwoSessions()}).Launcher.Adopt(t.Context(),
		lifecycle.AdoptRequest{Pane: "api.1", Kind: "cc"})
	if err != nil || pane.Agent.Name != "cc_1" || pane.Agent.Kind != "claude" {
		t.Errorf("adopted %+v, %v", pane, err)
	}
}
