package relay

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/run"
)

// limitedOnce is a script that is at a usage limit for some time when it is called first, and answers later.
func limitedOnce(t *testing.T, span string) string {
	t.Helper()
	return fmt.Sprintf(`cat >/dev/null
if ! [ -e '%[1]s' ]; then
	touch '%[1]s'
	echo "part of an answer"
	echo "You've hit your usage limit. Try again in %[2]s." >&2
	exit 1
fi
echo "the whole answer"`, filepath.Join(t.TempDir(), "asked"), span)
}

func TestARelayWaitsUntilTheUsageLimitResets(t *testing.T) {
	r := newRunner(t, "text", limitedOnce(t, "300ms"))
	began := time.Now()
	record, err := ask(t, r, Request{Limits: run.LimitPolicy{OnLimit: run.WaitForReset}})
	if err != nil || record.State != Done || strings.TrimSpace(record.Text) != "the whole answer" {
		t.Fatalf("%+v, %v", record, err)
	}
	if took := time.Since(began); took < 300*time.Millisecond || !record.Until.IsZero() {
		t.Errorf("it took %s, and waits until %s", took, record.Until)
	}
	if text := strings.TrimSpace(r.Directory.SoFar(record.ID)); text != "the whole answer" {
		t.Errorf("the events have the answer %q", text)
	}
	if _, err := os.Stat(filepath.Join(r.Directory.Dir, record.ID, planFile)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a plan is left: %v", err)
	}
	r = newRunner(t, "text", limitedOnce(t, "300ms"))
	if record, err := ask(t, r, Request{}); !core.AsError(err).HasCode(core.RateLimited) || record.State != Failed {
		t.Errorf("without a word it does not stop: %v, %v", record.State, err)
	}
}

func TestARelayThatWaitsIsCancelled(t *testing.T) {
	r := newRunner(t, "text", limitedOnce(t, "5 hours"))
	plan, err := r.Plan(t.Context(), Request{
		Prompt: "why?", Timeout: time.Minute, Limits: run.LimitPolicy{OnLimit: run.WaitForReset},
	})
	if err != nil {
		t.Fatal(err)
	}
	record, err := r.Directory.New(t.Context(), plan, "why?", time.Now())
	if err != nil {
		t.Fatal(err)
	}
	over := make(chan error)
	go func() {
		_, err := r.Carry(t.Context(), record.ID, plan, "why?", nil)
		over <- err
	}()
	waiting := waits(t, r, record.ID)
	if h := waiting.Head(); h.State != Running || time.Until(h.Until) < 4*time.Hour {
		t.Errorf("its head is %+v", h)
	}
	ended, err := r.Directory.Cancel(t.Context(), record.ID)
	if err != nil || ended.State != Cancelled || !ended.Head().Until.IsZero() {
		t.Errorf("%+v, %v", ended, err)
	}
	if err := <-over; !core.AsError(err).HasCode(core.Cancelled) {
		t.Errorf("it ended with %v", err)
	}
}

// waits returns a relay once it waits for a limit.
func waits(t *testing.T, r *Runner, id string) *Record {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); ; {
		record, err := r.Directory.Load(id)
		if err == nil && !record.Until.IsZero() {
			return record
		}
		if time.Now().After(end) {
			t.Fatalf("it does not wait: %+v, %v", record, err)
		}
		_ = core.Sleep(t.Context(), 5*time.Millisecond)
	}
}

// A process that was killed leaves the record as it was, and the plan beside it.
func TestARelayThatWasCutOffWhileItWaitedWaitsOn(t *testing.T) {
	r := newRunner(t, "text", limitedOnce(t, "5 hours"))
	policy := run.LimitPolicy{OnLimit: run.WaitForReset}
	plan, err := r.Plan(t.Context(), Request{Prompt: "why?", Timeout: time.Minute, Limits: policy})
	if err != nil {
		t.Fatal(err)
	}
	record, err := r.Directory.New(t.Context(), plan, "why?", time.Now())
	if err == nil {
		err = r.Directory.savePlan(record.ID, plan, "why?")
	}
	until := time.Now().Add(400 * time.Millisecond)
	record.State, record.Until = Running, until
	if err == nil {
		err = r.Directory.files().Save(record)
	}
	if err != nil {
		t.Fatal(err)
	}
	cut, err := r.Directory.Load(record.ID)
	if err != nil || cut.State != Interrupted || !cut.Resumable() || cut.Head().Reason != run.AtLimit {
		t.Fatalf("%+v, %v", cut, err)
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	go func() {
		if again := waits(t, r, record.ID); time.Now().Before(until) && again.State == Done {
			t.Error("it asked before the limit reset")
		}
	}()
	// The first answer is the limit again, and its second wait is cut short.
	go func() {
		for ctx.Err() == nil {
			if again, err := r.Directory.Load(record.ID); err == nil && time.Until(again.Until) > time.Hour {
				stop()
			}
			_ = core.Sleep(ctx, 5*time.Millisecond)
		}
	}()
	if _, err := r.Resume(ctx, record.ID); !core.AsError(err).HasCode(core.Cancelled) || time.Now().Before(until) {
		t.Errorf("%v at %s, before %s", err, time.Now(), until)
	}
	if _, err := r.Resume(t.Context(), record.ID); !core.AsError(err).HasCode(core.Conflict) {
		t.Errorf("one that was cancelled goes on: %v", err)
	}
}

func TestARelaySwitchesToTheNextBackend(t *testing.T) {
	r := newRunner(t, "text", limitedOnce(t, "5 hours"))
	other := *r.Relay.Backends[0]
	other.ID, other.Short, other.Name = "second", "", "Second"
	r.Relay.Backends = append(r.Relay.Backends, &other)
	policy := run.LimitPolicy{OnLimit: run.SwitchBackend, Fallback: []string{"second"}}
	record, err := ask(t, r, Request{Limits: policy})
	if err != nil || record.State != Done || record.Backend != "second" {
		t.Errorf("%+v, %v", record, err)
	}
	policy.Fallback = []string{"secnd"}
	if _, err := ask(t, r, Request{Limits: policy}); len(core.AsError(err).Suggestions) == 0 {
		t.Errorf("a backend that is not there: %v", err)
	}
}

func TestAConversationContinuesOnAnotherBackend(t *testing.T) {
	r := newRunner(t, "claude", says)
	other := *r.Relay.Backends[0]
	other.ID, other.Short, other.Name = "second", "", "Second"
	r.Relay.Backends = append(r.Relay.Backends, &other)
	plan := func(to string) *Plan {
		p, err := r.Plan(t.Context(), Request{Prompt: "now", Backend: to, Label: "design", Timeout: time.Minute})
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	if _, err := ask(t, r, Request{Prompt: "first thing", Label: "design"}); err != nil {
		t.Fatal(err)
	}
	first := r.Relay.Backends[0].ID
	if p := plan(""); p.Backend != first || p.Session == "" || strings.Contains(p.Prompt, "first thing") {
		t.Errorf("the same backend resumes session %q with %q", p.Session, p.Prompt)
	}
	p := plan("second")
	if p.Backend != "second" || p.Session != "" || !strings.Contains(p.Prompt, "User: first thing") {
		t.Errorf("another backend gets %q in session %q", p.Prompt, p.Session)
	}
	if _, err := ask(t, r, Request{Prompt: "second thing", Backend: "second", Label: "design"}); err != nil {
		t.Fatal(err)
	}
	if p := plan(""); p.Backend != "second" || p.Session == "" {
		t.Errorf("the conversation stayed with %s, session %q", p.Backend, p.Session)
	}
	if p := plan(first); p.Session != "" || !strings.Contains(p.Prompt, "second thing") {
		t.Errorf("back on the first backend it gets %q in session %q", p.Prompt, p.Session)
	}
}

func TestAConversationSwitchesAtALimit(t *testing.T) {
	r := newRunner(t, "text", limitedOnce(t, "5 hours"))
	other := *r.Relay.Backends[0]
	other.ID, other.Short, other.Name = "second", "", "Second"
	r.Relay.Backends = append(r.Relay.Backends, &other)
	policy := run.LimitPolicy{OnLimit: run.SwitchBackend, Fallback: []string{"second"}}
	record, err := ask(t, r, Request{Prompt: "first thing", Limits: policy, Label: "design"})
	if err != nil || record.Backend != "second" {
		t.Fatalf("%+v, %v", record, err)
	}
	if c, err := r.Labels.Find("design"); err != nil || c.Backend != "second" || len(c.Turns) != 1 {
		t.Errorf("the conversation is %+v, %v", c, err)
	}
}
