package fleet

import (
	"slices"
	"testing"

	"cupola/core"
	"cupola/core/engine"
)

func TestAdoptKeepsEveryNumberOfTheSession(t *testing.T) {
	p := &puppet{listing: cast()}
	pane, err := staged(t, p).Adopt(t.Context(), AdoptRequest{Pane: "web.2", Name: "critic"})
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
		{Pane: "%20", Name: engine.TagRole, Value: roleAgent},
		{Pane: "%20", Name: engine.TagName, Value: "critic"},
		{Session: "$2", Name: engine.TagNext, Value: "3"},
	}
	if !slices.Equal(p.tags, want) {
		t.Errorf("tags %v\nwant %v", p.tags, want)
	}
}

func TestAdoptRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		request AdoptRequest
		code    core.Code
	}{
		"an unknown kind":              {AdoptRequest{Pane: "web.1", Kind: "cladue"}, core.AgentNotFound},
		"a pane nothing is known of":   {AdoptRequest{Pane: "web.1"}, core.MissingRequired},
		"another kind than it has":     {AdoptRequest{Pane: "api.1", Kind: "codex"}, core.Conflict},
		"a name that is taken":         {AdoptRequest{Pane: "web.2", Name: "cc_1"}, core.AlreadyExists},
		"a name that is a number":      {AdoptRequest{Pane: "web.2", Name: "7"}, core.InvalidInput},
		"a name that parts an address": {AdoptRequest{Pane: "web.2", Name: "a.b"}, core.InvalidInput},
		"a whole session":              {AdoptRequest{Pane: "web"}, core.InvalidInput},
	} {
		t.Run(name, func(t *testing.T) {
			p := &puppet{listing: cast()}
			_, err := staged(t, p).Adopt(t.Context(), c.request)
			wantError(t, err, c.code, "")
			if len(p.tags) > 0 {
				t.Errorf("tagged %v", p.tags)
			}
		})
	}
}

func TestAdoptingAgainChangesNothing(t *testing.T) {
	pane, err := staged(t, &puppet{listing: cast()}).Adopt(t.Context(), AdoptRequest{Pane: "api.1", Kind: "cc"})
	if err != nil || pane.Agent.Name != "cc_1" || pane.Agent.Kind != "claude" {
		t.Errorf("adopted %+v, %v", pane, err)
	}
}
