package budget_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/agent/transcript"
	"cupola/core/agent/usage"
	"cupola/core/record/budget"
	"cupola/core/record/store"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// fixture is a budget over its own transcripts.
type fixture struct {
	*budget.Monitor
	home string
	now  time.Time
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	f := &fixture{home: t.TempDir(), now: noon}
	s, err := store.Open(t.Context(), filepath.Join(f.home, "cupola.db"), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	write := func(context.Context) (*store.Store, error) { return s, nil }
	read := func(context.Context) (*store.Store, error) { return s, nil }
	f.Monitor = &budget.Monitor{Read: read, Write: write, Now: func() time.Time { return f.now }}
	ledger := usage.New(usage.Options{
		Env: func(name string) string { return map[string]string{"HOME": f.home}[name] }, Read: read, Write: write,
		Prices: usage.DefaultPrices(map[string]usage.Price{"m": {Input: 5e5}}),
	})
	f.Ledger = func() *usage.Ledger { return ledger }
	return f
}

// spend writes what an agent of a session used: so many dollars, two tokens each.
func (f *fixture) spend(t *testing.T, session string, at time.Time, dollars int) {
	t.Helper()
	path := filepath.Join(f.home, ".claude", "projects", session, "s-"+session+".jsonl")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	fmt.Fprintf(file, `{"type":"assistant","sessionId":"s-%s","cwd":"/%s","timestamp":"%s","requestId":"%s %s","message":{"model":"m","usage":{"input_tokens":%d}}}`+"\n",
		session, session, at.Format(time.RFC3339), session, at, 2*dollars)
	writer := transcript.Writer{
		PaneRef: core.PaneRef{Session: session, Kind: "claude"}, Own: "s-" + session, Certain: true,
	}
	if _, err := f.Ledger().Refresh(t.Context(), []transcript.Writer{writer}, nil); err != nil {
		t.Fatal(err)
	}
}

func (f *fixture) set(t *testing.T, c store.Ceiling) {
	t.Helper()
	if err := f.Set(t.Context(), c); err != nil {
		t.Fatal(err)
	}
}

// spends describes every spend.
func (f *fixture) spends(t *testing.T) string {
	t.Helper()
	spends, err := f.Spends(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var words []string
	for i := range spends {
		s := &spends[i]
		words = append(words, fmt.Sprintf("%s%s %g/%g %s", s.Scope[:1], s.Session, s.Used, s.Most, s.State()))
	}
	return strings.Join(words, ", ")
}

func TestACeilingWarnsIsReachedAndIsExceeded(t *testing.T) {
	for used, want := range map[int]string{79: "ok", 80: "warning", 99: "warning", 100: "reached", 101: "exceeded"} {
		f := newFixture(t)
		f.spend(t, "api", noon, used)
		f.set(t, store.Ceiling{Scope: budget.Day, Unit: budget.USD, Most: 100})
		if got := f.spends(t); got != fmt.Sprintf("d %d/100 %s", used, want) {
			t.Errorf("%s, want %s", got, want)
		}
		err := f.Afford(t.Context(), []string{"other"})
		if core.AsError(err).HasCode(core.BudgetExceeded) != (used > 100) {
			t.Errorf("with %d used: %v", used, err)
		}
	}
}

func TestEachCeilingCountsItsOwn(t *testing.T) {
	f := newFixture(t)
	f.spend(t, "api", noon.Add(-24*time.Hour), 10)
	f.spend(t, "api", noon, 5)
	f.spend(t, "web", noon, 7)
	f.set(t, store.Ceiling{Scope: budget.Session, Session: "api", Unit: budget.USD, Most: 20})
	f.set(t, store.Ceiling{Scope: budget.Session, Unit: budget.USD, Most: 6})
	f.set(t, store.Ceiling{Scope: budget.Session, Unit: budget.Tokens, Most: 1000})
	f.set(t, store.Ceiling{Scope: budget.Day, Unit: budget.Tokens, Most: 100})
	f.set(t, store.Ceiling{Scope: budget.Fleet, Unit: budget.USD, Most: 100, Since: noon.Add(-time.Minute)})
	const want = "f 12/100 ok, d 24/100 ok, sapi 15/20 ok, sapi 30/1000 ok, sweb 7/6 exceeded, sweb 14/1000 ok"
	if got := f.spends(t); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if err := f.Afford(t.Context(), []string{"api"}); err != nil {
		t.Error(err)
	}
	err := f.Afford(t.Context(), []string{"api", "web"})
	if e := core.AsError(err); !e.HasCode(core.BudgetExceeded) ||
		!strings.Contains(e.Message, "session web has used $7.00 of $6.00") {
		t.Errorf("got %v", err)
	}
}

func TestWhatWasPassedIsRememberedInItsPeriod(t *testing.T) {
	f := newFixture(t)
	ceiling := store.Ceiling{Scope: budget.Day, Unit: budget.USD, Most: 10}
	f.set(t, ceiling)
	f.spend(t, "api", noon, 9)
	passed := func() (warned, reached time.Time) {
		t.Helper()
		spends, err := f.Spends(t.Context())
		if err != nil || len(spends) != 1 {
			t.Fatal(spends, err)
		}
		return spends[0].WarnedAt, spends[0].ReachedAt
	}
	if warned, reached := passed(); !warned.Equal(noon) || !reached.IsZero() {
		t.Errorf("warned %v, reached %v", warned, reached)
	}
	f.now = noon.Add(time.Hour)
	f.spend(t, "api", f.now, 5)
	if warned, reached := passed(); !warned.Equal(noon) || !reached.Equal(f.now) {
		t.Errorf("warned %v, reached %v", warned, reached)
	}
	f.now = noon.Add(24 * time.Hour)
	if warned, reached := passed(); !warned.IsZero() || !reached.IsZero() {
		t.Errorf("the next day: warned %v, reached %v", warned, reached)
	}
	f.now = noon.Add(2 * time.Hour)
	ceiling.Most = 15
	f.set(t, ceiling)
	if warned, reached := passed(); !warned.Equal(f.now) || !reached.IsZero() {
		t.Errorf("raised: warned %v, reached %v", warned, reached)
	}
}

func TestCeilingsAreRemovedAndMustBeSomething(t *testing.T) {
	f := newFixture(t)
	c := store.Ceiling{Scope: budget.Session, Session: "api", Unit: budget.USD, Most: 10}
	f.set(t, c)
	if err := f.Remove(t.Context(), c); err != nil {
		t.Error(err)
	}
	if err := f.Remove(t.Context(), c); !core.AsError(err).HasCode(core.NotFound) {
		t.Errorf("got %v", err)
	}
	c.Most = 0
	if err := f.Set(t.Context(), c); !core.AsError(err).HasCode(core.InvalidInput) {
		t.Errorf("got %v", err)
	}
}
