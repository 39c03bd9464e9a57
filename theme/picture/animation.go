package picture

import (
	"fmt"
	"strings"
	"time"

	"github.com/charmbracelet/x/cellbuf"
)

// Frame is a screen that shows for some time.
type Frame struct {
	Lines []string
	For   time.Duration
}

// Animation draws frames on a display of width by height cells, one after the other and then again. A line that stays
// is drawn once.
func Animation(frames []Frame, width, height int) string {
	var b strings.Builder
	begin(&b, width, height)
	total := time.Duration(0)
	for _, frame := range frames {
		total += frame.For
	}
	styles := make([]cellbuf.Style, len(frames))
	for row := range height {
		drawn := make([]string, len(frames))
		for i, frame := range frames {
			var line strings.Builder
			if row < len(frame.Lines) {
				styles[i] = drawLine(&line, frame.Lines[row], row, styles[i])
			}
			drawn[i] = line.String()
		}
		at := time.Duration(0)
		for from := 0; from < len(frames); {
			to, until := from, at
			for to < len(frames) && drawn[to] == drawn[from] {
				until += frames[to].For
				to++
			}
			showing(&b, drawn[from], at, until, total)
			from, at = to, until
		}
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// showing writes what shows from one time until another of a whole that repeats.
func showing(b *strings.Builder, drawn string, from, until, total time.Duration) {
	switch {
	case drawn == "":
		return
	case from == 0 && until == total:
		b.WriteString(drawn)
		return
	}
	values, times := "visible;hidden", fmt.Sprintf("0;%.4f", until.Seconds()/total.Seconds())
	switch {
	case from > 0 && until < total:
		values = "hidden;visible;hidden"
		times = fmt.Sprintf("0;%.4f;%.4f", from.Seconds()/total.Seconds(), until.Seconds()/total.Seconds())
	case from > 0:
		values, times = "hidden;visible", fmt.Sprintf("0;%.4f", from.Seconds()/total.Seconds())
	}
	fmt.Fprintf(b, `<g visibility="hidden"><animate attributeName="visibility" values="%s" keyTimes="%s" dur="%.2fs" `,
		values, times, total.Seconds())
	fmt.Fprintf(b, `calcMode="discrete" repeatCount="indefinite"/>`+"\n%s</g>\n", drawn)
}
