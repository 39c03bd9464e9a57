package store_test

import (
	"path/filepath"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/record/store"
)

// noon is the clock of these tests.
var noon = time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)

// storePath is where a test's store is.
func storePath(t testing.TB) string {
	t.Helper()
	return filepath.Join(t.TempDir(), "data", "cupola.db")
}

// open opens a store to write to and closes it with the test.
func open(t testing.TB, path string, opts store.Options) *store.Store {
	t.Helper()
	if opts.Now == nil {
		opts.Now = func() time.Time { return noon }
	}
	s, err := store.Open(t.Context(), path, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// reader opens a store to read from and closes it with the test.
func reader(t testing.TB, path string) *store.Store {
	t.Helper()
	s, err := store.OpenReadOnly(t.Context(), path, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// aPrompt goes to one agent of the session api.
func aPrompt(id, text string) core.Prompt {
	p := core.NewPrompt(core.OriginSend, text,
		core.PaneRef{Session: "api", Ordinal: 1, Pane: "%1", Agent: "cc_1", Kind: "claude"})
	p.ID, p.At, p.Server = id, noon, "/s"
	return *p
}

// save records prompts.
func save(t testing.TB, s *store.Store, prompts ...core.Prompt) {
	t.Helper()
	for _, p := range prompts {
		if err := store.PromptsIn(s).Save(t.Context(), p); err != nil {
			t.Fatal(err)
		}
	}
}

// found are the ids of what a query finds.
func found(t testing.TB, s *store.Store, q store.PromptQuery) []string {
	t.Helper()
	page, err := store.PromptsIn(s).Find(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	ids := []string{}
	for _, p := range page.Prompts {
		ids = append(ids, p.ID)
	}
	return ids
}

// failsWith fails the test unless an error has a code.
func failsWith(t testing.TB, err error, code core.Code) *core.Error {
	t.Helper()
	e := core.AsError(err)
	if !e.HasCode(code) {
		t.Fatalf("got %v (%v), want %s", err, e, code)
	}
	return e
}
