package crews

import (
	"fmt"
	"slices"

	"cupola/core/run/crew"
	"cupola/core/term/cells"
	"cupola/theme"
	"cupola/tui/layout"
	"cupola/tui/screen"
	"cupola/tui/widget"
)

// above are the lines about the agents, or who wrote to whom, as far as they leave room for what is said.
func (d *Detail) above(w *screen.World, r layout.Rect) []widget.Line {
	lines := d.agents(w)
	if d.matrix {
		lines = d.table(w, r.W)
	}
	room := r.H / 3
	if d.whole {
		room = r.H * 3 / 5
	}
	if room = max(room, min(r.H-2, 1)); len(lines) <= room {
		return lines
	}
	more := fmt.Sprintf("%d more%s", len(lines)-max(0, room-1), w.Theme.Glyphs().Ellipsis)
	return append(lines[:max(0, room-1)], widget.Styled(theme.Dim, more))[:max(0, room)]
}

func widthOf(text string) int { return cells.Width(cells.Clean(text)) }

// agents has a line for each agent.
func (d *Detail) agents(w *screen.World) []widget.Line {
	c := &d.shown.Value.Crew
	name, backend := 0, 0
	for i := range c.Members {
		m := &c.Members[i]
		name, backend = max(name, widthOf(m.Name)), max(backend, widthOf(m.Backend))
	}
	lines := make([]widget.Line, len(c.Members))
	for i := range c.Members {
		m := &c.Members[i]
		state, mark := theme.Dim, string(m.Status)
		switch m.Status {
		case crew.Active:
			state = theme.Busy
		case crew.Dead:
			state = theme.Danger
		}
		about := fmt.Sprintf("turns %-2d  messages %-2d  %s", m.Turns, m.Messages, screen.Dollars(m.CostUSD))
		lines[i] = widget.Line{
			{Token: state, Text: widget.Fit(w.Theme, mark, 6) + "  "},
			{Token: theme.Strong, Text: widget.Fit(w.Theme, cells.Clean(m.Name), name) + "  "},
			{Token: theme.Text, Text: widget.Fit(w.Theme, cells.Clean(m.Backend), backend) + "  "},
			{Token: theme.Dim, Text: about},
		}
		if m.Error != "" {
			lines[i] = append(lines[i], widget.Span{
				Token: theme.Danger,
				Text:  "  " + cells.Clean(screen.OneLine(m.Error, 200)),
			})
		}
	}
	return lines
}

// table is who wrote how often to whom: a line for each writer, a column for each reader.
func (d *Detail) table(w *screen.World, width int) []widget.Line {
	names := d.shown.Value.Crew.Names()
	readers := append(slices.Clone(names), crew.User)
	sent := d.sent()
	first := len("from / to")
	for _, name := range names {
		first = max(first, widthOf(name))
	}
	const least, widestReader = 4, 16
	column := max(least, min(widestReader, (width-margins-first)/len(readers)-2))
	head := widget.Line{{Token: theme.Dim, Text: widget.Fit(w.Theme, "from / to", first)}}
	for _, name := range readers {
		head = append(head, widget.Span{Token: theme.Dim, Text: "  " + widget.Fit(w.Theme, cells.Clean(name), column)})
	}
	lines := []widget.Line{head}
	for _, from := range append(names, crew.User) {
		line := widget.Line{{Token: theme.Strong, Text: widget.Fit(w.Theme, cells.Clean(from), first)}}
		for _, to := range readers {
			count := "-"
			if n := sent[[2]string{from, to}]; n > 0 {
				count = fmt.Sprint(n)
			}
			line = append(line, widget.Span{Token: theme.Text, Text: "  " + widget.Fit(w.Theme, count, column)})
		}
		lines = append(lines, line)
	}
	return lines
}
