package queue_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"cupola/core"
	"cupola/core/engine"
	"cupola/core/fleet"
	"cupola/core/fleet/await"
	"cupola/core/fleet/fleettest"
	"cupola/core/fleet/observe"
	"cupola/core/fleet/queue"
	"cupola/core/fleet/resolve"
)

// stage is a fleet of one agent, with its queue and its journal.
type stage struct {
	*fleettest.ScriptedEngine
	queue   *queue.Queue
	t       *testing.T
	journal *fleettest.Journal
	fleet   *fleet.Fleet
	// rest is the status of the agent while it is idle.
	rest core.Status
}

// Tag sets tags of the pane.
func (s *stage) Tag(_ context.Context, tags ...engine.Tag) error {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	set := map[string]string{}
	for name, value := range s.Listing.Panes[0].Tags {
		set[name] = value
	}
	for _, tag := range tags {
		set[tag.Name] = tag.Value
	}
	s.Listing.Panes[0].Tags = set
	return nil
}

// begin opens a stage. The agent works for some seconds on each prompt.
func begin(t *testing.T) *stage {
	s := &stage{ScriptedEngine: fleettest.NewScriptedEngine(), t: t, journal: &fleettest.Journal{}}
	s.OnPress = func(key string) {
		if key != "Enter" || s.Draft == "" {
			return
		}
		s.Draft, s.Working, s.rest = "", true, core.Status{State: core.Idle}
		s.Later(5*time.Second, func() { s.Working = false })
	}
	s.fleet = fleet.Open(fleet.Options{
		Engine: s, Kinds: fleettest.Kinds(t, fleettest.StubKind), Self: "/opt/cupola", Journal: s.journal,
	})
	s.queue = queue.New(queue.Options{
		Engine: s, Resolver: s.fleet.Resolver, Observer: s.fleet.Observer, Conversations: s.fleet.Conversations,
		Sender: s.fleet.Sender, Dir: s.fleet.Dir, Journal: s.journal, Now: time.Now, Log: slog.New(slog.DiscardHandler),
		Wait: func(ctx context.Context, _ await.Request) (*await.Result, error) {
			for s.works() {
				if err := core.Sleep(ctx, 100*time.Millisecond); err != nil {
					return nil, err
				}
			}
			return &await.Result{Reached: []await.PaneResult{{Status: s.rest}}}, nil
		},
	})
	return s
}

func (s *stage) works() bool {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	return s.Working
}

// keep delivers by itself for some time, as one process.
func (s *stage) keep(long time.Duration) {
	s.t.Helper()
	ctx, stop := context.WithTimeout(s.t.Context(), long)
	defer stop()
	m := queue.NewMonitor(s.queue)
	tracker := observe.NewTracker(true)
	go func() {
		for ctx.Err() == nil {
			listing, err := s.List(ctx, 0)
			change := engine.Change{Listing: listing, Dirty: []core.PaneID{"%1"}}
			snapshot, failed := s.fleet.Observer.Update(ctx, &change, tracker)
			if errors.Join(err, failed) == nil {
				m.Note(snapshot)
			}
			_ = core.Sleep(ctx, time.Second)
		}
	}()
	m.Run(ctx)
	synctest.Wait()
}

// add queues prompts for the agent.
func (s *stage) add(texts ...string) (ids []string) {
	s.t.Helper()
	for _, text := range texts {
		added, err := s.queue.Add(s.t.Context(), queue.Request{Target: api, Text: text})
		if err != nil || len(added) != 1 {
			s.t.Fatal(added, err)
		}
		ids = append(ids, added[0].ID)
	}
	return ids
}

var api = resolve.Target{Session: "api"}

// waits are the texts that wait, each with how far it is.
func (s *stage) waits() (texts []string) {
	s.t.Helper()
	all, err := s.queue.List(s.t.Context(), api)
	if err != nil {
		s.t.Fatal(err)
	}
	for i := range all {
		if all[i].Position != i+1 {
			s.t.Errorf("%q has position %d", all[i].Text, all[i].Position)
		}
		texts = append(texts, strings.TrimSuffix(all[i].Text+" "+string(all[i].Outcome)+all[i].Why, " "))
	}
	return texts
}

// wants fails if other texts wait, were pasted, or are counted at the pane.
func (s *stage) wants(waits, pasted []string) {
	s.t.Helper()
	if got := s.waits(); !slices.Equal(got, waits) {
		s.t.Errorf("%q wait, not %q", got, waits)
	}
	s.Mu.Lock()
	defer s.Mu.Unlock()
	if !slices.Equal(s.Pasted, pasted) {
		s.t.Errorf("%q was pasted, not %q", s.Pasted, pasted)
	}
	count := ""
	if len(waits) > 0 {
		count = fmt.Sprint(len(waits))
	}
	if got := s.Listing.Panes[0].Tags[engine.TagQueued]; got != count {
		s.t.Errorf("the pane counts %q, not %q", got, count)
	}
}

func TestPromptsAreEditedMovedAndDropped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := begin(t)
		ids := s.add("a", "b", "c")
		if _, err := s.queue.Add(t.Context(), queue.Request{Target: api, Text: "first", At: 1}); err != nil {
			t.Fatal(err)
		}
		s.wants([]string{"first", "a", "b", "c"}, nil)
		moved, err := s.queue.Move(t.Context(), ids[2], 2, resolve.Target{}, false)
		if err != nil || moved.Position != 2 {
			t.Error(moved, err)
		}
		if _, err := s.queue.Edit(t.Context(), ids[0], "A", false); err != nil {
			t.Error(err)
		}
		s.wants([]string{"first", "c", "A", "b"}, nil)
		dropped, err := s.queue.Drop(t.Context(), ids[2], false)
		if err != nil || dropped.Text != "c" {
			t.Error(dropped, err)
		}
		s.wants([]string{"first", "A", "b"}, nil)
		if err := s.queue.Restore(t.Context(), []core.QueuedPrompt{dropped}); err != nil {
			t.Error(err)
		}
		s.wants([]string{"first", "c", "A", "b"}, nil)
		wantError(t, "again", s.queue.Restore(t.Context(), []core.QueuedPrompt{dropped}), core.Conflict, "already")
	})
}

func TestWhatCannotBeQueuedOrChangedIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := begin(t)
		ids := s.add("a", "b")
		s.journal.Waiting[0].Outcome = core.Open
		for name, c := range map[string]struct {
			act  func() error
			code core.Code
			says string
		}{
			"an empty prompt": {func() error {
				_, err := s.queue.Add(t.Context(), queue.Request{Target: api, Text: " "})
				return err
			}, core.InvalidInput, ""},
			"a pane without an agent": {func() error {
				_, err := s.queue.Add(t.Context(), queue.Request{Target: resolve.Target{Session: "api.7"}, Text: "x"})
				return err
			}, core.PaneNotFound, ""},
			"a position that is not there": {func() error {
				_, err := s.queue.Move(t.Context(), ids[1], 9, resolve.Target{}, false)
				return err
			}, core.InvalidInput, "the last one is 2"},
			"in front of one that is being delivered": {func() error {
				_, err := s.queue.Add(t.Context(), queue.Request{Target: api, Text: "x", At: 1})
				return err
			}, core.Conflict, "the next one is 2"},
			"an id that none has": {func() error {
				_, err := s.queue.Drop(t.Context(), "1jfs2tq0c", false)
				return err
			}, core.NotFound, "no queued prompt"},
			"one that is being delivered": {func() error {
				_, err := s.queue.Edit(t.Context(), ids[0], "x", false)
				return err
			}, core.Conflict, "is being delivered"},
			"a move to its own agent": {func() error {
				_, err := s.queue.Move(t.Context(), ids[1], 0, api, false)
				return err
			}, core.Conflict, "already"},
		} {
			wantError(t, name, c.act(), c.code, c.says)
		}
		if err := suggested(s); !slices.Contains(err.Suggestions, ids[0]) {
			t.Errorf("an unknown id leads to %q", err.Suggestions)
		}
		for range core.QueuedMost - 2 {
			s.add("x")
		}
		_, err := s.queue.Add(t.Context(), queue.Request{Target: api, Text: "one more"})
		wantError(t, "too many", err, core.Conflict, "no more")
	})
}

// wantError fails if an error has another code, or does not say some words.
func wantError(t *testing.T, name string, err error, code core.Code, says string) {
	t.Helper()
	if got := core.AsError(err); !got.HasCode(code) || !strings.Contains(got.Error(), says) {
		t.Errorf("%s: %v, not %s with %q", name, err, code, says)
	}
}

func suggested(s *stage) *core.Error {
	_, err := s.queue.Drop(s.t.Context(), "x", false)
	return core.AsError(err)
}

func TestEachPromptIsDeliveredOnceItsAgentIsIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := begin(t)
		s.Working = true
		s.Later(10*time.Second, func() { s.Working = false })
		s.add("a", "b")
		s.keep(8 * time.Second)
		s.wants([]string{"a", "b"}, nil)
		s.keep(6 * time.Second)
		s.wants([]string{"b"}, []string{"a"})
		s.keep(20 * time.Second)
		s.wants(nil, []string{"a", "b"})
		s.journal.Holds(t, "queue a delivered", "queue b delivered")
	})
}

func TestAPromptIsTriedAgainWhereItsAgentDoesNotTakeIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := begin(t)
		s.Draft = "my own words"
		s.add("a")
		s.keep(15 * time.Second)
		s.wants([]string{"a refuseddraft"}, nil)
		s.Draft = ""
		s.keep(15 * time.Second)
		s.wants(nil, []string{"a"})
	})
}

func TestTheQueueWaitsBehindATurnThatWasInterrupted(t *testing.T) {
	for name, release := range map[string]func(s *stage, ids []string) error{
		"until a prompt is moved": func(s *stage, ids []string) error {
			_, err := s.queue.Move(s.t.Context(), ids[0], 1, resolve.Target{}, false)
			return err
		},
		"until a prompt is changed": func(s *stage, ids []string) error {
			_, err := s.queue.Edit(s.t.Context(), ids[1], "b", false)
			return err
		},
		"until the next turn ends": func(s *stage, _ []string) error {
			s.rest = core.Status{State: core.Idle}
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := begin(t)
				ids := s.add("a", "b")
				_ = core.Sleep(t.Context(), time.Second)
				s.rest = core.Status{
					State: core.Idle, Since: time.Now(), Notes: []core.Note{core.NoteInterrupted},
				}
				s.keep(time.Minute)
				s.wants([]string{"a refusedinterrupted", "b"}, nil)
				if err := release(s, ids); err != nil {
					t.Fatal(err)
				}
				s.keep(time.Minute)
				s.wants(nil, []string{"a", "b"})
			})
		})
	}
	synctest.Test(t, func(t *testing.T) {
		s := begin(t)
		s.rest = core.Status{State: core.Idle, Since: time.Now(), Notes: []core.Note{core.NoteInterrupted}}
		_ = core.Sleep(t.Context(), time.Second)
		s.add("queued after it")
		s.keep(time.Minute)
		s.wants(nil, []string{"queued after it"})
	})
}

func TestAPromptThatMayHaveArrivedWaitsForItsUser(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := begin(t)
		s.OnPress = func(string) {} // Enter does nothing, so the text does not leave
		ids := s.add("a", "b")
		s.keep(2 * time.Minute)
		s.wants([]string{"a unconfirmed", "b"}, []string{"a"})
		s.OnPress = begin(t).OnPress
		s.Draft = ""
		s.keep(time.Minute)
		s.wants([]string{"a unconfirmed", "b"}, []string{"a"})
		if _, err := s.queue.Drop(t.Context(), ids[0], false); err != nil {
			t.Fatal(err)
		}
		s.OnPress = func(string) { s.Draft = "" }
		s.keep(time.Minute)
		s.wants(nil, []string{"a", "b"})
	})
}

func TestAProcessThatEndsWhileItDeliversTypesNothingTwice(t *testing.T) {
	recorded := func(s *stage, outcome core.Outcome) {
		p := core.NewPrompt(core.OriginQueue, "a", core.PaneRef{Session: "api", Ordinal: 1, Pane: "%1"})
		p.ID, p.At = s.journal.Waiting[0].Sent, time.Now()
		_ = s.journal.Sending(s.t.Context(), *p)
		if outcome != core.Open {
			p.Deliveries[0].Outcome = outcome
			_ = s.journal.Sent(s.t.Context(), p.ID, p.Deliveries)
		}
	}
	for name, c := range map[string]struct {
		ends          func(*stage)
		waits, pasted []string
	}{
		"before it is on record": {func(*stage) {}, nil, []string{"a", "b"}},
		"after it arrived":       {func(s *stage) { recorded(s, core.Delivered) }, nil, []string{"b"}},
		"after it was refused":   {func(s *stage) { recorded(s, core.Refused) }, nil, []string{"a", "b"}},
		"while it is typed":      {func(s *stage) { recorded(s, core.Open) }, []string{"a unconfirmed", "b"}, nil},
		"after it was not seen": {
			func(s *stage) { recorded(s, core.Unconfirmed) }, []string{"a unconfirmed", "b"}, nil,
		},
		"before its number is noted": {func(s *stage) {
			s.journal.Waiting[0].Outcome = ""
			_ = s.Tag(s.t.Context(), engine.Tag{Pane: "%1", Name: engine.TagQueued})
		}, nil, []string{"a", "b"}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := begin(t)
				s.add("a", "b")
				head := &s.journal.Waiting[0]
				head.Outcome, head.Sent = core.Open, head.ID
				c.ends(s)
				s.keep(time.Minute)
				s.wants(c.waits, c.pasted)
			})
		})
	}
}

func TestNothingIsTypedThatIsNotOnRecord(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := begin(t)
		s.add("a")
		s.journal.SendingErr = errors.New("the disk is full")
		s.keep(15 * time.Second)
		s.wants([]string{"a refusedstore_error"}, nil)
		s.journal.SendingErr = nil
		s.keep(15 * time.Second)
		s.wants(nil, []string{"a"})
	})
}

func TestALaterPaneOfTheSameIDGetsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := begin(t)
		s.add("a")
		s.Listing.Sessions[0].Created = time.Now()
		s.keep(15 * time.Second)
		if len(s.Pasted) > 0 {
			t.Errorf("%q was pasted", s.Pasted)
		}
		all, err := s.queue.List(t.Context(), api)
		if err != nil || len(all) != 1 || !all[0].Gone {
			t.Fatal(all, err)
		}
		if _, err := s.queue.Move(t.Context(), all[0].ID, 0, api, false); err != nil {
			t.Fatal(err)
		}
		s.keep(15 * time.Second)
		s.wants(nil, []string{"a"})
	})
}
