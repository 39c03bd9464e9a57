package overview

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/agent"
	"cupola/core/engine"
	"cupola/core/engine/enginetest"
	"cupola/core/fleet"
	"cupola/core/verb"
	"cupola/core/verb/registry"
	"cupola/core/verb/verbtest"
)

// leaving is a server whose session api disappears once it was seen.
type leaving struct {
	verbtest.Server
	changes chan engine.Change
	seen    chan struct{}
}

func (l *leaving) Watch(ctx context.Context) engine.Feed {
	go func() {
		defer close(l.changes)
		before, _ := l.List(ctx, 0)
		after := before
		after.Sessions, after.Panes = before.Sessions[1:], before.Panes[2:]
		for _, listing := range []engine.Listing{before, after} {
			select {
			case l.changes <- engine.Change{Listing: listing, Structural: true}:
			case <-ctx.Done():
			}
			select {
			case <-l.seen:
			case <-ctx.Done():
			}
		}
		<-ctx.Done()
	}()
	return l
}

func (l *leaving) Changes() <-chan engine.Change { return l.changes }

func (l *leaving) SetFocus(engine.Focus) {}

// slowDirectory is a journal that takes its time.
type slowDirectory struct {
	fleet.Journal
	mu    sync.Mutex
	types []core.EventType
}

func (s *slowDirectory) Happened(ctx context.Context, events []core.Event) error {
	select {
	case <-time.After(50 * time.Millisecond):
	case <-ctx.Done():
		return ctx.Err()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range events {
		s.types = append(s.types, events[i].Type)
	}
	return nil
}

func (s *slowDirectory) Queued(context.Context) ([]core.QueuedPrompt, error) { return nil, nil }

func (s *slowDirectory) Alerts(context.Context) ([]core.Alert, error) { return nil, nil }

func (s *slowDirectory) SaveAlerts(context.Context, []core.Alert) error { return nil }

func TestEarlyEndOfStreamIsRecorded(t *testing.T) {
	broken := errors.New("no reader")
	kinds, err := agent.Load()
	if err != nil {
		t.Fatal(err)
	}
	for name, run := range map[string]func(deps verb.OnFleet, emit func(any) error) error{
		"monitor": func(deps verb.OnFleet, emit func(any) error) error {
			_, err := runMonitor(t.Context(), deps, monitorIn{InSession: registry.InSession{Session: "api"}}, emit)
			return err
		},
		"watch": func(deps verb.OnFleet, emit func(any) error) error {
			_, err := runWatch(t.Context(), deps, watchIn{}, func(line any) error {
				if line.(eventRow).Type == core.PaneClosed {
					return broken
				}
				return emit(line)
			})
			if errors.Is(err, broken) {
				return nil
			}
			return err
		},
	} {
		directory, seen := &slowDirectory{}, make(chan struct{})
		env := verbtest.Env(t, &verbtest.Server{}, &registry.Catalog{Verbs: Verbs})
		env.OpenFleet = func() (*fleet.Fleet, error) {
			return fleet.Open(fleet.Options{
				Engine: &leaving{changes: make(chan engine.Change), seen: seen}, Kinds: kinds,
				Runtime: enginetest.ShortDir(t), Journal: directory,
			}), nil
		}
		see := sync.OnceFunc(func() { close(seen) })
		err = run(verbtest.OnFleet(t, env), func(any) error {
			see()
			return nil
		})
		directory.mu.Lock()
		if err != nil || !slices.Contains(directory.types, core.PaneClosed) {
			t.Errorf("%s: %v; on record are %q", name, err, directory.types)
		}
		directory.mu.Unlock()
	}
}
