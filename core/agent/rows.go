package agent

import (
	"strings"
	"unicode/utf8"

	"cupola/core"
)

// Rows returns the visible rows of a screen as the rules see them: without escapes, trailing blanks and characters of
// no width.
func Rows(screen *core.Screen) []string { return newPage(screen).rows }

// lineDrawing are the characters that edges of boxes are drawn with.
const lineDrawing = "─━═_▀▄▁▔╭╮╰╯┌┐└┘├┤╹╵╷╻"

// EdgeRow reports whether a row is an edge of a box: it begins with at least two characters of lines.
func EdgeRow(row string) bool {
	row = strings.TrimLeft(row, " ")
	first, size := utf8.DecodeRuneInString(row)
	second, _ := utf8.DecodeRuneInString(row[size:])
	return utf8.RuneCountInString(row) > 4 && strings.ContainsRune(lineDrawing, first) &&
		strings.ContainsRune(lineDrawing, second)
}

// PromptSign returns the start of a row up to a sign that programs put before a draft, with a side of a box in front;
// empty if the row has none.
func PromptSign(row string) string {
	text := unframed(row)
	before, _, _ := strings.Cut(row, text)
	if sign := promptRow().FindString(text); sign != "" {
		return before + sign
	}
	return ""
}
