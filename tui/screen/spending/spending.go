// Package spending shows what agents used and what it cost: by days, by agents or models, under ceilings and limits.
package spending

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"cupola/core"
	"cupola/core/agent/usage"
	"cupola/core/record/budget"
	"cupola/core/term/cells"
	"cupola/core/text/report"
	"cupola/theme"
	"cupola/tui/intent"
	"cupola/tui/layout"
	"cupola/tui/screen"
	"cupola/tui/widget"
)

// groups are the ways to divide usage.
var groups = []usage.Group{usage.ByAgent, usage.BySession, usage.ByKind, usage.ByModel}

// periods are the numbers of days that can be looked at.
var periods = []int{1, 7, 30, 90}

// week is the number of the period that is shown at first.
const week = 1

// Question asks what agents used in the last Days, today included, By what.
type Question struct {
	Days int
	By   usage.Group
}

// Usage is the usage of agents.
type Usage struct {
	// Days are the days on which something was used, the oldest first, of a week at least.
	Days []usage.Row
	// Rows are by what was asked for, those that used most first; Total is over all of them.
	Rows  []usage.Row
	Total usage.Amount
	// Spends are the amounts spent under ceilings, Limits the limits of providers that were seen.
	Spends []budget.Spend
	Limits []usage.Limit
}

// used is the usage as it was read last.
var used = &screen.Slot[Usage]{}

// Screen is the chart of the days above a table and the ceilings.
type Screen struct {
	group, period int
	list          screen.Selection
	keys          []string
	snap          *core.Snapshot
}

// New makes the screen.
func New() *Screen { return &Screen{period: week} }

// Entry registers it.
var Entry = screen.Entry{
	Name: "usage", Key: "6", Does: "usage: tokens and what they cost", Alone: true,
	Words: "cost tokens money spend budget",
	Keys:  []*intent.Scope{&intent.Spending}, Open: screen.Always(New),
}

// Scope is the table of active keys.
func (s *Screen) Scope() *intent.Scope { return &intent.Spending }

// Wants asks for the usage.
func (s *Screen) Wants(w *screen.World) []screen.Want {
	asked := Question{Days: periods[s.period], By: groups[s.group]}
	return []screen.Want{{Slot: used, Question: asked, Version: w.Moment()}}
}

// Handle moves, and changes what is counted.
func (s *Screen) Handle(wanted intent.Intent) intent.Intent {
	switch w := wanted.(type) {
	case intent.Shift:
		s.period = max(0, min(s.period-w.By, len(periods)-1))
	case intent.NextGroup:
		s.group, s.list = (s.group+1)%len(groups), screen.Selection{}
	case intent.GoTo:
		return s.goTo()
	default:
		return s.list.Handle(wanted)
	}
	return nil
}

// goTo leads to the agent or session of the selected row.
func (s *Screen) goTo() intent.Intent {
	if s.list.At >= len(s.keys) || s.snap == nil {
		return intent.Refuse{Why: "nothing is selected"}
	}
	key := s.keys[s.list.At]
	if session := s.snap.Session(key); session != nil && groups[s.group] == usage.BySession {
		return intent.GoTo{Session: key}
	}
	for _, pane := range s.snap.Panes() {
		if pane.IsAgent() && groups[s.group] == usage.ByAgent && pane.Session+"/"+pane.Agent.Name == key {
			return intent.GoTo{Pane: pane.ID, Session: pane.Session}
		}
	}
	return intent.Refuse{Why: cells.Clean(key) + " is no agent or session that is there"}
}

// Applies reports whether the selected row leads somewhere, and whether there is a row to group.
func (s *Screen) Applies(wanted intent.Intent) bool {
	return intent.When(wanted, screen.Acts(s.goTo()), intent.GoTo{}) &&
		intent.When(wanted, len(s.keys) > 0, intent.NextGroup{})
}

// period says which days are shown.
func periodWords(days int) string {
	if days == 1 {
		return "today"
	}
	return fmt.Sprintf("the last %d days", days)
}

const (
	// chartHeight is how many rows the chart takes where there is room, leastChart the fewest, and leastTable what the
	// table and the ceilings keep.
	chartHeight, leastChart = 8, 5
	leastTable              = 9
	// widestDay is how wide the column of a day is at most.
	widestDay = 12
)

// View draws all of it.
func (s *Screen) View(w *screen.World, r layout.Rect, zones *layout.Zones) []string {
	s.snap, s.keys = w.Snapshot, nil
	read := used.In(w)
	u := &read.Value
	head, body := r.Top(1)
	lines := widget.Bar(w.Theme, head, widget.Styled(theme.Header, "  Usage of "+periodWords(periods[s.period])),
		s.total(u, r.W))
	if unread := screen.Unread(w, body, read); unread != nil {
		return append(lines, unread...)
	}
	if len(u.Rows)+len(u.Spends)+len(u.Limits) == 0 {
		empty := "no agent has used anything in that time; " + intent.Name("left") + " looks at a longer one"
		return append(lines, screen.Empty(w, body, empty)...)
	}
	if n := min(max(chartHeight, body.H/4), body.H-leastTable); n >= leastChart {
		var chart layout.Rect
		chart, body = body.Top(n)
		lines = append(lines, s.chart(w, chart)...)
	}
	beside := s.under(w, gaugeFor(r.W))
	return append(lines, screen.Split(w, body, len(u.Rows)+1,
		func(r layout.Rect) []string { return s.table(w, r, zones) },
		func(r layout.Rect) []string {
			return widget.List(w.Theme, r, widget.Rows{Selected: -1, Left: beside})
		})...)
}

func (s *Screen) total(u *Usage, w int) widget.Line {
	switch {
	case u.Total.Requests == 0:
		return nil
	case w < wideFrom:
		return widget.Styled(theme.Strong, money(&u.Total)+" ")
	}
	return widget.Styled(theme.Dim, fmt.Sprintf("%s  %s tokens in %s ", money(&u.Total),
		report.Grouped(u.Total.Total()), screen.Count(u.Total.Requests, "request")))
}

// money returns an amount: "~" if list prices are in it, "at least" if some of it has no known price.
func money(a *usage.Amount) string {
	switch {
	case a.Cost == 0 && a.Unpriced > 0:
		return "cost unknown"
	case a.Unpriced > 0:
		return "at least " + screen.Dollars(a.Cost)
	case a.Source == usage.FromTable || a.Source == usage.Mixed:
		return "~" + screen.Dollars(a.Cost)
	case a.Cost == 0:
		return "$0"
	}
	return screen.Dollars(a.Cost)
}

// wideFrom is the width from which there is room for figures besides the most important.
const wideFrom = 70

// chart draws what each day cost or, where nothing did, how many tokens it used.
func (s *Screen) chart(w *screen.World, r layout.Rect) []string {
	const day, scale = 24 * time.Hour, 9
	read := &used.In(w).Value
	costs := read.Total.Cost > 0
	today := w.Now.UTC().Truncate(day)
	n := max(periods[s.period], periods[week])
	values := make([]float64, n)
	for i := range read.Days {
		row := &read.Days[i]
		at, err := time.Parse(time.DateOnly, row.Key)
		if ago := int(today.Sub(at) / day); err == nil && ago >= 0 && ago < n {
			values[n-1-ago] = float64(row.Total())
			if costs {
				values[n-1-ago] = row.Cost
			}
		}
	}
	drawn, at, width := widget.Chart(w.Theme, values, r.W-scale, r.H-2, widestDay)
	most := 0.0
	for _, v := range values {
		most = max(most, v)
	}
	rows := make([]widget.Line, 0, r.H)
	for i, line := range drawn {
		label := ""
		if i == 0 {
			label = size(most, costs)
		}
		rows = append(rows, append(widget.Line{{Token: theme.Dim, Text: fmt.Sprintf("%*s ", scale-1, label)}}, line...))
	}
	labels := []byte(strings.Repeat(" ", max(0, r.W-scale)))
	end := 0
	for i := range values {
		label := today.AddDate(0, 0, i+1-n).Format("Jan 2")
		if width >= len("Mon 2")+1 && n <= 14 {
			label = today.AddDate(0, 0, i+1-n).Format("Mon 2")
		}
		if x := at[i]; x >= end && x+len(label) <= len(labels) && (i == 0 || x >= end+1) {
			copy(labels[x:], label)
			end = x + len(label) + 1
		}
	}
	rows = append(rows, widget.Line{{Text: strings.Repeat(" ", scale)}, {Token: theme.Dim, Text: string(labels)}})
	block := make([]string, 0, r.H)
	for _, row := range rows {
		block = append(block, widget.Bar(w.Theme, layout.Rect{W: r.W, H: 1}, row, nil)...)
	}
	block = append(block, widget.Rule(w.Theme, r.W, 1)...)
	return widget.Block(r, block)
}

// size is an amount in a few characters.
func size(v float64, dollars bool) string {
	switch {
	case dollars:
		return fmt.Sprintf("$%.2f", v)
	case v >= 1e6:
		return fmt.Sprintf("%.1fM", v/1e6)
	case v >= 1e3:
		return fmt.Sprintf("%.0fk", v/1e3)
	}
	return fmt.Sprintf("%.0f", v)
}

// gaugeWidth is how wide gauges are, and slimGauge where there is little room.
const gaugeWidth, slimGauge = 12, 4

// gaugeFor is how wide a gauge in a display is.
func gaugeFor(w int) int {
	if w < 50 {
		return slimGauge
	}
	return gaugeWidth
}

// table lists who used how much.
func (s *Screen) table(w *screen.World, r layout.Rect, zones *layout.Zones) []string {
	head, body := r.Top(1)
	u := &used.In(w).Value
	var rows widget.Rows
	rows.Empty = "nothing was used " + strings.Replace(periodWords(periods[s.period]), "the last", "in the last", 1)
	dearest := slices.Clone(u.Rows)
	slices.SortStableFunc(dearest, func(a, b usage.Row) int { return cmp.Compare(b.Cost, a.Cost) })
	for i := range dearest {
		row := &dearest[i]
		s.keys = append(s.keys, row.Key)
		share, of := float64(row.Total()), float64(u.Total.Total())
		if u.Total.Cost > 0 {
			share, of = row.Cost, u.Total.Cost
		}
		gauge := widget.Gauge(w.Theme, int(math.Round(share/max(of, 1e-9)*1000)), 1000, gaugeFor(r.W))
		gauge[0].Token = theme.Accent
		name := widget.Span{Token: theme.Strong, Text: "  " + cells.Clean(row.Key)}
		rows.Left = append(rows.Left, append(gauge, name))
		cost := "?"
		if row.Cost > 0 || row.Unpriced == 0 {
			cost = money(&row.Amount)
		}
		rows.Right = append(rows.Right, widget.Line{
			{Token: theme.Text, Text: fmt.Sprintf(" %10s", size(float64(row.Total()), false))},
			{Token: theme.Strong, Text: fmt.Sprintf("%10s ", cost)},
		})
	}
	s.list.Set(s.keys)
	table := s.list.Draw(w, body, rows, zones)
	by := "  by " + string(groups[s.group])
	if shown := s.list.Position(); shown != "" {
		by += ", " + shown
	}
	lines := widget.Bar(w.Theme, head, widget.Styled(theme.Dim, by),
		widget.Styled(theme.Dim, fmt.Sprintf("%10s%10s ", "tokens", "cost")))
	return append(lines, table...)
}

// under lists the ceilings and the limits of providers.
func (s *Screen) under(w *screen.World, gauge int) []widget.Line {
	u := &used.In(w).Value
	lines := []widget.Line{widget.Styled(theme.Dim, "ceilings")}
	for i := range u.Spends {
		spend := &u.Spends[i]
		lines = append(lines, gauged(w, gauge, spend.Percent(), spend.Name(), fmt.Sprintf("%s of %s",
			budget.Amount(spend.Used, spend.Unit), budget.Amount(spend.Most, spend.Unit))))
	}
	if len(u.Spends) == 0 {
		lines = append(lines, widget.Styled(theme.Dim, "none; b sets one"))
	}
	lines = append(lines, nil, widget.Styled(theme.Dim, "limits that agents have shown"))
	n := 0
	for i := range u.Limits {
		limit := &u.Limits[i]
		if over(limit, w.Now) {
			continue
		}
		n++
		note := ""
		if !limit.ResetsAt.IsZero() {
			note = "resets " + limit.ResetsAt.Local().Format("Mon 15:04")
		}
		percent := limit.Used
		if percent < 0 {
			percent = 100
		}
		lines = append(lines, gauged(w, gauge, percent, cells.Clean(string(limit.Kind)+" "+limit.Name), note))
	}
	if w.Snapshot != nil {
		for _, pane := range w.Snapshot.Panes() {
			if pane.Status.State == core.Limited {
				n++
				lines = append(lines, gauged(w, gauge, 100, pane.Address(), screen.StateWord(pane)))
			}
		}
	}
	if n == 0 {
		lines = append(lines, widget.Styled(theme.Dim, "none"))
	}
	return lines
}

// over reports whether a limit was reset since it was seen, as far as that is known.
func over(limit *usage.Limit, now time.Time) bool {
	if limit.ResetsAt.IsZero() {
		return now.Sub(limit.SeenAt) > max(time.Hour, limit.Window)
	}
	return !now.Before(limit.ResetsAt)
}

// gauged is a line with a gauge, which is louder the fuller it is.
func gauged(w *screen.World, width int, percent float64, name, note string) widget.Line {
	gauge := widget.Gauge(w.Theme, int(math.Round(percent)), 100, width)
	switch {
	case percent >= budget.ReachAt:
		gauge[0].Token = theme.Danger
	case percent >= budget.WarnAt:
		gauge[0].Token = theme.Warn
	}
	return append(gauge, widget.Span{Token: theme.Text, Text: fmt.Sprintf(" %3.0f %%  ", percent)},
		widget.Span{Token: theme.Strong, Text: name}, widget.Span{Token: theme.Dim, Text: "  " + note})
}
