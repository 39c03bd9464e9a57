package story

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// OpenSpec reads its files as JavaScript does. The functions of this file are for bytes that may be no UTF-8.

// decode returns the first character of a text and its length in bytes. Bytes that are no UTF-8 count as one
// character as far as they could begin one, as in browsers, and not one by one as in Go.
func decode(text []byte) (r rune, size int) {
	r, size = utf8.DecodeRune(text)
	if r != utf8.RuneError || size != 1 || len(text) < 2 {
		return r, size
	}
	low, high, wants := byte(0x80), byte(0xBF), 0
	switch first := text[0]; {
	case first == 0xE0:
		low, wants = 0xA0, 2
	case first == 0xED:
		high, wants = 0x9F, 2
	case first > 0xE0 && first < 0xF0:
		wants = 2
	case first == 0xF0:
		low, wants = 0x90, 3
	case first == 0xF4:
		high, wants = 0x8F, 3
	case first > 0xF0 && first < 0xF4:
		wants = 3
	}
	// What has all that it wants would have been read above.
	for size < wants && size < len(text) && text[size] >= low && text[size] <= high {
		low, high = 0x80, 0xBF
		size++
	}
	return r, size
}

// valid returns a text with a replacement character for all that is no UTF-8.
func valid(text []byte) string {
	if utf8.Valid(text) {
		return string(text)
	}
	var b strings.Builder
	for len(text) > 0 {
		r, size := decode(text)
		b.WriteRune(r)
		text = text[size:]
	}
	return b.String()
}

// isSpace reports whether \s matches a character.
func isSpace(r rune) bool {
	switch {
	case r >= '\t' && r <= '\r', r == ' ', r == 0xA0, r == 0x1680, r >= 0x2000 && r <= 0x200A:
		return true
	}
	return isLineEnd(r) || r == 0x202F || r == 0x205F || r == 0x3000 || r == 0xFEFF
}

// isLineEnd reports whether a dot stops at a character.
func isLineEnd(r rune) bool { return r == '\n' || r == '\r' || r == 0x2028 || r == 0x2029 }

// skipSpace returns where in a text, at or after an index, the first character is that is no space.
func skipSpace(text []byte, at int) int {
	for at < len(text) {
		r, size := decode(text[at:])
		if !isSpace(r) {
			break
		}
		at += size
	}
	return at
}

// trim is the trim of a string.
func trim(text string) string { return strings.TrimFunc(text, isSpace) }

// splitLines splits a text at each newline and nowhere else. The last line may be empty.
func splitLines(text []byte) [][]byte { return bytes.Split(text, []byte("\n")) }
