package screen

import (
	"fmt"
	"strings"

	"cupola/core/cells"
	"cupola/theme"
	"cupola/tui/widget"
)

// OneLine is the beginning of a text in one line, of at most n bytes.
func OneLine(text string, n int) string {
	if len(text) > n {
		text = strings.ToValidUTF8(text[:n], "")
	}
	return strings.Join(strings.Fields(text), " ")
}

// Dollars is a cost; empty for one of 0, which is also one that is not known.
func Dollars(usd float64) string {
	switch {
	case usd <= 0:
		return ""
	case usd < 0.1:
		return fmt.Sprintf("$%.4f", usd)
	}
	return fmt.Sprintf("$%.2f", usd)
}

// Wrap divides a line of foreign text into lines of at most w cells that are safe to draw.
func Wrap(line string, w int) []string {
	return cells.Wrap(cells.Clean(strings.ReplaceAll(line, "\t", "    ")), w)
}

// Paragraph wraps a foreign text into lines of at most w cells.
func Paragraph(token theme.Token, text string, w int) []widget.Line {
	var lines []widget.Line
	for line := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		for _, part := range Wrap(line, max(1, w)) {
			lines = append(lines, widget.Styled(token, part))
		}
	}
	return lines
}
