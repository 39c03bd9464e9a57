package relays

import (
	"fmt"
	"time"

	"cupola/core"
	"cupola/core/run/relay"
	"cupola/core/term/cells"
	"cupola/theme"
	"cupola/tui/screen"
	"cupola/tui/widget"
)

const (
	// From wide on a row has the model and the label, from broad on the cost, in cells.
	wide, broad = 110, 76
	// stateWidth holds the longest state, widestBackend and the others the most of a column.
	stateWidth, widestBackend, widestModel, widestLabel = 11, 12, 20, 16
)

// table is the list of relays with the widths of its columns; 0 for one that is left out.
type table struct {
	records                []relay.Record
	world                  *screen.World
	backend, model, label  int
	elapsedWide, costsWide int
}

func tableOf(records []relay.Record, w *screen.World, width int) *table {
	t := &table{records: records, world: w, elapsedWide: 1}
	for i := range records {
		r := &records[i]
		t.backend = max(t.backend, min(widestBackend, cells.Width(cells.Clean(r.Backend))))
		t.elapsedWide = max(t.elapsedWide, len(elapsed(w, r)))
		if width >= wide {
			t.model = max(t.model, min(widestModel, cells.Width(cells.Clean(r.Model))))
			t.label = max(t.label, min(widestLabel, cells.Width(cells.Clean(r.Label))))
		}
		if width >= broad {
			t.costsWide = max(t.costsWide, len(cost(r)))
		}
	}
	return t
}

func (t *table) rows() widget.Rows {
	rows := widget.Rows{Empty: "nothing matches; Esc shows all"}
	for i := range t.records {
		left, right := t.row(&t.records[i])
		rows.Left, rows.Right = append(rows.Left, left), append(rows.Right, right)
	}
	return rows
}

func (t *table) row(r *relay.Record) (left, right widget.Line) {
	left = widget.Line{
		{Token: token(r.State), Text: widget.Fit(string(r.State), stateWidth) + "  "},
		{Token: theme.Strong, Text: widget.Fit(r.Backend, t.backend) + "  "},
	}
	if t.model > 0 {
		left = append(left, widget.Span{Token: theme.Dim, Text: widget.Fit(r.Model, t.model) + "  "})
	}
	if t.label > 0 {
		left = append(left, widget.Span{Token: theme.Accent, Text: widget.Fit(r.Label, t.label) + "  "})
	}
	left = append(left, widget.Span{Token: theme.Text, Text: cells.Clean(screen.OneLine(r.Prompt, 1000))})
	numbers := fmt.Sprintf(" %*s", t.elapsedWide, elapsed(t.world, r))
	if t.costsWide > 0 {
		numbers += fmt.Sprintf("  %*s", t.costsWide, cost(r))
	}
	return left, widget.Styled(theme.Dim, numbers+fmt.Sprintf("  %3s", t.world.Age(r.Started)))
}

// token is the token of a state.
func token(state relay.State) theme.Token {
	switch state {
	case relay.Running:
		return theme.Busy
	case relay.Done:
		return theme.Good
	case relay.Failed:
		return theme.Danger
	case relay.Cancelled, relay.Interrupted:
		return theme.Warn
	}
	return theme.Dim
}

// elapsed says how long a relay took, or has taken; empty where that is not known.
func elapsed(w *screen.World, r *relay.Record) string {
	took := time.Duration(r.ElapsedMS) * time.Millisecond
	if !r.State.Ended() {
		took = max(0, w.Now.Sub(r.Started))
	}
	switch {
	case took <= 0 && r.State.Ended():
		return ""
	case took < 10*time.Second && r.State.Ended():
		return fmt.Sprintf("%.1fs", took.Seconds())
	}
	return core.ShortDuration(took.Truncate(time.Second))
}

// cost is what a relay cost; empty where that is not known, or nothing.
func cost(r *relay.Record) string { return screen.Dollars(r.CostUSD) }
