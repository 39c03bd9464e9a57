package scripted

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"cupola/core/term/cells"
)

// styled puts a text in a style; sgr is empty for the terminal's own.
func styled(text, sgr string) string {
	if sgr == "" {
		return text
	}
	return sgr + text + sgrReset
}

// printable replaces what would move the cursor or cannot be drawn.
func printable(text string) string {
	text = strings.ReplaceAll(text, "\t", "    ")
	return strings.Map(func(r rune) rune {
		if r != '\n' && unicode.IsControl(r) {
			return utf8.RuneError
		}
		return r
	}, text)
}

// hang wraps a text with its mark before the first line and blanks before the
// others, and cuts all of them to the width.
func hang(mark, text, sgr string, width int) []string {
	indent := cells.Width(mark)
	rows := cells.Wrap(printable(text), width-indent)
	for i := range rows {
		rows[i] = cells.Cut(styled(mark+rows[i], sgr), width, "")
		mark = strings.Repeat(" ", indent)
	}
	return rows
}
