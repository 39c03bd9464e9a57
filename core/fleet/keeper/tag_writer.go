package keeper

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"cupola/core"
	"cupola/core/engine"
	"cupola/core/fleet/observe"
	"cupola/core/fleet/panetag"
)

// stopWriteTimeout limits the last writes of a stopping keeper.
const stopWriteTimeout = 5 * time.Second

// tagWriter writes the states of agents to tags on their panes, asynchronously, so that slow writes delay no
// event. Single calls read in them since when a state holds, and where an agent that has ended kept its files.
type tagWriter struct {
	engine engine.Engine
	log    *slog.Logger
	// wake signals queued tags.
	wake chan struct{}

	mu sync.Mutex
	// tags are queued; written are the states that the panes have once they are set.
	tags    map[paneTag]string
	written map[core.PaneID]string
	// homes holds, by pane, the start of the agent whose files were noted.
	homes map[core.PaneID]time.Time
}

// paneTag is the name of a tag of a pane.
type paneTag struct {
	pane core.PaneID
	name string
}

func newTagWriter(eng engine.Engine, log *slog.Logger) *tagWriter {
	return &tagWriter{
		engine: eng, log: log, wake: make(chan struct{}, 1),
		tags: map[paneTag]string{}, written: map[core.PaneID]string{}, homes: map[core.PaneID]time.Time{},
	}
}

// note queues the states of a snapshot. recorded returns the tag of a pane that was not noted before.
func (s *tagWriter) note(snapshot *core.Snapshot, recorded func(core.PaneID) string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	current := make(map[core.PaneID]string, len(s.written))
	for _, pane := range snapshot.Panes() {
		if pane.IsUser() {
			continue
		}
		said, known := s.written[pane.ID]
		if !known {
			said = recorded(pane.ID)
		}
		state := panetag.EncodeState(pane.Status)
		if said != state {
			s.tags[paneTag{pane.ID, engine.TagState}] = state
		}
		s.noteHome(pane)
		current[pane.ID] = state
	}
	s.written = current
	if len(s.tags) > 0 {
		wakeUp(s.wake)
	}
}

// noteHome queues where the files of an agent are, once its prompt was seen: before that, its process may
// become another
// program.
func (s *tagWriter) noteHome(pane *core.Pane) {
	noted, is := s.homes[pane.ID]
	if is && noted.Equal(pane.Agent.Started) || !observe.HasStarted(pane.Status) {
		return
	}
	s.homes[pane.ID] = pane.Agent.Started
	for _, tag := range observe.HomeTags(s.engine.Processes(), pane) {
		s.tags[paneTag{tag.Pane, tag.Name}] = tag.Value
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

// write sets the queued tags in one call or, if a pane is gone, one by one. Tags that the end of ctx
// prevented stay queued for the last write.
func (s *tagWriter) write(ctx context.Context) {
	s.mu.Lock()
	tags := make([]engine.Tag, 0, len(s.tags))
	for of, value := range s.tags {
		tags = append(tags, engine.Tag{Pane: of.pane, Name: of.name, Value: value})
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

// giveBack queues tags that were not set, unless there are newer ones.
func (s *tagWriter) giveBack(tags []engine.Tag) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, tag := range tags {
		of := paneTag{tag.Pane, tag.Name}
		if _, newer := s.tags[of]; !newer {
			s.tags[of] = tag.Value
		}
	}
}

// withGrace runs do with a context that outlives ctx by stopWriteTimeout.
func withGrace(ctx context.Context, do func(context.Context)) {
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), stopWriteTimeout)
	defer stop()
	do(ctx)
}
