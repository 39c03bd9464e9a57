package deliver

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"cupola/core"
)

// textMax is the largest prompt, in bytes.
const textMax = 1 << 20

// PrepareText returns a prompt as it is typed: with newlines as line ends and without one at its end. It
// returns InvalidInput for forbidden input: a control character could end the paste and act as keys.
func PrepareText(given string) (string, error) {
	if len(given) > textMax {
		return "", core.Errorf(core.InvalidInput, "the prompt has %d bytes; at most %d can be sent", len(given),
			textMax)
	}
	for at := 0; at < len(given); {
		r, size := utf8.DecodeRuneInString(given[at:])
		switch {
		case r == utf8.RuneError && size == 1:
			return "", core.Errorf(core.InvalidInput, "the prompt is not UTF-8: byte 0x%02x at offset %d", given[at],
				at)
		case unicode.IsControl(r) && r != '\n' && r != '\t' && !strings.HasPrefix(given[at:], "\r\n"):
			return "", core.Errorf(core.InvalidInput, "the prompt holds the control character 0x%02x at offset %d", r,
				at)
		}
		at += size
	}
	text := strings.TrimSuffix(strings.ReplaceAll(given, "\r\n", "\n"), "\n")
	if strings.TrimSpace(text) == "" {
		return "", core.Errorf(core.InvalidInput, "the prompt is empty")
	}
	return text, nil
}
