package core_test

import (
	"testing"
	"time"

	"cupola/core"
)

func TestASessionAnswersToItsNamesAndToNoOther(t *testing.T) {
	made := time.Unix(1769857200, 0)
	both := core.Session{ID: "$3", Name: "own:hj", Engine: core.OwnEngine, Created: made}
	alone := core.Session{ID: "$3", Name: "hj", Engine: core.TmuxEngine, Created: made}
	for word, want := range map[string][2]bool{
		"own:hj": {true, false}, "tmux:hj": {false, true}, "hj": {false, true}, "$3": {true, true},
		"$3@1769857200": {true, true}, "$3@1769857201": {false, false}, "": {false, false},
		"own:own:hj": {false, false},
	} {
		if got := [2]bool{both.Called(word), alone.Called(word)}; got != want {
			t.Errorf("%q: %v", word, got)
		}
	}
	if both.Bare() != "hj" || alone.Bare() != "hj" || core.BareName("ssh:hj") != "ssh:hj" {
		t.Error("the names in their engines are others")
	}
	far := core.Session{ID: "gpu1/$3", Name: "gpu1/hj", Engine: core.TmuxEngine, Created: made}
	if got := far.IdentityOf("gpu1/%5"); got != "gpu1/$3@1769857200.%5" {
		t.Error(got)
	}
	for word, want := range map[string]bool{"$3@1": true, "$3": false, "a@1": false, "$3@x": false} {
		if core.IsIdentity(word) != want {
			t.Error(word)
		}
	}
}
