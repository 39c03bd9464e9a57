package effect

import (
	"strings"
	"time"

	"cupola/core"
	"cupola/core/agent"
	"cupola/core/fleet/keeper"
	"cupola/core/term/cells"
)

// composers finds out how many rows at the end of screens are no words of the agents'. Reading a screen takes a part of
// a millisecond, so each is read at most once in composerEvery. It is used by one goroutine at a time.
type composers struct {
	kindOf func(*core.Pane) *agent.Kind
	snap   *core.Snapshot
	read   map[core.PaneID]time.Time
}

// composerEvery is the least time between two readings of one screen.
const composerEvery = time.Second

// below returns the rows of the screens of a frame that were read.
func (c *composers) below(frame *keeper.Frame) map[core.PaneID]int {
	if frame.Snapshot != nil {
		c.snap = frame.Snapshot
	}
	if c.snap == nil || c.kindOf == nil {
		return nil
	}
	now, rows := time.Now(), map[core.PaneID]int{}
	for id, screen := range frame.Screens {
		pane := c.snap.Pane(id)
		if pane == nil || !pane.IsAgent() || now.Sub(c.read[id]) < composerEvery {
			continue
		}
		kind := c.kindOf(pane)
		if kind == nil || !kind.Readable() {
			continue
		}
		if c.read == nil || len(c.read) > mostRead {
			c.read = map[core.PaneID]time.Time{}
		}
		c.read[id], rows[id] = now, unspoken(kind, &screen)
	}
	return rows
}

// mostRead bounds how many panes are remembered.
const mostRead = 1000

// unspoken counts the rows between the last row with words of the agent's and the last that is not blank.
func unspoken(kind *agent.Kind, screen *core.Screen) int {
	plain := *screen
	plain.Lines = make([]string, len(screen.Lines))
	end := 0
	for i, line := range screen.Lines {
		plain.Lines[i] = cells.Strip(line)
		if strings.TrimSpace(plain.Lines[i]) != "" {
			end = i + 1
		}
	}
	spoken := kind.Read(&plain).Spoken()
	for last := min(end, len(spoken)) - 1; last >= 0; last-- {
		if spoken[last] && strings.TrimSpace(plain.Lines[last]) != "" {
			return end - last - 1
		}
	}
	return 0
}
