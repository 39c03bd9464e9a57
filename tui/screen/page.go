package screen

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/bubbles/viewport"

	"cupola/tui/intent"
	"cupola/tui/layout"
	"cupola/tui/widget"
)

// Page shows lines that scroll. The zero value begins at the top.
type Page struct{ view viewport.Model }

// Handle scrolls and returns other intents.
func (p *Page) Handle(wanted intent.Intent) intent.Intent {
	rows := intent.Rows{
		At: p.view.YOffset, Of: p.view.TotalLineCount(), Page: p.view.Height - 1, Wheel: WheelLines,
	}
	top, is := rows.Moved(wanted)
	if !is {
		return wanted
	}
	p.view.SetYOffset(top)
	return nil
}

func (p *Page) scroll(by int) { p.view.SetYOffset(p.view.YOffset + by) }

// Shown returns which lines show in so many rows: those from top up to end.
func (p *Page) Shown(lines []string, height int) (top, end int) {
	p.view.Height = max(0, height)
	p.view.SetContent(strings.Join(lines, "\n"))
	p.scroll(0)
	return p.view.YOffset, min(len(lines), p.view.YOffset+p.view.Height)
}

// View draws the lines that show, each as wide as the rect. The viewport's own
// drawing measures graphemes: it wraps lines that are wider by that measure.
func (p *Page) View(r layout.Rect, lines []string) []string {
	top, end := p.Shown(lines, r.H)
	return widget.Block(r, lines[top:end])
}

// Position says which of n lines show, from top up to end; empty if all do.
func Position(top, end, n int) string {
	if end <= top || end-top >= n {
		return ""
	}
	return fmt.Sprintf("%d-%d of %d", top+1, end, n)
}
