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
	list screen.Listed[checkpoints.ActRow]
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
	if wanted != (intent.Undo{}) {
		return s.list.Handle(wanted)
	}
	row := s.list.Selected()
	switch {
	case row == nil:
		return intent.Refuse{Why: "there is nothing to undo"}
	case !row.UndoneAt.IsZero():
		return intent.Refuse{Why: "that was undone already"}
	}
	return intent.Undo{ID: row.ID, Did: row.Did, Back: row.Back, Asks: row.Asks}
}

// View draws two lines per act: what was done and when, and what undoing it does.
func (s *Screen) View(w *screen.World, r layout.Rect, zones *layout.Zones) []string {
	got := read.In(w)
	s.list.Take(got.Value.Acts, func(row *checkpoints.ActRow) string { return row.ID })
	head, body := r.Top(1)
	lines := widget.Bar(w.Theme, head, widget.Styled(theme.Header, "  Acts"),
		widget.Styled(theme.Dim, screen.Count(len(s.list.Rows), "act")+" on record"))
	if unread := screen.Unread(w, body, got); unread != nil {
		return append(lines, unread...)
	}
	rows := widget.Rows{Empty: "nothing was done that can be undone"}
	for i := range s.list.Rows {
		row := &s.list.Rows[i]
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
	return append(lines, s.list.Draw(w, body, rows, zones)...)
}
