package cells

import "strings"

// Escape returns the length of the escape sequence that begins at text[0], which
// is ESC, and the parameters of one that sets colours and attributes. Where a
// sequence does not end, all of the rest belongs to it.
func Escape(text string) (length int, params string, isStyle bool) {
	if len(text) < 2 {
		return len(text), "", false
	}
	switch text[1] {
	case '[':
		return parameters(text)
	case ']', 'P', 'X', '^', '_':
		return stringEnd(text), "", false
	}
	// Others are ESC, intermediates and one final byte.
	i := 1
	for i < len(text) && text[i] >= 0x20 && text[i] <= 0x2f {
		i++
	}
	if i < len(text) && text[i] >= 0x30 && text[i] <= 0x7e {
		i++
	}
	return i, "", false
}

// parameters measures "ESC [ parameters intermediates final". A byte that cannot
// belong to it ends it and is read anew.
func parameters(text string) (length int, params string, isStyle bool) {
	i := 2
	for i < len(text) && text[i] >= 0x30 && text[i] <= 0x3f {
		i++
	}
	params = text[2:i]
	for i < len(text) && text[i] >= 0x20 && text[i] <= 0x2f {
		i++
	}
	if i == len(text) || text[i] < 0x40 || text[i] > 0x7e {
		return i, "", false
	}
	return i + 1, params, text[i] == 'm' && i == 2+len(params)
}

// stringEnd measures a sequence that holds a string: it ends with BEL, with
// ESC \, or before a byte that aborts it.
func stringEnd(text string) int {
	for i := 2; i < len(text); i++ {
		switch text[i] {
		case 0x07:
			return i + 1
		case 0x18, 0x1a:
			return i + 1
		case 0x1b:
			if strings.HasPrefix(text[i:], "\x1b\\") {
				return i + 2
			}
			return i
		}
	}
	return len(text)
}
