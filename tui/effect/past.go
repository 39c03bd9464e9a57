package effect

import (
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	"cupola/core/fleet/output"
	"cupola/core/fleet/resolve"
	"cupola/tui/intent"
	"cupola/tui/screen"
)

// PastRead is all that a pane has shown, or that its agent has recorded; Err says why neither can be read.
type PastRead struct {
	Past screen.Past
	Err  error
}

// mostPast is how many lines of a terminal's history are read.
const mostPast = 50_000

// past reads the terminal's history, where it is the agent's own, else the agent's record, else the screen.
func (e *Effects) past(w intent.ReadPast) tea.Msg {
	target := resolve.Target{Session: word(w.Target)}
	past := screen.Past{Pane: w.Target.Pane}
	tails, err := e.fleet.output.Tail(e.ctx, output.Request{Target: target, Lines: mostPast, Escapes: true})
	if err != nil {
		return PastRead{Past: past, Err: err}
	}
	if len(tails) != 1 {
		return PastRead{Past: past, Err: fmt.Errorf("%s is not one pane", w.Target.Address)}
	}
	tail := &tails[0]
	past.Lines, past.Source = tail.Lines, "all that its terminal kept"
	if tail.Source == output.SourceHistory || tail.Complete {
		return PastRead{Past: past}
	}
	recorded, err := e.fleet.conversations.Past(e.ctx, target)
	switch {
	case err != nil:
		past.Source = "its screen: " + tail.Why
	case len(recorded.Turns) == 0:
		past.Source = "its screen: it has recorded nothing yet"
	default:
		past.Turns, past.Source = recorded.Turns, "its own transcript"
		if !recorded.Certain {
			past.Source += ", or that of another agent in its folder"
		}
	}
	return PastRead{Past: past}
}
