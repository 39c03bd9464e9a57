package keeper

import (
	"context"
	"log/slog"
	"testing"
	"testing/synctest"

	"cupola/core"
	"cupola/core/engine"
	"cupola/core/fleet/fleettest"
	"cupola/core/fleet/panetag"
	"cupola/core/system/process"
)

// slate is an engine that has only tags; until its context has ended once, nothing can be set.
type slate struct {
	engine.Engine
	ended bool
	tags  map[core.PaneID]string
}

func (s *slate) Processes() process.Source { return process.Local{} }

func (s *slate) Tag(ctx context.Context, tags ...engine.Tag) error {
	if !s.ended {
		<-ctx.Done()
		s.ended = true
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	for _, tag := range tags {
		s.tags[tag.Pane] = tag.Value
	}
	return nil
}

func TestAStateThatWasBeingWrittenAsAKeeperStoppedIsWritten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		on := &slate{tags: map[core.PaneID]string{}}
		s := newTagWriter(on, slog.New(slog.DiscardHandler))
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() {
			defer close(done)
			s.run(ctx)
		}()
		snapshot := func(states ...core.State) *core.Snapshot {
			session := core.Session{ID: "$1", Name: "api"}
			for i, state := range states {
				session.Panes = append(session.Panes, core.Pane{
					ID: core.PaneID([]string{"%1", "%2"}[i]), Agent: core.Agent{Kind: "scripted"},
					Status: core.Status{State: state, Since: fleettest.Noon},
				})
			}
			return &core.Snapshot{Sessions: []core.Session{session}}
		}
		nothing := func(core.PaneID) string { return "" }
		s.note(snapshot(core.Idle, core.Idle), nothing)
		synctest.Wait()
		s.note(snapshot(core.Idle, core.Working), nothing)
		stop()
		<-done
		for id, want := range map[core.PaneID]core.State{"%1": core.Idle, "%2": core.Working} {
			if got := on.tags[id]; got != panetag.EncodeState(core.Status{State: want, Since: fleettest.Noon}) {
				t.Errorf("%s says %q, not that it is %s", id, got, want)
			}
		}
	})
}
