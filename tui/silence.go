package tui

import (
	"fmt"
	"strings"
	"time"

	"cupola/core"
	"cupola/core/term/cells"
	"cupola/theme"
	"cupola/tui/layout"
	"cupola/tui/screen"
	"cupola/tui/widget"
)

// silent reports whether a snapshot is the last one of a server that does not answer.
func silent(snap *core.Snapshot) bool { return snap != nil && !snap.SilentSince.IsZero() }

// silence returns the message about a silent server, in as many lines as the display has room
// for; none if the server answers.
func silence(w *screen.World, r layout.Rect) []string {
	if !silent(w.Snapshot) || r.H < leastHeight {
		return nil
	}
	since := w.Snapshot.SilentSince
	age := max(0, w.Now.Sub(since)).Truncate(time.Second)
	text := fmt.Sprintf("terminal server not answering for %s; last snapshot of %s", core.ShortDuration(age),
		since.Local().Format("15:04:05"))
	row, _ := r.Top(1)
	return widget.Bar(w.Theme, row, widget.Styled(theme.Warn, w.Theme.Glyph(core.Limited)+" "+text), nil)
}

// dimmed returns the lines of a frame that may be out of date, in the colour Dim.
func dimmed(t *theme.Theme, lines []string) []string {
	style := t.Style(theme.Dim)
	faint := make([]string, len(lines))
	for i, line := range lines {
		faint[i] = style.Render(cells.Strip(line))
		if strings.Contains(line, theme.Here) {
			faint[i] = theme.Here + faint[i]
		}
	}
	return faint
}
