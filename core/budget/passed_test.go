package budget_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"cupola/core/budget"
	"cupola/core/store"
)

// passed is in words what is known to be passed.
func (p *purse) passed(t *testing.T) string {
	t.Helper()
	spends, err := p.Passed(t.Context())
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
	p := newPurse(t)
	p.Mark = filepath.Join(p.home, "passed")
	p.set(t, store.Ceiling{Scope: budget.Session, Unit: budget.USD, Most: 10})
	p.set(t, store.Ceiling{Scope: budget.Day, Unit: budget.USD, Most: 20})
	p.spend(t, "api", noon, 9)
	p.spend(t, "web", noon, 12)
	if got := p.passed(t); got != "" {
		t.Errorf("before anybody counted: %q", got)
	}
	p.stands(t)
	if got := p.passed(t); got != "d 20/20, sapi 8/10, sweb 10/10" {
		t.Errorf("after counting: %q", got)
	}
	p.now = noon.Add(24 * time.Hour)
	if got := p.passed(t); got != "sapi 8/10, sweb 10/10" {
		t.Errorf("on the next day: %q", got)
	}
	p.set(t, store.Ceiling{Scope: budget.Session, Unit: budget.USD, Most: 100})
	if got := p.passed(t); got != "" {
		t.Errorf("under a higher ceiling: %q", got)
	}
}

func TestTheMarkGoesWithTheLastCeilingThatIsPassed(t *testing.T) {
	p := newPurse(t)
	p.Mark = filepath.Join(p.home, "passed")
	ceiling := store.Ceiling{Scope: budget.Fleet, Unit: budget.USD, Most: 10}
	p.set(t, ceiling)
	p.spend(t, "api", noon, 12)
	p.stands(t)
	if _, err := os.Stat(p.Mark); err != nil {
		t.Errorf("a ceiling is passed: %v", err)
	}
	if err := p.Remove(t.Context(), ceiling); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(p.Mark); !os.IsNotExist(err) {
		t.Errorf("none is passed any more: %v", err)
	}
}

func TestSeveralMayTakeTheMarkAwayAtOnce(t *testing.T) {
	p := newPurse(t)
	p.Mark = filepath.Join(p.home, "passed")
	for range 50 {
		if err := os.WriteFile(p.Mark, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		var all sync.WaitGroup
		for _, session := range []string{"api", "web", "docs"} {
			all.Go(func() {
				if err := p.Set(t.Context(),
					store.Ceiling{Scope: budget.Session, Session: session, Unit: budget.USD, Most: 10}); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		if budget.Marked(p.Mark) {
			t.Error("the mark is left")
		}
	}
}
