// Package explain shows why an agent is in its state: every signal, and which of them
// decided.
package explain

import (
	"fmt"
	"strings"
	"time"

	"cupola/core"
	"cupola/core/agent/detect"
	"cupola/core/term/cells"
	"cupola/theme"
	"cupola/tui/intent"
	"cupola/tui/layout"
	"cupola/tui/screen"
	"cupola/tui/widget"
)

// Question asks why a pane is in its state.
type Question struct{ Pane core.PaneID }

// Why is why a pane is in its state.
type Why struct {
	// Signals are all signals, strongest first.
	Signals []detect.Signal
	// Until is when the state may change without an event; zero if never.
	Until time.Time
}

// signals explain the pane that was explained last.
var signals = &screen.Slot[Why]{}

// Screen explains the selected pane.
type Screen struct {
	choice *screen.Choice
	page   screen.Page
}

// New makes the screen of a choice.
func New(choice *screen.Choice) *Screen { return &Screen{choice: choice} }

// Entry registers it.
var Entry = screen.Entry{
	Name: "explain", Keys: []*intent.Scope{&intent.Explaining}, Open: screen.OfChoice(New),
}

// Scope is the table of active keys.
func (s *Screen) Scope() *intent.Scope { return &intent.Explaining }

// Wants asks for the signals of the selected pane, again with each snapshot.
func (s *Screen) Wants(w *screen.World) []screen.Want {
	pane := s.choice.Shown(w.Snapshot)
	if pane == nil {
		return nil
	}
	return []screen.Want{{Slot: signals, Question: Question{pane.ID}, Version: w.Snapshot.Revision}}
}

// Handle scrolls.
func (s *Screen) Handle(wanted intent.Intent) intent.Intent { return s.page.Handle(wanted) }

// View draws the state, then two lines per signal: its source and state, and its evidence.
func (s *Screen) View(w *screen.World, r layout.Rect, _ *layout.Zones) []string {
	pane := s.choice.Shown(w.Snapshot)
	if pane == nil {
		return screen.Empty(w, r, "no pane is selected")
	}
	head, body := r.Top(2)
	lines := widget.Bar(w.Theme, head, w.Title(pane, head.W), summary(w, pane))
	rows := says(w, pane)
	return append(lines, s.page.View(body,
		widget.List(w.Theme, layout.Rect{W: body.W, H: len(rows)}, widget.Rows{Selected: -1, Left: rows}))...)
}

func summary(w *screen.World, pane *core.Pane) widget.Line {
	var parts []string
	if pane.Status.Confidence > 0 {
		parts = append(parts, fmt.Sprintf("confidence %.0f %%", pane.Status.Confidence*100))
	}
	if age := w.Age(pane.Status.Since); age == "now" {
		parts = append(parts, "since just now")
	} else if w.Theme.Accessible() {
		parts = append(parts, "since "+age)
	} else if age != "" {
		parts = append(parts, "for "+age)
	}
	return widget.Styled(theme.Dim, strings.Join(parts, ", "))
}

// says returns the lines of the known facts.
func says(w *screen.World, pane *core.Pane) []widget.Line {
	if pane.IsUser() {
		return []widget.Line{widget.Styled(theme.Dim, "It holds no agent, so it has no state.")}
	}
	var rows []widget.Line
	read := signals.In(w)
	why := &read.Value
	if (read.Question != Question{pane.ID}) || read.Wrong != "" {
		for _, line := range pane.Status.Evidence {
			rows = append(rows, widget.Styled(theme.Text, cells.Clean(line)))
		}
		return rows
	}
	for i := range why.Signals {
		rows = append(rows, signal(w, &why.Signals[i])...)
	}
	if len(why.Signals) == 0 {
		rows = append(rows, widget.Styled(theme.Dim, "There was nothing to weigh."))
	}
	if !why.Until.IsZero() && why.Until.After(w.Now) {
		rows = append(rows, widget.Styled(theme.Dim,
			"It is looked at again in "+why.Until.Sub(w.Now).Round(time.Second).String()+"."))
	}
	return rows
}

func signal(w *screen.World, s *detect.Signal) []widget.Line {
	claim, token := string(s.State), theme.Dim
	if s.Decided {
		token = theme.State(s.State)
	}
	if s.Reason != "" {
		claim += " " + strings.ReplaceAll(string(s.Reason), "_", " ")
	}
	for _, note := range s.Notes {
		claim += " +" + strings.ReplaceAll(string(note), "_", " ")
	}
	mark := "  "
	if s.Decided {
		mark = w.Theme.Glyphs().Chosen + " "
	}
	age := ""
	if s.Age >= 1 {
		age = ", " + (time.Duration(s.Age) * time.Second).String() + " ago"
	}
	rows := []widget.Line{{
		{Token: theme.Accent, Text: mark},
		{Token: token, Text: fmt.Sprintf("%-20s ", strings.TrimSpace(claim))},
		{Token: theme.Strong, Text: string(s.Source)},
		{Token: theme.Dim, Text: "  " + s.Rule + age},
	}}
	if s.Line != "" {
		rows = append(rows, widget.Line{{Token: theme.Dim, Text: "    " + cells.Clean(s.Line)}})
	}
	return append(rows, nil)
}
