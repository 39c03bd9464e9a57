package fleettest

import (
	"errors"
	"testing"

	"cupola/core"
)

// WantError checks an error's code and first suggestion; an empty suggestion is
// not checked.
func WantError(t *testing.T, err error, code core.Code, suggestion string) *core.Error {
	t.Helper()
	known, is := errors.AsType[*core.Error](err)
	if !is {
		t.Fatalf("error = %v, want %s", err, code)
	}
	if known.Code != code {
		t.Errorf("code = %s (%v), want %s", known.Code, err, code)
	}
	if suggestion != "" && (len(known.Suggestions) == 0 || known.Suggestions[0] != suggestion) {
		t.Errorf("suggestions = %q, want %q first", known.Suggestions, suggestion)
	}
	return known
}
