package orchestrator_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"cupola/core"
	"cupola/core/crew"
	"cupola/core/crew/orchestrator"
)

// talkOn has two members that talk to each other for ever. The turn in which cut is true for a
// member is cut off by it.
func talkOn(cut func(turn orchestrator.Turn) bool) func(context.Context, orchestrator.Turn) (string, error) {
	return func(_ context.Context, turn orchestrator.Turn) (string, error) {
		if cut(turn) {
			return "", context.Canceled
		}
		to := map[string]string{"a.one": "b.two", "b.two": "a.one"}[turn.Member.Name]
		if turn.Ask.Turn == 0 && turn.Member.Name == "b.two" {
			return "ready", nil
		}
		return fmt.Sprintf("@%s: and what of number %d?", to, turn.Ask.Turn), nil
	}
}

// A crew that goes on after a guardrail and is cut off then does not meet the same guardrail at once
// when it goes on again.
func TestGuardrailThatIsOverStaysOver(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	w := newWorld(t, talkOn(func(turn orchestrator.Turn) bool {
		if turn.Ask.Turn == 8 && ctx.Err() == nil {
			stop()
			return true
		}
		return false
	}))
	id := w.crewOf(nil, "a.one", "b.two").ID
	if c, _ := w.run(id, orchestrator.More{}); c.Reason != crew.PingPong || c.Turn != 6 {
		t.Fatalf("it ended as %s in turn %d", c.Reason, c.Turn)
	}
	if _, err := w.o.Run(ctx, id, orchestrator.More{}, nil); !core.AsError(err).HasCode(core.Cancelled) {
		t.Fatal(err)
	}
	if c, lines := w.run(id, orchestrator.More{}); c.Reason != crew.PingPong || c.Turn != 12 {
		t.Errorf("it ended as %s in turn %d:\n%s", c.Reason, c.Turn, strings.Join(lines, "\n"))
	}
}

// A stop is heard also by a process that takes up the crew after it was asked for.
func TestStopIsHeardByARunThatBegins(t *testing.T) {
	asked := make(chan struct{})
	w := newWorld(t, func(ctx context.Context, _ orchestrator.Turn) (string, error) {
		close(asked)
		<-ctx.Done()
		return "", ctx.Err()
	})
	id := w.crewOf(nil, "a.one").ID
	done := make(chan error)
	go func() {
		c, err := w.o.Run(t.Context(), id, orchestrator.More{}, nil)
		if err == nil && c.State != crew.Stopped {
			err = fmt.Errorf("it is %s", c.State)
		}
		done <- err
	}()
	<-asked
	// The run has forgotten what was asked before it began.
	stopped := make(chan error)
	go func() {
		_, err := w.o.Stop(t.Context(), id)
		stopped <- err
	}()
	for range 20 {
		if err := w.o.Crews.Ask(t.Context(), id, ""); err != nil {
			t.Fatal(err)
		}
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
	if err := <-stopped; err != nil {
		t.Error(err)
	}
}

// The end of the last turn, what a guardrail saw and the end of the crew are recorded at once.
func TestEndIsRecordedWithWhatCausedIt(t *testing.T) {
	w := newWorld(t, talkOn(func(orchestrator.Turn) bool { return false }))
	id := w.crewOf(func(l *crew.Limits) { l.MaxTurns = 1 }, "a.one", "b.two").ID
	_, err := w.o.Run(t.Context(), id, orchestrator.More{}, func(e crew.Event) {
		if e.Type != crew.TurnComplete || e.Turn != 1 {
			return
		}
		if lines := w.lines(id); !slices.Contains(lines, "1 end max_turns") {
			t.Errorf("on record is\n%s", strings.Join(lines, "\n"))
		}
	})
	if err != nil {
		t.Fatal(err)
	}
}
