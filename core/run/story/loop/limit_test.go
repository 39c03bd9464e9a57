package loop_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/run"
	"cupola/core/run/story"
)

// A try that meets a usage limit has not failed: it continues after the limit has reset.
func TestATryThatMeetsAUsageLimitGoesOn(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1, func(ctx context.Context, a *asked) (string, error) {
		if a.times == 1 {
			return "", core.Errorf(core.RateLimited, "usage limit; try again in 300ms")
		}
		return honest(ctx, a)
	})
	r := w.run(t.Context(), w.begin(nil).ID, story.Limits{})
	w.expect(r, story.AllDone, story.Done)
	if n := len(r.Stories[0].Tries); n != 1 || r.Iterations != 1 || !r.Until.IsZero() {
		t.Errorf("%d tries, %d on record, waits until %s", n, r.Iterations, r.Until)
	}
}

func TestAnotherBackendWorksAtAUsageLimit(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1, func(ctx context.Context, a *asked) (string, error) {
		if a.times == 1 {
			return "", core.Errorf(core.RateLimited, "usage limit; try again in 5 hours")
		}
		return honest(ctx, a)
	})
	r := w.run(t.Context(), w.begin(func(r *story.Run) {
		r.Limits.LimitPolicy = run.LimitPolicy{OnLimit: run.SwitchBackend, Fallback: []string{"second"}}
	}).ID, story.Limits{})
	w.expect(r, story.AllDone, story.Done)
	if r.Backend != "second" {
		t.Errorf("%s works", r.Backend)
	}
}

func TestARunThatWaitsForALimitIsPausedResumedAndStopped(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1, func(context.Context, *asked) (string, error) {
		return "", core.Errorf(core.RateLimited, "usage limit; try again in 5 hours")
	})
	id := w.begin(nil).ID
	over := make(chan *story.Run)
	go func() { over <- w.run(t.Context(), id, story.Limits{}) }()
	until := func(state run.State) {
		t.Helper()
		for end := time.Now().Add(20 * time.Second); ; {
			r, err := w.loop.Directory.Load(id)
			if err == nil && r.Head().State == state && time.Until(r.Head().Until) > 4*time.Hour {
				return
			}
			if time.Now().After(end) {
				t.Fatalf("it is not %s and waiting: %+v, %v", state, r, err)
			}
			_ = core.Sleep(t.Context(), 5*time.Millisecond)
		}
	}
	until(run.Running)
	if err := w.loop.Directory.Pause(id); err != nil {
		t.Fatal(err)
	}
	until(run.Paused)
	if err := w.loop.Directory.Unpause(id); err != nil {
		t.Fatal(err)
	}
	until(run.Running)
	r, err := w.loop.Directory.Cancel(t.Context(), id)
	if err != nil || r.State != story.Stopped || !r.Until.IsZero() {
		t.Errorf("%+v, %v", r, err)
	}
	<-over
}

// After some tries that failed in the same way, numbers apart, the prompt demands another way; or another backend
// works then.
func TestAStoryThatIsStuckIsTriedInAnotherWay(t *testing.T) {
	t.Parallel()
	for on, wants := range map[story.OnStuck]struct{ prompts, backend string }{
		story.Rethink: {"--++", "fake"}, story.RetrySame: {"----", "fake"}, story.SwitchAgent: {"--++", "third"},
	} {
		t.Run(string(on), func(t *testing.T) {
			t.Parallel()
			prompts := ""
			w := newWorld(t, 1, func(_ context.Context, a *asked) (string, error) {
				a.tick()
				a.do("noise.txt", strings.Repeat("x", a.times))
				another := strings.Contains(a.prompt, "# Another approach is needed")
				prompts += map[bool]string{true: "+", false: "-"}[another]
				return "Done.", nil
			})
			r := w.run(t.Context(), w.begin(func(r *story.Run) {
				r.Verify = []string{"wc -c noise.txt; exit 1"}
				r.Limits.OnStuck, r.Limits.Fallback = on, []string{"second", "third"}
			}).ID, story.Limits{})
			w.expect(r, story.Retries, story.GivenUp)
			if prompts != wants.prompts || r.Backend != wants.backend {
				t.Errorf("the prompts are %s and %s works, want %+v", prompts, r.Backend, wants)
			}
		})
	}
}

// What proves a story is kept beside its tasks, in the commit of the story.
func TestTheEvidenceOfAStoryIsKeptWithItsChange(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2, func(ctx context.Context, a *asked) (string, error) {
		if a.story == "2" && a.times == 1 {
			a.do("noise.txt", "x")
			return "I gave up.", nil
		}
		return honest(ctx, a)
	})
	r := w.run(t.Context(), w.begin(func(r *story.Run) {
		r.Verify = []string{"echo all 3 tests pass"}
	}).ID, story.Limits{})
	w.expect(r, story.AllDone, story.Done, story.Done)
	for id, holds := range map[string][]string{
		"1": {
			"# Evidence of story 1: Story 1", "- [x] 1.1 write it", "`echo all 3 tests pass` passed.",
			"    all 3 tests pass", "    Done.",
		},
		"2": {"## Try 1 was not accepted", "    tasks are not ticked: 2.1, 2.2"},
	} {
		text := w.file(r, "openspec/changes/add-login/evidence/"+id+".md")
		for _, part := range holds {
			if !strings.Contains(text, part) {
				t.Errorf("the evidence of story %s has no %q:\n%s", id, part, text)
			}
		}
		if strings.Contains(text, "gave up") {
			t.Errorf("the answer of a try that failed is the review:\n%s", text)
		}
	}
}
