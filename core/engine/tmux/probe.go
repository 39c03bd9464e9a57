package tmux

import (
	"bytes"
	"context"
	"time"

	"cupola/core"
	"cupola/core/engine"
)

// What tells that something changed; nobody reads it, so nothing is quoted.
var (
	// windowProbe tells of what was printed, opened or closed. It costs tmux little
	// more than being asked at all.
	windowProbe = format("window_activity", "window_panes")
	// paneProbe tells also of programs that ended or are others, sizes, titles and
	// modes, and with tagsProbe behind it of tags. It costs less than half of a look.
	paneProbe = format("pane_pid", "pane_dead", "pane_in_mode", "window_activity", "window_visible_layout",
		"pane_title")
	tagsProbe = marked(tagsMark, tagged, format(optionFields(engine.PaneTags)...))
)

// probe asks for little of some panes, or without ids of everything, closely or
// not. As long as the answer stays the same, and every pane has been looked at
// after the second of its last activity, nothing was printed.
func (s *Server) probe(ctx context.Context, ids []core.PaneID, closely bool) ([]byte, error) {
	var commands []command
	for _, id := range ids {
		if checkPane(id) == nil {
			commands = append(commands, command{"display-message", "-p", "-t", string(id), paneProbe + tagsProbe})
		}
	}
	switch {
	case len(ids) > 0 && len(commands) == 0:
		return nil, nil
	case len(ids) > 0:
	case closely:
		commands = []command{
			{"list-sessions", "-F", sessionLine()},
			{"list-panes", "-a", "-F", paneProbe},
			lineFor(0).tagsOnly(),
		}
	default:
		commands = []command{{"list-windows", "-a", "-F", windowProbe}}
	}
	return s.ask(ctx, "probe panes", reads, commands...)
}

// answers are the last ones to close and to other probes; nil is none.
type answers struct{ closely, roughly []byte }

// quiet reports whether a look at some panes, or without ids at everything,
// would find nothing that a probe tells of.
func (f *feed) quiet(ctx context.Context, ids []core.PaneID, closely bool) bool {
	if f.tracker.restless(ids) {
		return false
	}
	answer, err := f.eyes.probe(ctx, ids, closely)
	last := &f.answers.roughly
	if closely {
		last = &f.answers.closely
	}
	same := err == nil && *last != nil && bytes.Equal(answer, *last)
	*last = answer
	return same
}

// still is quiet for everything, closely once a second.
func (f *feed) still(ctx context.Context, now time.Time) bool {
	closely := !now.Before(f.closer)
	if closely {
		f.closer = now.Add(calm)
	}
	return f.quiet(ctx, nil, closely)
}
