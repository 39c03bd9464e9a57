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

// from is how many rows at the end of a screen are left out.
func (l *PaneView) from(shot *widget.Shot) int {
	_, end := shot.Top(0)
	for i := end - 1; i > 0 && l.Until != ""; i-- {
		if strings.Contains(cells.Clean(cells.Strip(shot.Capture.Lines[i])), l.Until) {
			return end - i
		}
	}
	return 0
}

// View draws a pane.
func (l *PaneView) View(w *World, r layout.Rect, pane *core.Pane, anchor widget.Anchor) []string {
	if pane.ID != l.pane {
		*l = PaneView{pane: pane.ID, Until: l.Until}
	}
	head, body := r.Top(1)
	shot := w.Shot(pane)
	shot.Anchor, shot.Keys = anchor, anchor == widget.AnchorCursor
	shot.Drop = l.from(&shot)
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
