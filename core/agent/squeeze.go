package agent

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Squeeze keeps of a text what every agent draws as it is: letters, digits and
// the signs of ASCII. Blanks move where lines wrap; emoji, joiners and marks are
// drawn differently by each terminal, and an accent may be a letter's own or a mark.
func Squeeze(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsNumber(r) || r > ' ' && r < unicode.MaxASCII {
			return r
		}
		return -1
	}, norm.NFD.String(text))
}
