package crews

import (
	"fmt"
	"strings"
	"time"

	"cupola/core"
	"cupola/core/run/crew"
	"cupola/core/term/cells"
	"cupola/theme"
	"cupola/tui/screen"
	"cupola/tui/widget"
)

const (
	// From wide on a row has the id and the agents, from broad on the cost, in cells.
	wide, broad = 100, 70
	// stateWidth holds the longest state, widestAgents is the most of that column.
	stateWidth, widestAgents = 11, 34
)

// rowsOf is the list of crews.
func rowsOf(all []crew.Crew, w *screen.World, width int) widget.Rows {
	rows := widget.Rows{Empty: "nothing matches; Esc shows all"}
	agents, costs := 0, 0
	for i := range all {
		if width >= wide {
			agents = max(agents, min(widestAgents, cells.Width(agentsOf(&all[i]))))
		}
		if width >= broad {
			costs = max(costs, len(costOf(&all[i])))
		}
	}
	for i := range all {
		c := &all[i]
		left := widget.Line{
			{Token: token(c.State), Text: widget.Fit(string(c.State), stateWidth) + "  "},
			{Token: theme.Dim, Text: fmt.Sprintf("%7s  ", fmt.Sprintf("%d/%d", max(0, c.Turn), c.Limits.MaxTurns))},
		}
		if width >= wide {
			left = append(left, widget.Span{Token: theme.Dim, Text: cells.Clean(c.ID) + "  "})
		}
		if agents > 0 {
			left = append(left, widget.Span{Token: theme.Strong, Text: widget.Fit(agentsOf(c), agents) + "  "})
		}
		left = append(left, widget.Span{Token: theme.Text, Text: cells.Clean(screen.OneLine(c.Prompt, 1000))})
		numbers := ""
		if costs > 0 {
			numbers = fmt.Sprintf("  %*s", costs, costOf(c))
		}
		rows.Left = append(rows.Left, left)
		rows.Right = append(rows.Right, widget.Styled(theme.Dim, numbers+fmt.Sprintf("  %3s", w.Age(c.Started))))
	}
	return rows
}

// agentsOf names the agents of a crew.
func agentsOf(c *crew.Crew) string { return cells.Clean(strings.Join(c.Names(), " ")) }

// token is the token of a state.
func token(state crew.State) theme.Token {
	switch state {
	case crew.Running:
		return theme.Busy
	case crew.Completed:
		return theme.Good
	case crew.Failed:
		return theme.Danger
	}
	return theme.Warn
}

// costOf is what a crew cost; empty where that is not known, or nothing.
func costOf(c *crew.Crew) string {
	sum, _ := c.CostUSD()
	return screen.Dollars(sum)
}

// elapsed says how long a crew took, or has taken: all its runs together, without its pauses.
func (t *talk) elapsed(w *screen.World) string {
	c := &t.shown.Crew
	took := time.Duration(c.ElapsedMS) * time.Millisecond
	if !c.State.Ended() {
		took += t.run(w.Now)
	}
	if took <= 0 {
		return ""
	}
	return core.ShortDuration(took.Truncate(time.Second))
}

// run is how long the last run of a crew has taken.
func (t *talk) run(now time.Time) time.Duration {
	return screen.Worked(now, len(t.shown.Events), func(i int) (time.Time, screen.Phase) {
		e := &t.shown.Events[i]
		return e.At, map[crew.Type]screen.Phase{
			crew.Start: screen.Begins, crew.Pause: screen.Pauses, crew.Resume: screen.GoesOn,
		}[e.Type]
	})
}
