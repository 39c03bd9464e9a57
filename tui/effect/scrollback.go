package effect

import (
	"context"
	"fmt"

	"cupola/core/fleet/output"
	"cupola/core/fleet/resolve"
	"cupola/tui/screen/scrollback"
)

// mostLines is how many lines of a terminal's history are read.
const mostLines = 50_000

// scrollback reads the terminal's history, where it is the agent's own, else the agent's record, else the screen.
func (e *Effects) scrollback(ctx context.Context, w scrollback.Question) (read scrollback.Text, err error) {
	if to := e.others.at(w.Pane); to != nil {
		lines, err := to.text(ctx, mostLines, true)
		return scrollback.Text{Lines: lines, Source: "what its terminal there kept"}, err
	}
	target := resolve.Target{Session: word(w.Pane)}
	tails, err := e.fleet.output.Tail(ctx, output.Request{Target: target, Lines: mostLines, Escapes: true})
	if err != nil {
		return read, err
	}
	if len(tails) != 1 {
		return read, fmt.Errorf("%s is not one pane", w.Pane.Address)
	}
	tail := &tails[0]
	read.Lines, read.Source = tail.Lines, "all that its terminal kept"
	if tail.Source == output.SourceHistory || tail.Complete {
		return read, nil
	}
	recorded, err := e.fleet.conversations.Transcript(ctx, target)
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
	return read, nil
}
