// Package notice is the screen that explains why there is nothing to show, and what to do
// about it.
package notice

import (
	"fmt"
	"strings"

	"cupola/core/term/cells"
	"cupola/theme"
	"cupola/tui/intent"
	"cupola/tui/layout"
	"cupola/tui/screen"
	"cupola/tui/widget"
)

// Screen is a few lines in the middle.
type Screen struct {
	// Title names the situation; Lines say what to do about it.
	Title string
	Lines []string
}

// Block makes lines of one width, so that all begin at one column.
func Block(lines ...string) []string {
	wide := 0
	for _, line := range lines {
		wide = max(wide, cells.Width(line))
	}
	for i, line := range lines {
		lines[i] = line + strings.Repeat(" ", wide-cells.Width(line))
	}
	return lines
}

// For returns the notice for what is known; nil if it has something to show. Lost says that a server was there before.
func For(w *screen.World, lost bool) *Screen {
	snap, keys := w.Snapshot, w.Keys.Of(&intent.Nothing)
	switch {
	case snap == nil:
		return &Screen{Title: "Looking…"}
	case (!snap.EngineUp || len(snap.Sessions) == 0) && len(w.Offers().Ran) > 0:
		return returning(w, keys)
	case !snap.EngineUp && lost:
		return &Screen{Title: "The terminal server has ended.", Lines: []string{"Its sessions are gone; n starts one."}}
	case !snap.EngineUp, len(snap.Sessions) == 0:
		return &Screen{Title: "No agents yet.", Lines: append([]string{
			keys.Key(intent.AskSpawn{}) + " starts one, " +
				keys.Key(intent.Demo{}) + " shows a demo of nine.",
		}, installable(w.Offers())...)}
	}
	return nil
}

// mostRan is how many sessions that ran are named.
const mostRan = 6

// returning says what can be started again.
func returning(w *screen.World, keys *intent.Scope) *Screen {
	offers := w.Offers()
	var sessions []string
	for i := range offers.Ran {
		if i == mostRan {
			sessions = append(sessions, fmt.Sprintf("and %d more", len(offers.Ran)-i))
			break
		}
		r := &offers.Ran[i]
		sessions = append(sessions, cells.Clean(r.Session)+": "+r.Holds())
	}
	does := keys.Key(intent.ListCheckpoints{}) + " brings them back, " + keys.Key(intent.AskSpawn{}) +
		" starts a new session."
	return &Screen{Title: offers.RanUntil(w.Now) + ".", Lines: append([]string{does, ""}, Block(sessions...)...)}
}

// installable says which agents are installed, and how to install the others.
func installable(offers *screen.Offers) (lines []string) {
	if len(offers.Kinds) == 0 && len(offers.Missing) == 0 {
		return nil // they were not looked for yet
	}
	installed := "No agent is installed."
	if len(offers.Kinds) > 0 {
		installed = "Installed: " + strings.Join(offers.Kinds, ", ") + "."
	}
	wide := 0
	for _, one := range offers.Missing {
		wide = max(wide, len(one.Kind))
	}
	for _, one := range offers.Missing {
		lines = append(lines, fmt.Sprintf("%-*s  %s", wide, one.Kind, one.Install))
	}
	return append([]string{"", installed}, Block(lines...)...)
}

// Scope is the table of active keys.
func (s *Screen) Scope() *intent.Scope { return &intent.Nothing }

// Handle returns every intent.
func (s *Screen) Handle(wanted intent.Intent) intent.Intent { return wanted }

// View draws the lines in the middle.
func (s *Screen) View(w *screen.World, r layout.Rect, _ *layout.Zones) []string {
	says := []widget.Line{widget.Styled(theme.Strong, s.Title)}
	for i, line := range s.Lines {
		if i == 0 {
			says = append(says, nil)
		}
		says = append(says, screen.Paragraph(theme.Dim, line, r.W-2)...)
	}
	above, rest := r.Top(max(0, (r.H-len(says))/2))
	lines := widget.Bar(w.Theme, above, nil, nil)
	for i := range min(len(says), rest.H) {
		margin, text := rest.Row(i).Left(max(0, (r.W-says[i].Width())/2))
		lines = append(lines, widget.Beside(widget.Bar(w.Theme, margin, nil, nil),
			widget.Bar(w.Theme, text, says[i], nil))...)
	}
	_, below := rest.Top(len(says))
	return append(lines, widget.Bar(w.Theme, below, nil, nil)...)
}
