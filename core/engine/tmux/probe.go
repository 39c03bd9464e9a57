package tmux

import (
	"bytes"
	"context"
	"time"

	"cupola/core"
	"cupola/core/engine"
)

// The formats of probes. Answers are only compared, so nothing is quoted.
var (
	// windowProbe changes with output, and when panes open or close. It costs tmux
	// little more than the request itself.
	windowProbe = format("window_activity", "window_panes")
	// paneProbe also changes with programs, sizes, titles and modes, and with tagsProbe
	// behind it with tags. It costs less than half of a list.
	paneProbe = format("pane_pid", "pane_dead", "pane_in_mode", "window_activity", "window_visible_layout",
		"pane_title")
	tagsProbe = marked(tagsMark, tagged, format(optionFields(engine.PaneTags)...))
)

// probe asks for a few fields of some panes, or without ids of all, closely or
// not. While the answer stays the same, and every pane was listed after the second
// of its last activity, nothing was printed.
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

// answers are the last answers to close and to other probes; nil is none.
type answers struct{ closely, roughly []byte }

// quiet reports whether a probe of some panes, or without ids of all, shows no change.
func (f *feed) quiet(ctx context.Context, ids []core.PaneID, closely bool) bool {
	if f.tracker.mayHavePrinted(ids) {
		return false
	}
	answer, err := f.server.probe(ctx, ids, closely)
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
		f.closer = now.Add(idleInterval)
	}
	return f.quiet(ctx, nil, closely)
}
