// Package inbox lists the agents that need the user, with what the selected one asks, whole, and answers it in place.
package inbox

import (
	"fmt"

	"cupola/core"
	"cupola/core/term/cells"
	"cupola/theme"
	"cupola/tui/intent"
	"cupola/tui/layout"
	"cupola/tui/screen"
	"cupola/tui/screen/form"
	"cupola/tui/widget"
)

// nameWidth is the width of addresses, in cells; leastTall is the least height of a list whose rows have two lines.
const nameWidth, leastTall = 12, 7

// agentWidth is the most that a name of an agent takes, in cells.
const agentWidth = 12

// Screen is the list with the dialog and the screen of the selected agent.
type Screen struct {
	choice *screen.Choice
	panes  []*core.Pane
	list   screen.List
	// dialog is the dialog of the agent with the key of; nil while it is read, and for agents without one.
	dialog *form.Form
	// opening is its first line.
	opening string
	of      string
	view    screen.PaneView
	shown   []core.PaneID
	// started is true after the first agent was selected.
	started bool
}

// New makes the screen of a choice.
func New(choice *screen.Choice) *Screen { return &Screen{choice: choice} }

// Entry registers it.
var Entry = screen.Entry{
	Name: "inbox", Key: "3", Does: "inbox: who needs you", Keys: []*intent.Scope{&intent.Inbox},
	Words: "approvals waiting questions",
	Open:  screen.OfChoice(New),
}

// Scope is the table of active keys.
func (s *Screen) Scope() *intent.Scope { return &intent.Inbox }

// Visible is the pane of the selected agent, where there is room for it.
func (s *Screen) Visible() []core.PaneID { return s.shown }

// Selected returns the selected agent; nil if no agent needs the user.
func (s *Screen) Selected(w *screen.World) *core.Pane {
	s.gather(w)
	if len(s.panes) == 0 {
		return nil
	}
	return s.panes[s.list.At]
}

// gather lists the agents, and finds the selected one again.
func (s *Screen) gather(w *screen.World) {
	s.panes = nil
	if w.Snapshot == nil {
		return
	}
	s.panes = s.choice.Seen.Needing(w.Snapshot)
	keys := core.Map(s.panes, func(pane *core.Pane) string { return string(pane.ID) })
	if s.started {
		s.list.At, _, _ = screen.Reselect(keys, string(s.choice.Pane), "", s.list.At)
	}
	s.started = true
	s.choose(w.Snapshot)
}

// choose selects the agent of the selected row in all screens.
func (s *Screen) choose(snap *core.Snapshot) {
	if s.list.At < len(s.panes) {
		s.choice.Select(snap, s.panes[s.list.At])
	}
}

// Lacks reports whether the dialog of an agent is to be read, and notes that it is.
func (s *Screen) Lacks(pane *core.Pane) bool {
	if pane.Status.State != core.Waiting {
		s.of, s.dialog = "", nil
		return false
	}
	key := fmt.Sprint(pane.ID, pane.Status.Since.UnixNano(), pane.Status.Asks)
	if s.of == key {
		return false
	}
	s.of, s.dialog = key, nil
	return true
}

// Take takes the dialog of the selected agent.
func (s *Screen) Take(decision form.Decision) {
	s.dialog, s.opening = form.Decide(decision), decision.Opening()
}

// Words returns the form for an answer in words; nil if the dialog takes none.
func (s *Screen) Words() *form.Form {
	if s.dialog == nil {
		return nil
	}
	f := s.dialog
	f.Handle(intent.AskText{})
	if f.Deciding() != "" {
		return nil
	}
	s.dialog, s.of = nil, ""
	return f
}

// Handle moves in the list, and answers the dialog.
func (s *Screen) Handle(wanted intent.Intent) intent.Intent {
	switch w := wanted.(type) {
	case intent.Answer, intent.Turn, intent.Option, intent.Submit:
		switch {
		case s.dialog != nil:
			return s.dialog.Handle(wanted)
		case len(s.panes) > 0 && s.of == "":
			address := s.panes[s.list.At].Address()
			return intent.Refuse{Why: address + " asks nothing; R restarts it, z takes it off the list"}
		}
		return nil
	case intent.Pick:
		for i, pane := range s.panes {
			if string(pane.ID) == w.Key {
				s.list.At = i
			}
		}
	default:
		if rest := s.list.Handle(wanted); rest != nil {
			return rest
		}
	}
	if s.list.At < len(s.panes) {
		s.choice.Pane = s.panes[s.list.At].ID
	}
	return nil
}

// Applies reports whether there is an agent and, of answers, a dialog.
func (s *Screen) Applies(wanted intent.Intent) bool {
	there := len(s.panes) > 0
	return intent.When(wanted, there && s.of != "", intent.Answer{}, intent.Option{}, intent.AskText{}) &&
		intent.When(wanted, there, intent.AskSend{}, intent.AskRestart{}, intent.Acknowledge{}, intent.Attach{})
}

// View draws the list, and the selected agent beside or below it.
func (s *Screen) View(w *screen.World, r layout.Rect, zones *layout.Zones) []string {
	s.gather(w)
	s.shown = nil
	if len(s.panes) == 0 {
		return screen.Empty(w, r, "no agent needs you")
	}
	tall := w.ListHeight(r) >= leastTall
	return screen.Split(w, r, 2*len(s.panes)+1,
		func(r layout.Rect) []string { return s.table(w, r, tall, zones) },
		func(r layout.Rect) []string { return s.detail(w, r, zones) })
}

// table draws the list: in two lines each if tall.
func (s *Screen) table(w *screen.World, r layout.Rect, tall bool, zones *layout.Zones) []string {
	head, body := r.Top(1)
	lines := widget.Bar(w.Theme, head, widget.Styled(theme.Header, "  Inbox"),
		widget.Styled(theme.Dim, core.NeedYou(len(s.panes))+" "))
	var rows widget.Rows
	name := 0
	for _, pane := range s.panes {
		name = max(name, min(agentWidth, cells.Width(cells.Clean(pane.Agent.Name))))
	}
	for _, pane := range s.panes {
		state := theme.State(pane.Status.Shown())
		left := widget.Line{
			{Token: state, Text: w.Theme.Glyph(pane.Status.Shown()) + " "},
			{Token: theme.Strong, Text: widget.Fit(w.Theme, pane.Address(), nameWidth)},
			{Token: theme.Dim, Text: " " + widget.Fit(w.Theme, pane.Agent.Name, name)},
		}
		does := w.Does(pane, true)
		if tall {
			rows.Under = append(rows.Under, append(widget.Line{{Text: "  "}}, does...))
		} else {
			left = append(append(left, widget.Span{Text: "  "}), does...)
		}
		rows.Left = append(rows.Left, left)
		rows.Right = append(rows.Right, widget.Line{
			{Token: state, Text: fmt.Sprintf(" %-8s ", screen.BriefWord(pane))},
			{Token: theme.Dim, Text: fmt.Sprintf("%3s ", w.Age(pane.Status.Since))},
		})
	}
	drawn, top := s.list.View(w, body, rows)
	for i, at := top, 0; i < len(s.panes) && at < body.H; i++ {
		for range s.list.Lines() {
			zones.Add(body.Row(at), intent.Pick{Key: string(s.panes[i].ID)})
			at++
		}
	}
	return append(lines, drawn...)
}

// detail draws the dialog of the selected agent and, below it, its screen.
func (s *Screen) detail(w *screen.World, r layout.Rect, zones *layout.Zones) []string {
	pane := s.panes[s.list.At]
	s.view.Until = ""
	var lines []string
	switch {
	case s.dialog != nil:
		box, rest := r.Top(min(r.H, s.dialog.Rect(layout.Rect{W: r.W, H: r.H}).H))
		lines, r = s.dialog.View(w, box, zones), rest
		s.view.Until = s.opening
	case pane.Status.State == core.Waiting:
		head, rest := r.Top(1)
		lines, r = widget.Bar(w.Theme, head, widget.Styled(theme.Dim, "reading what it asks"+
			w.Theme.Glyphs().Ellipsis), nil), rest
	default:
		head, rest := r.Top(2)
		why := pane.Agent.Name + ": " + w.Says(pane)
		said := widget.Styled(theme.State(pane.Status.Shown()), cells.Clean(why))
		lines, r = widget.Bar(w.Theme, head, said, nil), rest
	}
	if r.H < 3 {
		return append(lines, widget.Bar(w.Theme, r, nil, nil)...)
	}
	s.shown = []core.PaneID{pane.ID}
	return append(lines, s.view.View(w, r, pane, widget.AnchorBottom)...)
}
