package screen

import (
	"fmt"
	"strings"

	"cupola/core"
	"cupola/core/term/cells"
	"cupola/theme"
	"cupola/tui/layout"
	"cupola/tui/widget"
)

// PaneView shows one pane below a title, and can be scrolled up if the pane is higher than
// the display. Another pane is shown from its bottom again.
type PaneView struct {
	pane core.PaneID
	// Until ends what is shown before the last line with this text, as far as there is something before it; empty shows
	// all.
	Until string
	// up is how many lines are below what is shown, most the largest up.
	up, most, height int
}

// Scroll moves what is shown by lines, upwards if by is negative.
func (l *PaneView) Scroll(by int) { l.up = max(0, min(l.up-by, l.most)) }

// AtTop reports whether there is nothing above what is shown.
func (l *PaneView) AtTop() bool { return l.up >= l.most }

// Turn moves what is shown by pages.
func (l *PaneView) Turn(by int) { l.Scroll(by * max(1, l.height-1)) }

// end leaves out the end of a screen, with its cursor, that Until names.
func (l *PaneView) end(shot *widget.Shot) {
	if l.Until == "" || shot.Capture == nil {
		return
	}
	for i := len(shot.Capture.Lines) - 1; i > 0; i-- {
		if !strings.Contains(cells.Clean(cells.Strip(shot.Capture.Lines[i])), l.Until) {
			continue
		}
		before := *shot.Capture
		before.Lines = before.Lines[:i:i]
		before.View.Cursor.Visible = false
		shot.Capture = &before
		return
	}
}

// View draws a pane.
func (l *PaneView) View(w *World, r layout.Rect, pane *core.Pane, anchor widget.Anchor) []string {
	if pane.ID != l.pane {
		*l = PaneView{pane: pane.ID, Until: l.Until}
	}
	head, body := r.Top(1)
	shot := w.Shot(pane)
	shot.Anchor, shot.Keys = anchor, anchor == widget.AnchorCursor
	l.end(&shot)
	l.height = body.H
	l.most, _ = shot.Top(body.H)
	l.Scroll(0)
	shot.Scroll = l.up
	note := fmt.Sprintf("%dx%d", pane.View.Width, pane.View.Height)
	if l.up > 0 {
		note = fmt.Sprintf("%d below", l.up)
	}
	right := widget.Styled(theme.Dim, note)
	lines := widget.Bar(w.Theme, head, w.Title(pane, head.W-right.Width()-2), right)
	return append(lines, widget.Screen(w.Theme, body, shot, w.Cache)...)
}
