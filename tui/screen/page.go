package screen

import "cupola/tui/intent"

// Page is what shows of lines that scroll.
type Page struct {
	// Top is the first line that shows.
	Top           int
	height, lines int
}

// Lay tells how many lines there are, and how many fit.
func (p *Page) Lay(lines, height int) {
	p.lines, p.height = lines, height
	p.scroll(p.Top)
}

// Handle scrolls; intents that are about something else come back.
func (p *Page) Handle(wanted intent.Intent) intent.Intent {
	switch w := wanted.(type) {
	case intent.Move:
		p.scroll(p.Top + w.By)
	case intent.Scroll:
		p.scroll(p.Top + w.By*WheelLines)
	case intent.Turn:
		p.scroll(p.Top + w.By*max(1, p.height-1))
	case intent.Jump:
		p.scroll(0)
		if w.Last {
			p.scroll(p.lines)
		}
	default:
		return wanted
	}
	return nil
}

func (p *Page) scroll(top int) { p.Top = max(0, min(top, p.lines-p.height)) }
