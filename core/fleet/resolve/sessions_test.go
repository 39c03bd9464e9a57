package resolve

import (
	"slices"
	"testing"

	"cupola/core"
)

func TestARollFindsSessionsByNameAndIDAlone(t *testing.T) {
	roll := SessionsOf(&core.Snapshot{EngineUp: true, Sessions: []core.Session{
		{ID: "$1", Name: "api", Engine: "tmux"},
		{ID: "$o2", Name: "own:hj", Engine: "own"},
		{ID: "$3", Name: "tmux:hj", Engine: "tmux"},
		{ID: "$2", Name: "web", Engine: "tmux"},
	}})
	for word, want := range map[string]string{
		"api": "api", "$2": "web", "old": "old", "tmux:web": "web", "own:hj": "own:hj", "$3": "tmux:hj",
	} {
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
		"h/api": {`no session is named "h/api", and no host "h"`, []string{"api"}},
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
	if _, err := roll.Find("hj"); !core.AsError(err).HasCode(core.Ambiguous) {
		t.Errorf("the name of two: %v", err)
	}
	if got, err := roll.Find("hj", "hj"); got != "hj" || err != nil {
		t.Errorf("the name of two, on record: %q, %v", got, err)
	}
	if _, err := (Sessions{}).Find("api"); !slices.Contains(core.AsError(err).Remedies, core.RemedyStartSession) {
		t.Errorf("without a server: %q", core.AsError(err).Remedies)
	}
}
