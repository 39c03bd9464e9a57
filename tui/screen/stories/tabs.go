package stories

import (
	"fmt"
	"slices"
	"strings"

	"cupola/core/term/cells"
	"cupola/theme"
	"cupola/tui/intent"
	"cupola/tui/layout"
	"cupola/tui/screen"
	"cupola/tui/widget"
)

// margins is the free width beside the text of a row, in cells.
const margins = 4

// text is the content of a tab: lines, or rows that are drawn already.
type text struct {
	lines []widget.Line
	drawn []string
}

func (t *text) rows() int { return max(len(t.lines), len(t.drawn)) }

func (t *text) add(lines ...widget.Line) { t.lines = append(t.lines, lines...) }

// say adds a paragraph of foreign text.
func (t *text) say(token theme.Token, words string, width int) {
	if words != "" {
		t.add(screen.Paragraph(token, words, width)...)
	}
}

// gap adds an empty line between two parts.
func (t *text) gap() {
	if len(t.lines) > 0 {
		t.add(nil)
	}
}

// tabs are texts, one of them displayed, each with its own position.
type tabs struct {
	at     int
	places []screen.Tail
	// made is the text that was drawn last, key what it was made of.
	made text
	key  string
	// where the text was drawn.
	area layout.Rect
}

// place returns the position in the displayed tab.
func (t *tabs) place() *screen.Tail {
	for len(t.places) <= t.at {
		t.places = append(t.places, screen.Tail{})
	}
	return &t.places[t.at]
}

// handle scrolls, and returns other intents.
func (t *tabs) handle(wanted intent.Intent) intent.Intent { return t.place().Handle(wanted) }

// choose shows the tab that an intent asks for, and reports whether it asks for one. The next tab of the last is
// the first.
func (t *tabs) choose(wanted intent.Intent, names []string) bool {
	n := len(names)
	switch w := wanted.(type) {
	case intent.NextTab:
		t.at = ((t.at+w.By)%n + n) % n
	case intent.ShowTab:
		t.at = max(0, slices.Index(names, w.Name))
	default:
		return false
	}
	return true
}

// bar draws the names of the tabs, that of the one that is shown in brackets. If they do not fit, that one alone is
// named.
func (t *tabs) bar(w *screen.World, r layout.Rect, names []string, note string, zones *layout.Zones) []string {
	width := 2
	for _, name := range names {
		width += cells.Width(name) + 2
	}
	var line widget.Line
	if width > r.W {
		line = widget.Line{
			{Token: theme.Accent, Text: "  [" + names[t.at] + "]"},
			{Token: theme.Dim, Text: fmt.Sprintf(" %d of %d", t.at+1, len(names))},
		}
	} else {
		line = widget.Line{{Token: theme.Text, Text: "  "}}
		x := r.X + 2
		for i, name := range names {
			span := widget.Span{Token: theme.Dim, Text: " " + name + " "}
			if i == t.at {
				span = widget.Span{Token: theme.Accent, Text: "[" + name + "]"}
			}
			zones.Add(layout.Rect{X: x, Y: r.Y, W: cells.Width(span.Text), H: r.H}, intent.ShowTab{Name: name})
			x += cells.Width(span.Text)
			line = append(line, span)
		}
	}
	right := widget.Styled(theme.Dim, note)
	if line.Width()+right.Width() >= r.W {
		right = nil
	}
	return widget.Bar(w.Theme, r, line, right)
}

// view draws the names and, below, the displayed part of the text. Write makes the text for a width, and is called
// again when the key has changed. Follow shows the end until the user scrolls up from it.
func (t *tabs) view(w *screen.World, r layout.Rect, zones *layout.Zones, names []string, key string, follow bool,
	write func(width int) text,
) []string {
	head, body := r.Top(1)
	t.area = body
	width := max(1, body.W-margins)
	if key = fmt.Sprint(key, " ", t.at, " ", width); key != t.key {
		t.made, t.key = write(width), key
	}
	place := t.place()
	top, end := place.Shown(t.made.rows(), body.H, follow)
	lines := t.bar(w, head, names, place.Note, zones)
	if t.made.drawn != nil {
		left, text := body.Left(2)
		return append(lines, widget.Beside(widget.Block(left, nil), widget.Block(text, t.made.drawn[top:end]))...)
	}
	return append(lines, widget.List(w.Theme, body, widget.Rows{Selected: -1, Left: t.made.lines[top:end]})...)
}

// plain returns a text without styles.
func (t *text) plain() string {
	var b strings.Builder
	for _, line := range t.lines {
		for _, span := range line {
			b.WriteString(span.Text)
		}
		b.WriteString("\n")
	}
	for _, line := range t.drawn {
		b.WriteString(cells.Strip(line) + "\n")
	}
	return b.String()
}
