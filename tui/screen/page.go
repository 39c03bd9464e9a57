package screen

import (
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
	switch w := wanted.(type) {
	case intent.Move:
		p.scroll(w.By)
	case intent.Scroll:
		p.scroll(w.By * WheelLines)
	case intent.Turn:
		p.scroll(w.By * max(1, p.view.Height-1))
	case intent.Jump:
		p.view.GotoTop()
		if w.Last {
			p.view.GotoBottom()
		}
	default:
		return wanted
	}
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
