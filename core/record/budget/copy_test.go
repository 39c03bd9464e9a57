package budget_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cupola/core"
	"cupola/core/agent/usage"
	"cupola/core/record/budget"
	"cupola/core/record/store"
)

func TestACeilingThatWasJustSetIsListed(t *testing.T) {
	f := newFixture(t)
	for _, c := range []store.Ceiling{
		{Scope: budget.Fleet, Unit: budget.USD, Most: 3},
		{Scope: budget.Day, Unit: budget.USD, Most: 2},
		{Scope: budget.Session, Unit: budget.USD, Most: 10},
		{Scope: budget.Session, Session: "api", Unit: budget.Tokens, Most: 5},
	} {
		f.set(t, c)
	}
	if got, want := f.spends(t), "f 0/3 ok, d 0/2 ok, s 0/10 ok, sapi 0/5 ok"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	f.spend(t, "web", noon, 1)
	if got := f.spends(t); !strings.Contains(got, "sweb 1/10 ok") || strings.Contains(got, "s 0/10") {
		t.Errorf("after a spend: %q", got)
	}
}

// copyFixture is a fixture over a file that can be damaged.
func copyFixture(t *testing.T) (f *fixture, file string, warnings *[]string) {
	t.Helper()
	f = newFixture(t)
	file = filepath.Join(f.home, "other.db")
	f.Read = func(ctx context.Context) (*store.Store, error) {
		s, err := store.OpenReadOnly(ctx, file, store.Options{})
		if err == nil {
			t.Cleanup(func() { s.Close() })
		}
		return s, err
	}
	f.Write = func(ctx context.Context) (*store.Store, error) {
		s, err := store.Open(ctx, file, store.Options{})
		if err == nil {
			t.Cleanup(func() { s.Close() })
		}
		return s, err
	}
	ledger := usage.New(usage.Options{
		Env: func(name string) string { return map[string]string{"HOME": f.home}[name] }, Read: f.Read, Write: f.Write,
		Prices: usage.DefaultPrices(nil),
	})
	f.Ledger = func() *usage.Ledger { return ledger }
	warnings = &[]string{}
	f.Copy, f.Warn = file+".ceilings", func(text string) { *warnings = append(*warnings, text) }
	return f, file, warnings
}

func TestCeilingsOutliveAStoreThatIsDamagedOrGone(t *testing.T) {
	for name, harm := range map[string]func(t *testing.T, file string) error{
		"damaged": func(_ *testing.T, file string) error {
			return os.WriteFile(file, []byte(strings.Repeat("no database ", 500)), 0o600)
		},
		"gone": func(_ *testing.T, file string) error { return os.Remove(file) },
	} {
		t.Run(name, func(t *testing.T) {
			f, file, warnings := copyFixture(t)
			f.set(t, store.Ceiling{Scope: budget.Day, Unit: budget.USD, Most: 2})
			for _, beside := range []string{"-wal", "-shm"} {
				_ = os.Remove(file + beside)
			}
			if err := harm(t, file); err != nil {
				t.Fatal(err)
			}
			if all, err := f.Ceilings(t.Context()); err != nil || len(all) != 1 || all[0].Most != 2 {
				t.Fatalf("%+v, %v", all, err)
			}
			if len(*warnings) != 1 || !strings.Contains((*warnings)[0], "taken over") {
				t.Errorf("it was told %q", *warnings)
			}
			if err := f.Remove(t.Context(), store.Ceiling{Scope: budget.Day, Unit: budget.USD}); err != nil {
				t.Fatal(err)
			}
			if all, err := f.Ceilings(t.Context()); err != nil || len(all) != 0 || f.Known() {
				t.Errorf("one that was removed is back: %+v, %v", all, err)
			}
		})
	}
}

func TestCeilingsThatCannotBeReadAreKnownToExist(t *testing.T) {
	f, file, _ := copyFixture(t)
	if f.Known() {
		t.Error("known before any was set")
	}
	f.set(t, store.Ceiling{Scope: budget.Day, Unit: budget.USD, Most: 2})
	if err := os.RemoveAll(file); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(file, 0o700); err != nil {
		t.Fatal(err)
	}
	if all, err := f.Ceilings(t.Context()); !core.AsError(err).HasCode(core.StoreError) || !f.Known() {
		t.Errorf("%+v, %v", all, err)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(f.Copy, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if all, err := f.Ceilings(t.Context()); !core.AsError(err).HasCode(core.StoreError) || !f.Known() {
		t.Errorf("a copy that cannot be read: %+v, %v", all, err)
	}
	f.set(t, store.Ceiling{Scope: budget.Day, Unit: budget.USD, Most: 3})
	if all, err := f.Ceilings(t.Context()); err != nil || len(all) != 1 {
		t.Errorf("set again: %+v, %v", all, err)
	}
}
