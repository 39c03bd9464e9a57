package widget_test

import (
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"cupola/core"
	"cupola/core/term"
	"cupola/core/term/cells"
	"cupola/core/term/cells/cellstest"
	"cupola/theme"
	"cupola/tui/layout"
	"cupola/tui/widget"
)

// printed returns the content of a pane after a program printed lines in it.
func printed(w int, lines []string) widget.Shot {
	terminal := term.New(w, len(lines))
	// What a joiner at the end of a line takes from the next is before the sequence.
	_, _ = terminal.Write([]byte("\x1b[?7l" + strings.Join(lines, "\x1b[m\r\n")))
	return widget.Shot{Capture: &core.Screen{
		Lines: terminal.Styled(), Visible: len(lines), View: core.Viewport{Width: w, Height: len(lines)},
	}}
}

// framed draws tiles of the same lines next to each other: as captured from a
// pane, and as they are.
func framed(lines []string) []string {
	const w, paneWidth = 37, 60
	th, h := at(theme.True), len(lines)+2
	title := widget.Line{{Token: theme.Strong, Text: lines[0]}, {Token: theme.Dim, Text: lines[len(lines)-1]}}
	whole := widget.Shot{Capture: &core.Screen{
		Lines: lines, Visible: len(lines),
		View: core.Viewport{Width: paneWidth, Height: len(lines)},
	}}
	tile := func(shot widget.Shot) []string {
		return widget.Tile(th, size(w, h), widget.Frame{Title: title, Note: title}, shot, nil)
	}
	drawn := widget.Beside(tile(printed(paneWidth, lines)), tile(whole))
	over := layout.Rect{X: w/2 + 1, Y: h / 3, W: w, H: h / 3}
	box := widget.Box(th, over, widget.Frame{Title: title},
		widget.Screen(th, widget.Inner(layout.Rect{W: over.W, H: over.H}), whole, nil))
	return widget.Overlay(drawn, 2*w, over, box)
}

func holds(t *testing.T, drawn []string) {
	t.Helper()
	sent := make([]string, len(drawn))
	for i, line := range drawn {
		sent[i] = widget.FixColumns(line, cells.Width(line))
	}
	cellstest.Holds(t, drawn, sent)
}

// Where CUPOLA_EVERY_CODE_POINT is set, the test goes through all of them: that
// takes a minute.
func TestFramesStayExactForAnyPane(t *testing.T) {
	points, random := cellstest.Assigned(), rand.New(rand.NewPCG(1, 2))
	every, mixes := 67, 4
	if os.Getenv("CUPOLA_EVERY_CODE_POINT") != "" {
		every, mixes = 1, 200
	}
	const rows, perRow = 40, 12
	var lines []string
	show := func() {
		if len(lines) > 0 && !t.Failed() {
			holds(t, framed(lines))
		}
		lines = nil
	}
	for i := 0; i < len(points); i += every * perRow {
		var line strings.Builder
		for j := i; j < min(len(points), i+every*perRow); j += every {
			line.WriteRune(points[j])
			switch j / every % 3 {
			case 1:
				line.WriteByte(' ')
			case 2:
				line.WriteString("\x1b[3" + strconv.Itoa(j%8) + "m│")
			}
		}
		if lines = append(lines, line.String()); len(lines) == rows {
			show()
		}
	}
	show()
	for range mixes {
		for range rows {
			lines = append(lines, cellstest.Mixed(random, points))
		}
		show()
	}
}
