package orchestrator_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/record/store"
	"cupola/core/run"
	"cupola/core/run/crew"
	"cupola/core/run/crew/orchestrator"
)

// script is a stage on which members say what it gives for them.
type script struct {
	mu    sync.Mutex
	asked []string
	says  func(ctx context.Context, turn orchestrator.Turn) (string, error)
}

func (s *script) Ask(ctx context.Context, _ *crew.Crew, turn orchestrator.Turn) (*orchestrator.Answer, error) {
	s.mu.Lock()
	s.asked = append(s.asked, fmt.Sprintf("%d %s", turn.Ask.Turn, turn.Member.Name))
	s.mu.Unlock()
	text, err := s.says(ctx, turn)
	if err != nil {
		return nil, err
	}
	return &orchestrator.Answer{Text: text, CostUSD: 0.25, CostKnown: true}, nil
}

func (*script) Close() error { return nil }

// world is a store, and the crews in it.
type world struct {
	*testing.T
	o     *orchestrator.Orchestrator
	stage *script
	// path is the store's file.
	path string
}

func newWorld(t *testing.T, says func(ctx context.Context, turn orchestrator.Turn) (string, error)) *world {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, "cupola.db")
	s, err := store.Open(t.Context(), path, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	w := &world{T: t, path: path, stage: &script{says: says}}
	w.o = &orchestrator.Orchestrator{
		Crews: store.CrewsIn(s), Directory: orchestrator.Directory{Dir: filepath.Join(dir, "crews")}, Now: time.Now,
		OpenStage: func(context.Context, *crew.Crew) (orchestrator.Stage, error) { return w.stage, nil },
	}
	source := orchestrator.Source{
		Directory: w.o.Directory, Open: func(context.Context) (*store.Store, error) { return s, nil },
	}
	w.o.Directory.Index = run.NewIndex(t.Context(), filepath.Join(dir, "runs.db"), nil, nil, source)
	t.Cleanup(func() { _ = w.o.Directory.Index.Close() })
	return w
}

// crewOf puts a crew on record.
func (w *world) crewOf(limits func(*crew.Limits), names ...string) *crew.Crew {
	w.Helper()
	c := &crew.Crew{
		Prompt: "the task", Dir: "/", Sandbox: "read-only", Stage: crew.Headless,
		Limits: crew.DefaultLimits(),
	}
	c.Limits.OnLimit = run.StopAtLimit
	if limits != nil {
		limits(&c.Limits)
	}
	wanted := make([]crew.MemberSpec, len(names))
	for i, name := range names {
		wanted[i] = crew.MemberSpec{Role: name, Backend: "scripted"}
	}
	var err error
	if c.Members, err = crew.NewMembers(wanted, func(int) int { return 0 }); err != nil {
		w.Fatal(err)
	}
	if err := w.o.New(w.Context(), c); err != nil {
		w.Fatal(err)
	}
	return c
}

// run runs a crew, and returns it with its events, one line each.
func (w *world) run(id string, more orchestrator.More) (*crew.Crew, []string) {
	w.Helper()
	c, err := w.o.Run(w.Context(), id, more, nil)
	if err != nil {
		w.Fatal(err)
	}
	return c, w.lines(id)
}

func (w *world) lines(id string) []string {
	w.Helper()
	events, err := w.o.Crews.Events(w.Context(), id, 0)
	if err != nil {
		w.Fatal(err)
	}
	var lines []string
	for _, e := range events {
		if e.Type != crew.StatusChanged {
			lines = append(lines, strings.Join(strings.Fields(fmt.Sprintf("%d %s %s %s %s %.60s", e.Turn, e.Type,
				e.From, e.To,
				e.Reason, e.Text)), " "))
		}
	}
	return lines
}

// talk answers with what is given for a member and a turn.
func talk(says map[string]string) func(context.Context, orchestrator.Turn) (string, error) {
	return func(_ context.Context, turn orchestrator.Turn) (string, error) {
		text := says[fmt.Sprintf("%s %d", turn.Member.Role(), turn.Ask.Turn)]
		if why, fails := strings.CutPrefix(text, "FAIL "); fails {
			return "", core.Errorf(core.BackendFailed, "%s", why)
		}
		return text, nil
	}
}

func TestCrewConvergesWhenNobodyIsWrittenTo(t *testing.T) {
	w := newWorld(t, talk(map[string]string{
		"reviewer 0": "I read it.\n@critic: is the lock held?",
		"critic 0":   "@all: hello",
		"critic 1":   "@reviewer: it is",
		"reviewer 1": "nothing new",
		"reviewer 2": "@user: it is safe",
	}))
	c, lines := w.run(w.crewOf(nil, "ada.reviewer", "bo.critic").ID, orchestrator.More{})
	if c.State != crew.Completed || c.Reason != crew.Converged || c.Turn != 2 {
		t.Errorf("it ended as %s, %s, in turn %d", c.State, c.Reason, c.Turn)
	}
	want := []string{
		"0 task user all the task", "0 crew_start ada.reviewer (scripted), bo.critic (scripted)",
		"0 message ada.reviewer bo.critic is the lock held?", "0 note ada.reviewer I read it.",
		"0 message bo.critic all hello", "0 turn_complete",
		"1 note ada.reviewer nothing new", "1 message bo.critic ada.reviewer it is", "1 turn_complete",
		"2 message ada.reviewer user it is safe", "2 turn_complete", "2 crew_end converged",
	}
	if !slices.Equal(lines, want) {
		t.Errorf("the record is\n%s", strings.Join(lines, "\n"))
	}
	if cost, known := c.CostUSD(); cost != 1.25 || !known {
		t.Errorf("it cost %v", cost)
	}
}

func TestGuardrails(t *testing.T) {
	endless := func(_ context.Context, turn orchestrator.Turn) (string, error) {
		to := map[string]string{"a.one": "b.two", "b.two": "a.one"}[turn.Member.Name]
		if turn.Ask.Turn == 0 && turn.Member.Name == "b.two" {
			return "ready", nil
		}
		return fmt.Sprintf("@%s: and what of number %d?", to, turn.Ask.Turn), nil
	}
	for name, test := range map[string]struct {
		limits func(*crew.Limits)
		says   func(context.Context, orchestrator.Turn) (string, error)
		reason crew.Reason
		state  crew.State
		turn   int
		line   string
	}{
		"endless ping-pong": {
			nil, endless, crew.PingPong, crew.Completed, 6,
			"6 guardrail ping_pong a.one and b.two talked",
		},
		"turns": {
			func(l *crew.Limits) { l.MaxTurns, l.PingPong = 3, 0 }, endless, crew.MaxTurns, crew.Completed, 3,
			"3 guardrail max_turns 3 turns are over; messages that wait: 1",
		},
		"cost": {
			func(l *crew.Limits) { l.CostUSD, l.PingPong = 1, 0 }, endless, crew.Cost, crew.Completed, 2,
			"2 guardrail cost it cost $1.0000 of $1.0000",
		},
		"no progress": {func(l *crew.Limits) { l.PingPong = 0 }, func(_ context.Context,
			turn orchestrator.Turn,
		) (string, error) {
			return "@all: I am here", nil
		}, crew.NoProgress, crew.Completed, 2, "2 guardrail no_progress no agent said anything new for 2 turns"},
		"all dead": {nil, func(context.Context, orchestrator.Turn) (string, error) {
			return "", core.Errorf(core.RateLimited, "429")
		}, crew.AllDead, crew.Failed, 0, "0 error b.two 429"},
		"time": {
			func(l *crew.Limits) { l.Timeout = 20 * time.Millisecond },
			func(ctx context.Context, _ orchestrator.Turn) (string, error) {
				<-ctx.Done()
				return "", ctx.Err()
			}, crew.Timeout, crew.Completed, 0, "0 guardrail timeout its time of 20ms is over",
		},
		"budget": {nil, func(context.Context, orchestrator.Turn) (string, error) {
			return "", core.Errorf(core.BudgetExceeded, "no money left")
		}, crew.Cost, crew.Completed, 0, "0 guardrail b.two cost no money left"},
		"self-mention": {nil, func(_ context.Context, turn orchestrator.Turn) (string, error) {
			if turn.Member.Name == "b.two" {
				return "ready", nil
			}
			return fmt.Sprintf("@a.one: step %d", turn.Ask.Turn), nil
		}, crew.PingPong, crew.Completed, 6, "6 guardrail ping_pong a.one and a.one talked"},
		"a message that is too long": {func(l *crew.Limits) { l.MessageBytes = 50_000 }, talk(map[string]string{
			"one 0": "@two: " + strings.Repeat("x", 1<<20),
		}), crew.Converged, crew.Completed, 1, "1 guardrail a.one b.two message_size a message of 1048576 bytes " +
			"was cut to 50000"},
		"an unknown name": {
			nil, talk(map[string]string{"one 0": "@b.tow: hello"}), crew.Converged, crew.Completed, 1,
			`0 message crew a.one No member of this crew is named "b.tow"`,
		},
		"a dead member": {nil, talk(map[string]string{
			"one 0": "@two: hello", "two 0": "FAIL it broke", "one 1": "@user: two is gone",
		}), crew.Converged, crew.Completed, 1, "0 message crew a.one b.two failed (it broke) and cannot answer"},
		"a member that dies with a message": {nil, talk(map[string]string{
			"one 0": "@two: hello", "two 1": "FAIL it broke", "one 2": "@user: two is gone",
		}), crew.Converged, crew.Completed, 2, "1 message crew a.one b.two failed (it broke) and cannot answer"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, test.says)
			c, lines := w.run(w.crewOf(test.limits, "a.one", "b.two").ID, orchestrator.More{})
			if c.Reason != test.reason || c.State != test.state || c.Turn != test.turn {
				t.Errorf("it ended as %s, %s, in turn %d, want %s, %s, %d\n%s", c.State, c.Reason, c.Turn, test.state,
					test.reason, test.turn, strings.Join(lines, "\n"))
			}
			if !slices.ContainsFunc(lines, func(line string) bool { return strings.HasPrefix(line, test.line) }) {
				t.Errorf("no event begins with %q:\n%s", test.line, strings.Join(lines, "\n"))
			}
		})
	}
}

// A run that is cut off at any moment continues to the same messages, and asks no member again that answered.
func TestCrewThatWasCutOffGoesOn(t *testing.T) {
	says := func(_ context.Context, turn orchestrator.Turn) (string, error) {
		next := map[string]string{"a.one": "b.two", "b.two": "c.three", "c.three": "a.one"}[turn.Member.Name]
		if turn.Ask.Turn >= 4 {
			return "@user: done", nil
		}
		return fmt.Sprintf("note of %s\n@%s: from turn %d", turn.Member.Name, next, turn.Ask.Turn), nil
	}
	whole := newWorld(t, says)
	_, want := whole.run(whole.crewOf(nil, "a.one", "b.two", "c.three").ID, orchestrator.More{})
	for answers := range 15 {
		t.Run(fmt.Sprint("after ", answers), func(t *testing.T) {
			ctx, cut := context.WithCancel(t.Context())
			defer cut()
			answered := map[string]int{}
			w := newWorld(t, nil)
			n := 0
			w.stage.says = func(_ context.Context, turn orchestrator.Turn) (string, error) {
				w.stage.mu.Lock()
				defer w.stage.mu.Unlock()
				n++
				if n > answers && ctx.Err() == nil {
					cut()
				}
				if n > answers && n < answers+3 {
					return "", context.Canceled
				}
				answered[fmt.Sprint(turn.Member.Name, turn.Ask.Turn)]++
				return says(ctx, turn)
			}
			id := w.crewOf(nil, "a.one", "b.two", "c.three").ID
			if _, err := w.o.Run(ctx, id, orchestrator.More{}, nil); !errors.Is(err, context.Canceled) {
				t.Fatal(err)
			}
			n = answers + 3
			_, lines := w.run(id, orchestrator.More{})
			lines = slices.DeleteFunc(lines, func(line string) bool {
				return strings.Contains(line, " crew_start ") && !strings.HasPrefix(line, "0 ") ||
					strings.HasSuffix(line, "crew_end stopped")
			})
			for i, line := range lines {
				if strings.HasPrefix(line, "0 crew_start") && slices.Contains(lines[:i], line) {
					lines = slices.Delete(lines, i, i+1)
					break
				}
			}
			if !slices.Equal(lines, want) {
				t.Errorf("the record is\n%s\nwant\n%s", strings.Join(lines, "\n"), strings.Join(want, "\n"))
			}
			for who, times := range answered {
				if times != 1 {
					t.Errorf("%s answered %d times", who, times)
				}
			}
		})
	}
}

func TestFailedMemberIsAskedAgainWhenTheCrewGoesOn(t *testing.T) {
	fails := true
	w := newWorld(t, func(_ context.Context, turn orchestrator.Turn) (string, error) {
		if fails {
			return "", core.Errorf(core.RateLimited, "429")
		}
		return "@user: " + turn.Member.Name, nil
	})
	id := w.crewOf(nil, "a.one", "b.two").ID
	w.run(id, orchestrator.More{})
	fails = false
	c, lines := w.run(id, orchestrator.More{})
	if c.State != crew.Completed || !slices.Contains(lines, "0 message b.two user b.two") {
		t.Errorf("it is %s:\n%s", c.State, strings.Join(lines, "\n"))
	}
}

func TestUserSpeaksPausesAndStops(t *testing.T) {
	var w *world
	var id string
	gate := make(chan struct{})
	w = newWorld(t, func(ctx context.Context, turn orchestrator.Turn) (string, error) {
		switch {
		case turn.Member.Name == "a.one" && turn.Ask.Turn == 0:
			if _, err := w.o.Say(ctx, id, "@b.two: look at the tests"); err != nil {
				t.Error(err)
			}
			if err := w.o.Crews.Ask(ctx, id, store.PauseCrew); err != nil {
				t.Error(err)
			}
		case strings.Contains(turn.Ask.Prompt, "@user says: look at the tests"):
			close(gate)
			<-ctx.Done()
			return "", ctx.Err()
		}
		return "", nil
	})
	id = w.crewOf(nil, "a.one", "b.two").ID
	done := make(chan *crew.Crew)
	go func() {
		c, err := w.o.Run(t.Context(), id, orchestrator.More{}, func(e crew.Event) {
			if e.Type == crew.Pause {
				_ = w.o.Crews.Ask(t.Context(), id, store.Resume)
			}
		})
		if err != nil {
			t.Error(err)
		}
		done <- c
	}()
	<-gate
	if _, err := w.o.Stop(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	c := <-done
	lines := w.lines(id)
	if c.State != crew.Stopped || !slices.Contains(lines, "0 pause") || !slices.Contains(lines, "0 resume") {
		t.Errorf("it is %s:\n%s", c.State, strings.Join(lines, "\n"))
	}
	if _, err := w.o.Stop(t.Context(), id); !core.AsError(err).HasCode(core.Conflict) {
		t.Errorf("a second stop: %v", err)
	}
}

func TestOldCrewsAreRemovedWhenANewOneBegins(t *testing.T) {
	w := newWorld(t, talk(nil))
	id := w.crewOf(nil, "a.one").ID
	w.run(id, orchestrator.More{})
	open := w.crewOf(nil, "a.one").ID
	w.o.Keep, w.o.Now = time.Hour, func() time.Time { return time.Now().Add(2 * time.Hour) }
	w.crewOf(nil, "a.one")
	if _, err := w.o.Crews.Load(t.Context(), id); !core.AsError(err).HasCode(core.NotFound) {
		t.Errorf("the old one: %v", err)
	}
	if _, err := w.o.Crews.Load(t.Context(), open); err != nil {
		t.Errorf("one that never ended: %v", err)
	}
}
