package tmux

import (
	"bytes"
	"context"

	"cupola/core"
)

// probedSession and probed tell that something came, went, printed, or was
// renamed, retitled or resized. They cost tmux less than half of a look, and as
// nobody reads them, nothing in them is quoted.
var (
	probedSession = format("session_id", "session_name", "session_attached")
	probed        = format("pane_id", "pane_pid", "pane_dead", "pane_width", "pane_height", "window_activity", "pane_title")
)

// probe asks for little of some panes, or without ids of everything. As long as
// the answer stays the same, and every pane has been looked at after the second
// of its last activity, nothing was printed.
func (s *Server) probe(ctx context.Context, ids []core.PaneID) ([]byte, error) {
	var commands []command
	for _, id := range ids {
		if checkPane(id) == nil {
			commands = append(commands, command{"display-message", "-p", "-t", string(id), probed})
		}
	}
	if len(ids) == 0 {
		commands = []command{{"list-sessions", "-F", probedSession}, {"list-panes", "-a", "-F", probed}}
	}
	if len(commands) == 0 {
		return nil, nil
	}
	return s.ask(ctx, "probe panes", reads, commands...)
}

// quiet reports whether a look at some panes, or without ids at everything,
// would find nothing printed, by a probe.
func (f *feed) quiet(ctx context.Context, ids []core.PaneID) bool {
	if f.tracker.restless(ids) {
		return false
	}
	answer, err := f.eyes.probe(ctx, ids)
	same := err == nil && f.probed != nil && bytes.Equal(answer, f.probed)
	f.probed = answer
	return same
}
