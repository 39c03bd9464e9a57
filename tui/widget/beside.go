package widget

import (
	"strings"
	"unicode/utf8"

	"cupola/core/term/cells"
	"cupola/theme"
)

// Beside puts blocks of lines next to each other. They must be of one height;
// what some have more than the shortest is left out.
func Beside(blocks ...[]string) []string {
	if len(blocks) == 0 {
		return nil
	}
	height := len(blocks[0])
	for _, block := range blocks {
		height = min(height, len(block))
	}
	lines := make([]string, height)
	parts := make([]string, len(blocks))
	for i := range lines {
		for j, block := range blocks {
			parts[j] = block[i]
		}
		lines[i] = joined(parts...)
	}
	return lines
}

// joined puts pieces of a line side by side so that each keeps its width: it separates
// characters that would join across a seam.
func joined(pieces ...string) string {
	var out strings.Builder
	last := ""
	for _, piece := range pieces {
		if piece == "" {
			continue
		}
		if merge(last, piece) {
			out.WriteString(theme.Reset)
		}
		out.WriteString(piece)
		last = piece
	}
	return out.String()
}

// merge reports whether the end of one piece and the beginning of another may join into one
// character.
func merge(left, right string) bool {
	if left == "" || right[0] < ' ' || left[len(left)-1] < utf8.RuneSelf && right[0] < utf8.RuneSelf {
		return false
	}
	_, before := utf8.DecodeLastRuneInString(left)
	_, behind := utf8.DecodeRuneInString(right)
	return cells.First(left[len(left)-before:]+right[:behind]).Len > before
}
