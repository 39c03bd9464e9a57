package agent

import (
	"strings"

	"cupola/core"
)

// page is the visible part of a screen, cleaned for the rules.
type page struct {
	rows  []string
	raw   []string // as captured, perhaps with escapes
	title string
	// launch is the command line with which Cupola started the program.
	launch string
	// offset turns a row into an index of the screen's Lines.
	offset int
	caret  caret
}

// caret is where the terminal's cursor is, in rows of the page and cells.
type caret struct {
	row, column int
	visible     bool
	// known is false for a screen without a viewport.
	known bool
}

// escape is a control sequence: CSI, OSC, or two characters.
var escape = compiled(
	`\x1b(\[[\x30-\x3f]*[\x20-\x2f]*[\x40-\x7e]|\][^\x07\x1b]*(\x07|\x1b\\)?|[\x20-\x2f]*[\x30-\x7e])`,
)

// Agents draw with no-break blanks where others draw with blanks, and mark
// their own cursor with characters of no width.
var invisible = strings.NewReplacer("\u00a0", " ", "\u200b", "", "\u200c", "", "\ufe0e", "", "\u2060", "", "\ufeff", "")

func clean(line string) string {
	if strings.IndexByte(line, '\x1b') >= 0 {
		line = escape().ReplaceAllString(line, "")
	}
	if hasInvisible(line) {
		line = invisible.Replace(line)
	}
	return strings.TrimRight(line, " \t\r")
}

// hasInvisible reports whether a line may hold what invisible replaces, which
// costs far more than to look for how their encodings begin.
func hasInvisible(line string) bool {
	return strings.IndexByte(line, '\xc2') >= 0 || strings.IndexByte(line, '\xef') >= 0 ||
		strings.Contains(line, "\xe2\x80") || strings.Contains(line, "\xe2\x81")
}

func newPage(screen *core.Screen) *page {
	p := &page{
		title: strings.TrimSpace(clean(screen.Title)), launch: screen.Launch,
		offset: max(0, len(screen.Lines)-screen.Visible),
	}
	visible := screen.Lines[p.offset:]
	p.raw = visible
	p.rows = make([]string, len(visible))
	for i, line := range visible {
		p.rows[i] = clean(line)
	}
	if view := screen.View; view.Height > 0 {
		// Joined lines are fewer than the terminal's rows. The rows at the bottom are never joined, as agents draw each
		// by itself, so that counting from the bottom is right.
		p.caret = caret{
			row:    len(visible) - view.Height + view.Cursor.Y,
			column: view.Cursor.X, visible: view.Cursor.Visible, known: true,
		}
	}
	return p
}

// styled reports whether a row was captured with its attributes.
func (p *page) styled(row int) bool { return strings.IndexByte(p.raw[row], '\x1b') >= 0 }

// span is a run of rows of a page, without its blank ones, top to bottom.
type span []int

// upward collects at most n rows that are not blank, from row up.
func (p *page) upward(row, n int) span {
	row = min(row, len(p.rows)-1)
	if row < 0 {
		return nil
	}
	s := make(span, min(n, row+1))
	first := len(s)
	for i := row; i >= 0 && first > 0; i-- {
		if p.rows[i] != "" {
			first--
			s[first] = i
		}
	}
	return s[first:]
}

// downward collects at most n rows that are not blank, from row down.
func (p *page) downward(row, n int) span {
	var s span
	for i := max(0, row); i < len(p.rows) && len(s) < n; i++ {
		if p.rows[i] != "" {
			s = append(s, i)
		}
	}
	return s
}
