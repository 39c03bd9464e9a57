package orchestrator_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/record/store"
	"cupola/core/run/crew"
	"cupola/core/run/crew/orchestrator"
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

// A crew that is resumed after a guardrail and is cut off then does not meet the same guardrail at once when it is
// resumed again.
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
		if lines := w.lines(id); !slices.Contains(lines, "1 crew_end max_turns") {
			t.Errorf("on record is\n%s", strings.Join(lines, "\n"))
		}
	})
	if err != nil {
		t.Fatal(err)
	}
}

// A paused crew that is stopped asks no member any more.
func TestStopOfAPausedCrewBeginsNoTurn(t *testing.T) {
	var w *world
	var id string
	w = newWorld(t, func(_ context.Context, turn orchestrator.Turn) (string, error) {
		if turn.Ask.Turn > 0 {
			t.Error("a turn began")
		}
		return "@all: hello", w.o.Crews.Ask(t.Context(), id, store.PauseCrew)
	})
	id = w.crewOf(nil, "a.one", "b.two").ID
	stopped := make(chan error, 1)
	c, err := w.o.Run(t.Context(), id, orchestrator.More{}, func(e crew.Event) {
		if e.Type == crew.Pause {
			go func() {
				_, err := w.o.Stop(t.Context(), id)
				stopped <- err
			}()
		}
	})
	if err := errors.Join(err, <-stopped); err != nil || c.State != crew.Stopped || slices.Contains(w.lines(id),
		"0 resume") {
		t.Errorf("it is %s, %v:\n%s", c.State, err, strings.Join(w.lines(id), "\n"))
	}
}

// Messages that together are too long for a prompt are cut alike, and their member lives.
func TestManyLongMessagesFitInOnePrompt(t *testing.T) {
	w := newWorld(t, func(_ context.Context, turn orchestrator.Turn) (string, error) {
		if turn.Member.Name != "a.one" || turn.Ask.Turn > 0 {
			return "", nil
		}
		return strings.Repeat("@b.two:\n"+strings.Repeat("é", 20_000)+"\n", 30), nil
	})
	id := w.crewOf(nil, "a.one", "b.two").ID
	_, lines := w.run(id, orchestrator.More{})
	asks, err := w.o.Crews.Asks(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	if last := asks[len(asks)-1]; last.Turn != 1 || len(last.Prompt) < 350_000 || len(last.Prompt) > 450_000 {
		t.Errorf("the last prompt has %d bytes", len(last.Prompt))
	}
	if !slices.Contains(lines, "1 guardrail a.one b.two message_size a message of 40000 bytes was cut to 13333") {
		t.Errorf("the record is\n%s", strings.Join(lines, "\n"))
	}
}

func TestCrewGoesOnWithoutItsFolder(t *testing.T) {
	w := newWorld(t, talk(nil))
	id := w.crewOf(nil, "a.one").ID
	if err := os.RemoveAll(w.o.Directory.Folder(id)); err != nil {
		t.Fatal(err)
	}
	c, _ := w.run(id, orchestrator.More{})
	if c.Reason != crew.Converged {
		t.Errorf("it ended as %s", c.Reason)
	}
	// A process may still run it.
	c.State = crew.Running
	err := errors.Join(w.o.Crews.Apply(t.Context(), &crew.Step{Crew: c}), os.RemoveAll(w.o.Directory.Folder(id)))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.o.Run(t.Context(), id, orchestrator.More{}, nil); err == nil {
		t.Error("a crew that may run was taken up")
	}
	if c, err := w.o.Stop(t.Context(), id); err != nil || c.State != crew.Stopped {
		t.Errorf("a stop: %v", err)
	}
}

// Another process may hold the store for longer than the store itself waits.
func TestCrewWaitsForAStoreThatIsLocked(t *testing.T) {
	var w *world
	w = newWorld(t, func(context.Context, orchestrator.Turn) (string, error) {
		db, err := sql.Open("sqlite", w.path)
		if err == nil {
			_, err = db.ExecContext(t.Context(), "BEGIN IMMEDIATE")
		}
		if err != nil {
			t.Error(err)
		}
		time.AfterFunc(lockedFor, func() { _ = db.Close() })
		return "@user: done", nil
	})
	if c, _ := w.run(w.crewOf(nil, "a.one").ID, orchestrator.More{}); c.Reason != crew.Converged {
		t.Errorf("it ended as %s", c.Reason)
	}
}

// lockedFor is longer than the store waits.
const lockedFor = 4 * time.Second
