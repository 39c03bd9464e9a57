package agent

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Squeeze returns the part of a text that every agent draws unchanged, for comparison with
// a screen: letters, digits and ASCII signs. It drops blanks, which move where lines wrap,
// and emoji, joiners and combining marks, which terminals draw differently.
func Squeeze(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsNumber(r) || r > ' ' && r < unicode.MaxASCII {
			return r
		}
		return -1
	}, norm.NFD.String(text))
}
