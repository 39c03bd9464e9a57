package resolve

import (
	"slices"
	"testing"

	"cupola/core"
)

func TestARollFindsSessionsByNameAndIDAlone(t *testing.T) {
	roll := Sessions{EngineUp: true, Names: []string{"api", "web"}, ids: []core.SessionID{"$1", "$2"}}
	for word, want := range map[string]string{"api": "api", "$2": "web", "old": "old"} {
		if got, err := roll.Find(word, "old"); got != want || err != nil {
			t.Errorf("%s is %q, %v", word, got, err)
		}
	}
	for word, want := range map[string]struct {
		message string
		near    []string
	}{
		"ap":    {`no session is named "ap"`, []string{"api"}},
		"odl":   {`no session is named "odl"`, []string{"old"}},
		"api.1": {`"api.1" is a pane; a session is wanted here`, []string{"api"}},
		"web:0": {`"web:0" is a pane; a session is wanted here`, []string{"web"}},
		"%3":    {`"%3" is a pane; a session is wanted here`, nil},
	} {
		_, err := roll.Find(word, "old")
		e := core.AsError(err)
		if !e.HasCode(core.SessionNotFound) || e.Message != want.message || !slices.Equal(e.Suggestions, want.near) ||
			e.Slip.Word != word {
			t.Errorf("%s: got %v, %q", word, e, e.Suggestions)
		}
	}
	if _, err := (Sessions{}).Find("api"); !slices.Contains(core.AsError(err).Remedies, core.RemedyStartSession) {
		t.Errorf("without a server: %q", core.AsError(err).Remedies)
	}
}
