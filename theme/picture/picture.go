// Package picture turns a captured terminal screen into an SVG, for pages that
// show what the program looks like.
package picture

import (
	"fmt"
	"html"
	"strings"

	"github.com/charmbracelet/x/cellbuf"

	"cupola/core/term/cells"
)

// The size of a cell and the margin around all, in SVG units.
const (
	cellWidth  = 8.4
	cellHeight = 18
	margin     = 14
	fontSize   = 14
)

// The colours of the terminal in the picture, and its palette of sixteen.
const (
	background = "#14171d"
	foreground = "#d6dae2"
)

var palette = [16]string{
	"#14171d", "#ff7b72", "#5fd39a", "#f0c060", "#79b8ff", "#f3a6dd", "#7bd5dc", "#d6dae2",
	"#8b93a1", "#ff9d96", "#86e0b4", "#f5d38a", "#a3ceff", "#f7c1e7", "#a1e2e7", "#f3f4f6",
}

// SVG draws lines, which may hold SGR sequences, on a display of width cells.
func SVG(lines []string, width int) string {
	var b strings.Builder
	begin(&b, width, len(lines))
	var style cellbuf.Style
	for row, line := range lines {
		style = drawLine(&b, line, row, style)
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// run is text of one style.
type run struct {
	style cellbuf.Style
	from  int // first cell
	to    int // behind the last one
	text  strings.Builder
}

// begin writes what a picture of some cells begins with.
func begin(b *strings.Builder, width, height int) {
	w, h := float64(width)*cellWidth+2*margin, float64(height)*cellHeight+2*margin
	fmt.Fprintf(b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %.0f" font-family="ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="%d">`+"\n",
		w, h, fontSize)
	fmt.Fprintf(b, `<rect width="100%%" height="100%%" rx="8" fill="%s"/>`+"\n", background)
}

func drawLine(b *strings.Builder, line string, row int, style cellbuf.Style) cellbuf.Style {
	var runs []*run
	column := 0
	for line != "" {
		cluster := cells.First(line)
		if cluster.Escape {
			if _, params, isStyle := cells.Escape(line); isStyle {
				cells.ReadStyle(params, &style)
			}
			line = line[cluster.Len:]
			continue
		}
		if len(runs) == 0 || runs[len(runs)-1].style != style {
			runs = append(runs, &run{style: style, from: column})
		}
		last := runs[len(runs)-1]
		last.text.WriteString(line[:cluster.Len])
		column += cluster.Width
		last.to = column
		line = line[cluster.Len:]
	}
	for _, r := range runs {
		r.draw(b, row)
	}
	return style
}

func (r *run) draw(b *strings.Builder, row int) {
	x, y := margin+float64(r.from)*cellWidth, margin+float64(row)*cellHeight
	width := float64(r.to-r.from) * cellWidth
	front, back := colours(r.style)
	if back != background {
		fmt.Fprintf(b, `<rect x="%.1f" y="%.1f" width="%.1f" height="%d" fill="%s"/>`+"\n", x, y, width, cellHeight, back)
	}
	text := r.text.String()
	if strings.TrimSpace(text) == "" {
		return
	}
	weight := ""
	if r.style.Attrs&cellbuf.BoldAttr != 0 {
		weight = ` font-weight="bold"`
	}
	fmt.Fprintf(b, `<text x="%.1f" y="%.1f" fill="%s" textLength="%.1f" lengthAdjust="spacingAndGlyphs" xml:space="preserve"%s>%s</text>`+"\n",
		x, y+fontSize-1, front, width, weight, html.EscapeString(text))
}
