package effect

import (
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	"cupola/core/fleet/output"
	"cupola/core/fleet/resolve"
	"cupola/tui/intent"
	"cupola/tui/screen"
)

// ScrollbackRead is all that a pane has shown, or that its agent has recorded; Err says why neither can be read.
type ScrollbackRead struct {
	Scrollback screen.Scrollback
	Err        error
}

// mostLines is how many lines of a terminal's history are read.
const mostLines = 50_000

// scrollback reads the terminal's history, where it is the agent's own, else the agent's record, else the screen.
func (e *Effects) scrollback(w intent.ReadScrollback) tea.Msg {
	if to := e.elsewhere.at(w.Target); to != nil {
		return to.scrollback(e.ctx, w)
	}
	target := resolve.Target{Session: word(w.Target)}
	read := screen.Scrollback{Pane: w.Target.Pane}
	tails, err := e.fleet.output.Tail(e.ctx, output.Request{Target: target, Lines: mostLines, Escapes: true})
	if err != nil {
		return ScrollbackRead{Scrollback: read, Err: err}
	}
	if len(tails) != 1 {
		return ScrollbackRead{Scrollback: read, Err: fmt.Errorf("%s is not one pane", w.Target.Address)}
	}
	tail := &tails[0]
	read.Lines, read.Source = tail.Lines, "all that its terminal kept"
	if tail.Source == output.SourceHistory || tail.Complete {
		return ScrollbackRead{Scrollback: read}
	}
	recorded, err := e.fleet.conversations.Transcript(e.ctx, target)
	switch {
	case err != nil:
		read.Source = "its screen: " + tail.Why
	case len(recorded.Turns) == 0:
		read.Source = "its screen: it has recorded nothing yet"
	default:
		read.Turns, read.Source = recorded.Turns, "its own transcript"
		if !recorded.Certain {
			read.Source += ", or that of another agent in its folder"
		}
	}
	return ScrollbackRead{Scrollback: read}
}
