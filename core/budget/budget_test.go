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
	"cupola/core/budget"
	"cupola/core/store"
	"cupola/core/usage"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// purse is a book over transcripts of its own.
type purse struct {
	*budget.Book
	home string
	now  time.Time
}

func newPurse(t *testing.T) *purse {
	t.Helper()
	p := &purse{home: t.TempDir(), now: noon}
	s, err := store.Open(t.Context(), filepath.Join(p.home, "cupola.db"), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	write := func(context.Context) (*store.Store, error) { return s, nil }
	read := func(context.Context) (*store.Store, func(), error) { return s, func() {}, nil }
	p.Book = &budget.Book{Read: read, Write: write, Now: func() time.Time { return p.now }}
	p.Ledger = usage.New(usage.Options{
		Env: func(name string) string { return map[string]string{"HOME": p.home}[name] }, Read: read, Write: write,
		Prices: usage.DefaultPrices(map[string]usage.Price{"m": {Input: 5e5}}),
	})
	return p
}

// spend writes what an agent of a session used: so many dollars, two tokens each.
func (p *purse) spend(t *testing.T, session string, at time.Time, dollars int) {
	t.Helper()
	path := filepath.Join(p.home, ".claude", "projects", session, "s-"+session+".jsonl")
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
	if _, err := p.Ledger.Refresh(t.Context(),
		[]usage.Writer{{Owner: session, Kind: "claude", Session: "s-" + session, Certain: true}}, nil); err != nil {
		t.Fatal(err)
	}
}

func (p *purse) set(t *testing.T, c store.Ceiling) {
	t.Helper()
	if err := p.Set(t.Context(), c); err != nil {
		t.Fatal(err)
	}
}

// stands is every spend in words.
func (p *purse) stands(t *testing.T) string {
	t.Helper()
	spends, err := p.Spends(t.Context())
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
		p := newPurse(t)
		p.spend(t, "api", noon, used)
		p.set(t, store.Ceiling{Scope: budget.Day, Unit: budget.USD, Most: 100})
		if got := p.stands(t); got != fmt.Sprintf("d %d/100 %s", used, want) {
			t.Errorf("%s, want %s", got, want)
		}
		err := p.Afford(t.Context(), []string{"other"})
		if core.AsError(err).HasCode(core.BudgetExceeded) != (used > 100) {
			t.Errorf("with %d used: %v", used, err)
		}
	}
}

func TestEachCeilingCountsItsOwn(t *testing.T) {
	p := newPurse(t)
	p.spend(t, "api", noon.Add(-24*time.Hour), 10)
	p.spend(t, "api", noon, 5)
	p.spend(t, "web", noon, 7)
	p.set(t, store.Ceiling{Scope: budget.Session, Session: "api", Unit: budget.USD, Most: 20})
	p.set(t, store.Ceiling{Scope: budget.Session, Unit: budget.USD, Most: 6})
	p.set(t, store.Ceiling{Scope: budget.Session, Unit: budget.Tokens, Most: 1000})
	p.set(t, store.Ceiling{Scope: budget.Day, Unit: budget.Tokens, Most: 100})
	p.set(t, store.Ceiling{Scope: budget.Fleet, Unit: budget.USD, Most: 100, Since: noon.Add(-time.Minute)})
	const want = "f 12/100 ok, d 24/100 ok, sapi 15/20 ok, sapi 30/1000 ok, sweb 7/6 exceeded, sweb 14/1000 ok"
	if got := p.stands(t); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if err := p.Afford(t.Context(), []string{"api"}); err != nil {
		t.Error(err)
	}
	err := p.Afford(t.Context(), []string{"api", "web"})
	if e := core.AsError(err); !e.HasCode(core.BudgetExceeded) ||
		!strings.Contains(e.Message, "session web has used $7.00 of $6.00") {
		t.Errorf("got %v", err)
	}
}

func TestWhatWasPassedIsRememberedInItsPeriod(t *testing.T) {
	p := newPurse(t)
	ceiling := store.Ceiling{Scope: budget.Day, Unit: budget.USD, Most: 10}
	p.set(t, ceiling)
	p.spend(t, "api", noon, 9)
	passed := func() (warned, reached time.Time) {
		t.Helper()
		spends, err := p.Spends(t.Context())
		if err != nil || len(spends) != 1 {
			t.Fatal(spends, err)
		}
		return spends[0].WarnedAt, spends[0].ReachedAt
	}
	if warned, reached := passed(); !warned.Equal(noon) || !reached.IsZero() {
		t.Errorf("warned %v, reached %v", warned, reached)
	}
	p.now = noon.Add(time.Hour)
	p.spend(t, "api", p.now, 5)
	if warned, reached := passed(); !warned.Equal(noon) || !reached.Equal(p.now) {
		t.Errorf("warned %v, reached %v", warned, reached)
	}
	p.now = noon.Add(24 * time.Hour)
	if warned, reached := passed(); !warned.IsZero() || !reached.IsZero() {
		t.Errorf("the next day: warned %v, reached %v", warned, reached)
	}
	p.now = noon.Add(2 * time.Hour)
	ceiling.Most = 15
	p.set(t, ceiling)
	if warned, reached := passed(); !warned.Equal(p.now) || !reached.IsZero() {
		t.Errorf("raised: warned %v, reached %v", warned, reached)
	}
}

func TestCeilingsAreRemovedAndMustBeSomething(t *testing.T) {
	p := newPurse(t)
	c := store.Ceiling{Scope: budget.Session, Session: "api", Unit: budget.USD, Most: 10}
	p.set(t, c)
	if err := p.Remove(t.Context(), c); err != nil {
		t.Error(err)
	}
	if err := p.Remove(t.Context(), c); !core.AsError(err).HasCode(core.NotFound) {
		t.Errorf("got %v", err)
	}
	c.Most = 0
	if err := p.Set(t.Context(), c); !core.AsError(err).HasCode(core.InvalidInput) {
		t.Errorf("got %v", err)
	}
}
