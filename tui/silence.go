package tui

import (
	"fmt"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"cupola/core"
	"cupola/core/cells"
	"cupola/theme"
	"cupola/tui/layout"
	"cupola/tui/screen"
	"cupola/tui/widget"
)

// silence counts how long the terminal server has not answered.
type silence struct {
	// counting is true while a tick of the second is pending.
	counting bool
}

// silent reports whether a snapshot is the last one of a server that does not answer.
func silent(snap *core.Snapshot) bool { return snap != nil && !snap.SilentSince.IsZero() }

// count starts the tick of the second if a snapshot is silent and no tick is pending.
func (s *silence) count(snap *core.Snapshot, act actor) tea.Cmd {
	if s.counting || !silent(snap) {
		return nil
	}
	s.counting = true
	return act.Tick(time.Second)
}

// view returns the message about a silent server, in as many lines as the display has room
// for; none if the server answers.
func (*silence) view(w *screen.World, r layout.Rect) []string {
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
	}
	return faint
}
