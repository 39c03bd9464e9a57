package relay

import (
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"cupola/core"
)

func TestABackendFailsUntilItAnswers(t *testing.T) {
	r := newRunner(t, "text", `cat >/dev/null
test ! -e fails || { echo 'Error: no' >&2; exit 1; }
echo yes`)
	fails := filepath.Join(r.Defaults.Dir, "fails")
	now := time.Now()
	expect := func(want int, count int) {
		t.Helper()
		got := r.Book.Failing(now)
		if len(got) != want {
			t.Fatalf("%d backends fail: %+v", len(got), got)
		}
		if want > 0 && (got[0].Backend != "echoer" || got[0].Count != count || got[0].Message != "Error: no" ||
			got[0].Code != core.BackendFailed || got[0].Interrupted) {
			t.Errorf("failing is %+v", got[0])
		}
	}
	expect(0, 0)
	if err := os.WriteFile(fails, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for count := range 2 {
		if _, err := ask(t, r, Request{}); err == nil {
			t.Fatal("it did not fail")
		}
		expect(1, count+1)
	}
	now = time.Now().Add(failingFor + time.Minute)
	expect(0, 0)
	now = time.Now()
	if err := os.Remove(fails); err != nil {
		t.Fatal(err)
	}
	if _, err := ask(t, r, Request{}); err != nil {
		t.Fatal(err)
	}
	expect(0, 0)
	if _, err := os.Stat(filepath.Join(r.Book.Dir, failingFile)); !os.IsNotExist(err) {
		t.Errorf("the file of failing backends is left: %v", err)
	}
}

func TestAnInterruptedRelayFailsForADay(t *testing.T) {
	r := newRunner(t, "text", "cat")
	plan, err := r.Plan(t.Context(), Request{Prompt: "why?", Timeout: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	record, err := r.Book.New(t.Context(), plan, "why?", time.Now())
	if err != nil {
		t.Fatal(err)
	}
	// It says that a process runs it, and no process does.
	record.State, record.PID = Running, os.Getpid()
	if err := r.Book.files().Save(record); err != nil {
		t.Fatal(err)
	}
	got := r.Book.Failing(time.Now())
	if len(got) != 1 || !got[0].Interrupted || got[0].ID != record.ID {
		t.Fatalf("failing is %+v", got)
	}
	later := time.Now().Add(interruptedFor + time.Minute)
	if got := r.Book.Failing(later); len(got) != 0 {
		t.Errorf("a day later: %+v", got)
	}
	if _, err := r.Book.New(t.Context(), plan, "why?", later); err != nil {
		t.Fatal(err)
	}
	if open := r.Book.opened(); len(open) != 1 || open[0] == record.ID {
		t.Errorf("open are %q", open)
	}
}

func TestManyRelaysBeginAtOnce(t *testing.T) {
	r := newRunner(t, "text", "cat")
	plan, err := r.Plan(t.Context(), Request{Prompt: "why?", Timeout: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for range 50 {
		all.Go(func() {
			if _, err := r.Book.New(t.Context(), plan, "why?", time.Now()); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if open := r.Book.opened(); len(open) != 50 {
		t.Errorf("%d are open", len(open))
	}
}
