package fleet

import (
	"crypto/rand"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"cupola/core"
)

// textMax is the largest prompt, in bytes.
const textMax = 1 << 20

// prepareText returns a prompt as it is typed: with newlines for line ends and
// without one at its end. It returns InvalidInput for what must not be typed: a
// control character could end the paste and be taken for keys.
func prepareText(given string) (string, error) {
	if len(given) > textMax {
		return "", core.Errorf(core.InvalidInput, "the prompt has %d bytes; at most %d can be sent", len(given), textMax)
	}
	for at := 0; at < len(given); {
		r, size := utf8.DecodeRuneInString(given[at:])
		switch {
		case r == utf8.RuneError && size == 1:
			return "", core.Errorf(core.InvalidInput, "the prompt is not UTF-8: byte 0x%02x at offset %d", given[at], at)
		case unicode.IsControl(r) && r != '\n' && r != '\t' && !strings.HasPrefix(given[at:], "\r\n"):
			return "", core.Errorf(core.InvalidInput, "the prompt holds the control character 0x%02x at offset %d", r, at)
		}
		at += size
	}
	text := strings.TrimSuffix(strings.ReplaceAll(given, "\r\n", "\n"), "\n")
	if strings.TrimSpace(text) == "" {
		return "", core.Errorf(core.InvalidInput, "the prompt is empty")
	}
	return text, nil
}

// NewPromptID makes the id of a prompt that is sent at a time. Ids sort by time, in
// milliseconds, and no two are the same.
func NewPromptID(at time.Time) string {
	return strconv.FormatInt(at.UnixMilli(), 32) + "-" + strings.ToLower(rand.Text()[:10])
}
