package verb_test

import (
	"testing"

	"cupola/core"
	"cupola/core/verb"
	"cupola/core/verb/registry"
	"cupola/core/verb/verbtest"
)

// A session on record is found while the terminal server does not answer.
func TestRecordsNeedNoAnswerOfTheServer(t *testing.T) {
	env := verbtest.Open(t, &verbtest.Server{Silent: true}, &registry.Catalog{})
	t.Cleanup(func() { _ = env.Close() })
	if _, err := verb.SessionOnRecord(t.Context(), env, "gone"); !core.AsError(err).HasCode(core.SessionNotFound) {
		t.Errorf("got %v", err)
	}
}
