// Package acts lists the user's last acts that can be undone, the newest first.
package acts

import (
	"cupola/core/term/cells"
	"cupola/core/verb/checkpoints"
	"cupola/theme"
	"cupola/tui/intent"
	"cupola/tui/layout"
	"cupola/tui/screen"
	"cupola/tui/widget"
)

// Entry registers it.
var Entry = screen.Entry{
	Name: "acts", Key: "U", Does: "acts that can be undone, the newest first", Alone: true,
	Words: "undo revert back",
	Keys:  []*intent.Scope{&keys}, Open: screen.Always(New),
}

var keys = intent.NewScope("Acts", []string{"enter", "esc", "?"}, []intent.Binding{
	intent.Bind(intent.Undo{}, "undo", "undo the selected one", "enter", "u", " "),
}, intent.Browse, withoutUndo(intent.General)).Opening(intent.OpensAll)

// withoutUndo are keys without the one that undoes the last act: here it undoes the selected one.
func withoutUndo(all []intent.Binding) (rest []intent.Binding) {
	for _, one := range all {
		if one.Intent != (intent.Undo{}) {
			rest = append(rest, one)
		}
	}
	return rest
}

// read are the last acts.
var read = &screen.Slot[checkpoints.UndoOut]{}

// Screen is the list.
type Screen struct {
	rows []checkpoints.ActRow
	list screen.List
}

// New makes the list.
func New() *Screen { return &Screen{} }

// Scope is the table of active keys.
func (s *Screen) Scope() *intent.Scope { return &keys }

// Wants asks for the acts.
func (s *Screen) Wants(w *screen.World) []screen.Want {
	return []screen.Want{{Slot: read, Question: checkpoints.UndoIn{List: true}, Version: w.Moment()}}
}

// Handle moves the selection, and says which act is meant.
func (s *Screen) Handle(wanted intent.Intent) intent.Intent {
	if wanted = s.list.Handle(wanted); wanted == nil || wanted != (intent.Undo{}) {
		return wanted
	}
	if s.list.At >= len(s.rows) {
		return intent.Refuse{Why: "there is nothing to undo"}
	}
	row := &s.rows[s.list.At]
	if !row.UndoneAt.IsZero() {
		return intent.Refuse{Why: "that was undone already"}
	}
	return intent.Undo{ID: row.ID, Did: row.Did, Back: row.Back, Asks: row.Asks}
}

// View draws two lines per act: what was done and when, and what undoing it does.
func (s *Screen) View(w *screen.World, r layout.Rect, _ *layout.Zones) []string {
	got := read.In(w)
	s.rows = got.Value.Acts
	head, body := r.Top(1)
	lines := widget.Bar(w.Theme, head, widget.Styled(theme.Header, "  Acts"),
		widget.Styled(theme.Dim, screen.Count(len(s.rows), "act")+" on record"))
	if unread := screen.Unread(w, body, got); unread != nil {
		return append(lines, unread...)
	}
	rows := widget.Rows{Empty: "nothing was done that can be undone"}
	for i := range s.rows {
		row := &s.rows[i]
		did, back := theme.Strong, "undoing it "+row.Back
		if !row.UndoneAt.IsZero() {
			did, back = theme.Dim, "undone"
		}
		right := widget.Styled(theme.Dim, " "+w.Age(row.At))
		if row.Origin != "dashboard" {
			right = append(widget.Styled(theme.Dim, " by a command"), right...)
		}
		rows.Left = append(rows.Left, widget.Styled(did, cells.Clean(row.Did)))
		rows.Right = append(rows.Right, right)
		rows.Under = append(rows.Under, widget.Styled(theme.Dim, cells.Clean(back)))
	}
	drawn, _ := s.list.View(w, body, rows)
	return append(lines, drawn...)
}
