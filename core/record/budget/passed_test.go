package budget_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"cupola/core/record/budget"
	"cupola/core/record/store"
)

// passed is in words what is known to be passed.
func (f *fixture) passed(t *testing.T) string {
	t.Helper()
	spends, err := f.Passed(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var words []string
	for i := range spends {
		s := &spends[i]
		words = append(words, fmt.Sprintf("%s%s %g/%g", s.Scope[:1], s.Session, s.Used, s.Most))
	}
	return strings.Join(words, ", ")
}

func TestWhatIsPassedIsKnownWithoutCounting(t *testing.T) {
	f := newFixture(t)
	f.Mark = filepath.Join(f.home, "passed")
	f.set(t, store.Ceiling{Scope: budget.Session, Unit: budget.USD, Most: 10})
	f.set(t, store.Ceiling{Scope: budget.Day, Unit: budget.USD, Most: 20})
	f.spend(t, "api", noon, 9)
	f.spend(t, "web", noon, 12)
	if got := f.passed(t); got != "" {
		t.Errorf("before a count: %q", got)
	}
	f.spends(t)
	if got := f.passed(t); got != "d 20/20, sapi 8/10, sweb 10/10" {
		t.Errorf("after counting: %q", got)
	}
	f.now = noon.Add(24 * time.Hour)
	if got := f.passed(t); got != "sapi 8/10, sweb 10/10" {
		t.Errorf("on the next day: %q", got)
	}
	f.set(t, store.Ceiling{Scope: budget.Session, Unit: budget.USD, Most: 100})
	if got := f.passed(t); got != "" {
		t.Errorf("under a higher ceiling: %q", got)
	}
}

func TestTheMarkGoesWithTheLastCeilingThatIsPassed(t *testing.T) {
	f := newFixture(t)
	f.Mark = filepath.Join(f.home, "passed")
	ceiling := store.Ceiling{Scope: budget.Fleet, Unit: budget.USD, Most: 10}
	f.set(t, ceiling)
	f.spend(t, "api", noon, 12)
	f.spends(t)
	if _, err := os.Stat(f.Mark); err != nil {
		t.Errorf("a ceiling is passed: %v", err)
	}
	if err := f.Remove(t.Context(), ceiling); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(f.Mark); !os.IsNotExist(err) {
		t.Errorf("none is passed any more: %v", err)
	}
}

func TestSeveralMayTakeTheMarkAwayAtOnce(t *testing.T) {
	f := newFixture(t)
	f.Mark = filepath.Join(f.home, "passed")
	for range 50 {
		if err := os.WriteFile(f.Mark, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		var all sync.WaitGroup
		for _, session := range []string{"api", "web", "docs"} {
			all.Go(func() {
				if err := f.Set(t.Context(),
					store.Ceiling{Scope: budget.Session, Session: session, Unit: budget.USD, Most: 10}); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		if budget.Marked(f.Mark) {
			t.Error("the mark is left")
		}
	}
}
