package cli

import (
	"testing"

	"cupola/core"
)

func TestUserIsAskedForMissingFlag(t *testing.T) {
	keys := allVerbs().Find("keys")
	several := &core.Error{
		Code: core.MissingRequired, Details: map[string]any{"panes": 2},
		Remedies: []core.Remedy{core.RemedyPressWhere}, Subject: core.Subject{Panes: []string{"api.1"}},
	}
	if field := askedFor(keys, several); field == nil || field.Name != "panes" {
		t.Errorf("of several panes: %+v", field)
	}
	for why, err := range map[string]*core.Error{
		"nothing is missing": nil,
		"another code":       {Code: core.InvalidInput, Details: map[string]any{"missing": []string{"--panes"}}},
		"one of two": {
			Code: core.MissingRequired, Details: map[string]any{"missing": []string{"--panes", "--all"}},
		},
	} {
		if field := askedFor(keys, err); field != nil {
			t.Errorf("%s: %+v", why, field)
		}
	}
}
