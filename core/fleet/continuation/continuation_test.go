package continuation_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"cupola/core"
	"cupola/core/engine"
	"cupola/core/fleet"
	"cupola/core/fleet/continuation"
	"cupola/core/fleet/fleettest"
	"cupola/core/fleet/observe"
	"cupola/core/fleet/panetag"
)

// stage is an engine with an agent that meets limits, and the process that keeps its picture.
type stage struct {
	*fleettest.ScriptedEngine
	t     *testing.T
	fleet *fleet.Fleet
	// typed are the times since the beginning at which prompts were pasted, tries the attempts on record then.
	typed   []time.Duration
	tries   []int
	started time.Time
	stop    context.CancelFunc
	done    chan struct{}
}

// Tag sets tags of the pane.
func (s *stage) Tag(_ context.Context, tags ...engine.Tag) error {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	pane := &s.Listing.Panes[0]
	set := map[string]string{}
	for name, value := range pane.Tags {
		set[name] = value
	}
	for _, tag := range tags {
		set[tag.Name] = tag.Value
	}
	pane.Tags = set
	return nil
}

// continues decodes the pane's tag; Mu is held.
func (s *stage) continues() core.Continuation {
	return panetag.DecodeContinuation(s.Listing.Panes[0].Tags[engine.TagContinue])
}

// begin opens the stage. The agent continues after limits if wanted is true.
func begin(t *testing.T, wanted bool, change func(*fleet.Options)) *stage {
	s := &stage{ScriptedEngine: fleettest.NewScriptedEngine(), t: t, started: time.Now()}
	s.OnPaste = func(text string) {
		s.Draft = text
		s.typed = append(s.typed, time.Since(s.started).Round(time.Second))
		s.tries = append(s.tries, s.continues().Tries)
	}
	if wanted {
		_ = s.Tag(t.Context(), engine.Tag{
			Name: engine.TagContinue, Value: panetag.EncodeContinuation(core.Continuation{Wanted: true}),
		})
	}
	options := fleet.Options{Engine: s, Kinds: fleettest.Kinds(t, fleettest.StubKind), Self: "/opt/cupola"}
	if change != nil {
		change(&options)
	}
	s.fleet = fleet.Open(options)
	s.keep()
	return s
}

// keep begins to keep the picture, as one process.
func (s *stage) keep() {
	ctx, stop := context.WithCancel(s.t.Context())
	s.stop, s.done = stop, make(chan struct{})
	m := continuation.New(continuation.Options{
		Engine: s, Observer: s.fleet.Observer, Sender: s.fleet.Sender, Now: time.Now,
		Log: slog.New(slog.DiscardHandler),
	})
	tracker := observe.NewTracker(true)
	go m.Run(ctx)
	go func() {
		defer close(s.done)
		for ctx.Err() == nil {
			listing, err := s.List(ctx, 0)
			change := engine.Change{Listing: listing, Dirty: []core.PaneID{"%1"}}
			snapshot, failed := s.fleet.Observer.Update(ctx, &change, tracker)
			if err = errors.Join(err, failed); err == nil && len(snapshot.Panes()) == 1 {
				_ = s.Tag(ctx, engine.Tag{
					Name: engine.TagState, Value: panetag.EncodeState(snapshot.Panes()[0].Status),
				})
				m.Note(snapshot)
			}
			_ = core.Sleep(ctx, 2*time.Second)
		}
	}()
}

// end ends the process that keeps the picture.
func (s *stage) end() {
	s.stop()
	<-s.done
	synctest.Wait()
}

// shows has the agent show a banner now, as the end of a turn.
func (s *stage) shows(banner string) {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	s.Banner, s.Working = banner, false
}

// limit is the banner of a limit that ends after some time.
func limit(after time.Duration) string {
	return "! rate limit reached, resets at " + time.Now().Add(after).Format("15:04")
}

const overloaded = "! error: the model service is overloaded (529)"

// answers has the agent work for some seconds once it gets Enter, and end with a banner; empty for none.
func (s *stage) answers(banner func() string) {
	s.OnPress = func(key string) {
		if key != "Enter" || s.Draft == "" {
			return
		}
		s.Draft, s.Banner, s.Working = "", "", true
		s.Later(5*time.Second, func() { s.Banner, s.Working = banner(), false })
	}
}

func TestAnAgentGoesOnOnceItsLimitHasEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		journal := &fleettest.Journal{}
		s := begin(t, true, func(o *fleet.Options) { o.Journal = journal })
		s.answers(func() string { return "" })
		s.shows(limit(20 * time.Minute))
		time.Sleep(time.Hour)
		s.end()
		if len(s.typed) != 1 || s.typed[0] < 19*time.Minute || s.typed[0] > 21*time.Minute ||
			!slices.Equal(s.Pasted, []string{"continue"}) {
			t.Errorf("typed %q at %v", s.Pasted, s.typed)
		}
		if s.tries[0] != 1 {
			t.Error("it was typed before it was on record")
		}
		if got := s.continues(); !got.Wanted || got.Tries != 0 {
			t.Errorf("the next limit is not the first one: %+v", got)
		}
		if len(journal.Prompts) != 1 || journal.Prompts[0].Origin != core.OriginLimit {
			t.Errorf("in the history: %+v", journal.Prompts)
		}
	})
}

func TestOnlyWhatIsAskedForGoesOn(t *testing.T) {
	for name, c := range map[string]struct {
		wanted bool
		banner string
		change func(*stage)
		kinds  fstest.MapFS
		afford error
	}{
		"an agent that nobody asked for":   {banner: limit(0)},
		"an agent without credentials":     {wanted: true, banner: "! error: the API key is not valid (401)"},
		"an agent that waits for approval": {wanted: true, change: func(s *stage) { s.Dialog = true }},
		"an agent with a draft": {
			wanted: true, banner: overloaded, change: func(s *stage) { s.Draft = "half a sent" },
		},
		"a limit whose dialog asks something else": {
			wanted: true, kinds: limitDialog("^Wait$"), change: func(s *stage) { s.Dialog = true },
		},
		"over the ceiling": {wanted: true, banner: overloaded, afford: errors.New("nothing is left")},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := begin(t, c.wanted, func(o *fleet.Options) {
					if c.kinds != nil {
						o.Kinds = fleettest.Kinds(t, c.kinds)
					}
					if c.afford != nil {
						o.Afford = func(context.Context, []string) error { return c.afford }
					}
				})
				s.shows(c.banner)
				if c.change != nil {
					s.Later(0, func() { c.change(s) })
				}
				time.Sleep(90 * time.Minute)
				s.end()
				if len(s.Pasted)+len(s.Pressed) > 0 {
					t.Errorf("typed %q, pressed %q", s.Pasted, s.Pressed)
				}
				if c.wanted && c.banner == overloaded && !s.continues().GaveUp() {
					t.Errorf("it is still tried: %+v", s.continues())
				}
			})
		})
	}
}

// limitDialog has the dialog of the scripted kind be about a limit, with a pattern of the option to continue with.
func limitDialog(retry string) fstest.MapFS {
	text := fmt.Sprintf("[limit]\nretry = '%s'\n[rule.limit-dialog]\nstate = \"limited\"\nreason = \"quota\"\n"+
		"source = \"test\"\npriority = 90\nregion = \"dialog\"\nlines = 20\nall = ['^Allow this command']\n", retry)
	return fstest.MapFS{"scripted.toml": {Data: []byte(text)}}
}

func TestTheDialogOfALimitIsAnswered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := begin(t, true, func(o *fleet.Options) { o.Kinds = fleettest.Kinds(t, limitDialog("(?i)^yes$")) })
		s.OnPress = func(string) { s.Dialog = false }
		s.Later(time.Second, func() { s.Dialog = true })
		time.Sleep(time.Hour)
		s.end()
		if len(s.Pressed) == 0 || len(s.Pasted) > 0 {
			t.Errorf("typed %q, pressed %q", s.Pasted, s.Pressed)
		}
	})
}

func TestAfterThreeLimitsInARowAnAgentWaits(t *testing.T) {
	for name, banner := range map[string]func() string{
		"limits":               func() string { return limit(20 * time.Minute) },
		"errors of the server": func() string { return overloaded },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := begin(t, true, nil)
				s.answers(banner)
				s.shows(banner())
				time.Sleep(90 * time.Minute)
				s.end()
				if !slices.Equal(s.tries, []int{1, 2, 3}) || !s.continues().GaveUp() {
					t.Errorf("typed at %v, in the attempts %v: %+v", s.typed, s.tries, s.continues())
				}
				for i := 2; i < len(s.typed); i++ {
					if s.typed[i]-s.typed[i-1] < s.typed[i-1]-s.typed[i-2]-time.Minute {
						t.Errorf("it rests less each time: %v", s.typed)
					}
				}
			})
		})
	}
}

func TestAnAttemptThatWasKilledIsNotRepeated(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := begin(t, true, nil)
		s.shows(limit(20 * time.Minute))
		typed := make(chan struct{})
		s.OnPaste = func(string) {
			s.typed = append(s.typed, time.Since(s.started))
			s.stop() // this process is killed between the text and Enter
			close(typed)
		}
		<-typed
		<-s.done
		s.OnPaste = func(string) { s.typed = append(s.typed, time.Since(s.started)) }
		s.keep()
		time.Sleep(time.Minute)
		if len(s.typed) != 1 {
			t.Errorf("typed at %v", s.typed)
		}
		s.end()
	})
}

func TestWhatAnAgentDoesAtALimitIsSaid(t *testing.T) {
	now := time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)
	pane := core.Pane{ID: "%1", Agent: core.Agent{Kind: "claude", Continues: core.Continuation{Wanted: true}}}
	pane.Status = core.Status{State: core.Limited, Since: now, ResetsAt: now.Add(time.Hour)}
	if got := pane.Why(now).Text; !strings.HasPrefix(got, "continues at ") {
		t.Errorf("at first %q", got)
	}
	pane.Agent.Continues.Tries = core.ContinueTries
	if got := pane.Why(now).Text; !strings.HasPrefix(got, "did not continue after 3 tries; resets ") {
		t.Errorf("at last %q", got)
	}
	pane.Agent.Continues = core.Continuation{}
	if got := pane.Why(now).Text; !strings.HasPrefix(got, "resets ") {
		t.Errorf("unasked %q", got)
	}
}
