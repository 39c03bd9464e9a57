package core

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// longestLabel is how many characters a label may have.
const longestLabel = 32

// CheckLabel returns InvalidInput for a label that lists could not show: one that is long, or holds anything but
// letters, digits and the signs -_./:+ of words.
func CheckLabel(label string) error {
	if utf8.RuneCountInString(label) > longestLabel {
		return Errorf(InvalidInput, "a label has at most %d characters", longestLabel)
	}
	for _, r := range label {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) && !strings.ContainsRune("-_./:+", r) {
			return &Error{
				Code: InvalidInput, Message: fmt.Sprintf("a label must not hold %q", r),
				Hint: "Give one word, such as review or ui-2.",
			}
		}
	}
	return nil
}
