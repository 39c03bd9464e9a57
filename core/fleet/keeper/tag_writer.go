package keeper

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"cupola/core"
	"cupola/core/engine"
	"cupola/core/fleet/panetag"
)

// stopWriteTimeout is how long a keeper that stops may take to write down what it found.
const stopWriteTimeout = 5 * time.Second

// tagWriter writes down what a keeper found, beside its work, so that nothing that
// is written to slowly holds up the events: on the panes the states of their
// agents, which tell whoever looks once since when they hold.
type tagWriter struct {
	engine engine.Engine
	log    *slog.Logger
	// wake holds a value when there is something to write.
	wake chan struct{}

	mu sync.Mutex
	// tags are to be set, stands is what the panes say once they are.
	tags    map[core.PaneID]string
	written map[core.PaneID]string
}

func newTagWriter(eng engine.Engine, log *slog.Logger) *tagWriter {
	return &tagWriter{
		engine: eng, log: log, wake: make(chan struct{}, 1),
		tags: map[core.PaneID]string{}, written: map[core.PaneID]string{},
	}
}

// note takes in the states of a snapshot. recorded returns what a pane says that
// was not noted before.
func (s *tagWriter) note(snapshot *core.Snapshot, recorded func(core.PaneID) string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	stands := make(map[core.PaneID]string, len(s.written))
	for _, pane := range snapshot.Panes() {
		if !pane.IsAgent() {
			continue
		}
		said, known := s.written[pane.ID]
		if !known {
			said = recorded(pane.ID)
		}
		state := panetag.EncodeState(pane.Status)
		if said != state {
			s.tags[pane.ID] = state
		}
		stands[pane.ID] = state
	}
	s.written = stands
	if len(s.tags) > 0 {
		wakeUp(s.wake)
	}
}

// run writes until ctx ends, and then what is left.
func (s *tagWriter) run(ctx context.Context) {
	for {
		select {
		case <-s.wake:
			s.write(ctx)
		case <-ctx.Done():
			withGrace(ctx, s.write)
			return
		}
	}
}

// write sets the tags in one question; where that stops at a pane that is gone,
// one by one. What the end of ctx kept from being set is kept for the last lines.
func (s *tagWriter) write(ctx context.Context) {
	s.mu.Lock()
	tags := make([]engine.Tag, 0, len(s.tags))
	for id, state := range s.tags {
		tags = append(tags, engine.Tag{Pane: id, Name: engine.TagState, Value: state})
	}
	clear(s.tags)
	s.mu.Unlock()
	if len(tags) == 0 {
		return
	}
	if s.engine.Tag(ctx, tags...) == nil {
		return
	}
	for i, tag := range tags {
		err := s.engine.Tag(ctx, tag)
		if ctx.Err() != nil {
			s.giveBack(tags[i:])
			return
		}
		if err != nil {
			s.log.Debug("a state could not be left on its pane", "pane", tag.Pane, "error", err)
		}
	}
}

// giveBack keeps tags that were not set, but for those of which there is a newer one.
func (s *tagWriter) giveBack(tags []engine.Tag) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, tag := range tags {
		if _, newer := s.tags[tag.Pane]; !newer {
			s.tags[tag.Pane] = tag.Value
		}
	}
}

// withGrace does what must be done although ctx has ended.
func withGrace(ctx context.Context, do func(context.Context)) {
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), stopWriteTimeout)
	defer stop()
	do(ctx)
}
