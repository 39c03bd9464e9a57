package server

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"cupola/core/engine"
	"cupola/core/term"
)

// modifiers are the keys held while a key is pressed. They are numbered as in xterm, less one.
type modifiers int

const (
	withShift modifiers = 1 << iota
	withMeta
	withControl
)

// keyBytes returns the bytes that a terminal sends for a key. engine.CheckKey has accepted the key.
func keyBytes(key string, modes term.Modes) string {
	if key == engine.EscapeU {
		return engine.EscapeUBytes
	}
	name, held := splitKey(key)
	if r, size := utf8.DecodeRuneInString(name); size == len(name) {
		return escaped(characterBytes(r, held), held)
	}
	switch lower := strings.ToLower(name); lower {
	case "space":
		return escaped(characterBytes(' ', held), held)
	case "enter", "kpenter":
		return plainKey('\r', held, modes)
	case "tab":
		if held&withShift != 0 {
			return "\x1b[Z"
		}
		return plainKey('\t', held, modes)
	case "bspace":
		return plainKey('\x7f', held, modes)
	case "escape":
		return plainKey('\x1b', held, modes)
	case "btab":
		return "\x1b[Z"
	default:
		if strings.HasPrefix(lower, "kp") {
			return escaped(strings.TrimPrefix(lower, "kp"), held)
		}
		return functionKey(lower, held, modes)
	}
}

// splitKey parts a key from its modifiers.
func splitKey(key string) (name string, held modifiers) {
	name = key
	if len(name) > 1 && name[0] == '^' {
		name, held = name[1:], withControl
	}
	for len(name) > 2 && name[1] == '-' {
		switch name[0] {
		case 'C', 'c':
			held |= withControl
		case 'M', 'm':
			held |= withMeta
		case 'S', 's':
			held |= withShift
		}
		name = name[2:]
	}
	return name, held
}

// escaped returns the bytes of a key, with an escape before them if Meta is held.
func escaped(text string, held modifiers) string {
	if held&withMeta != 0 {
		return "\x1b" + text
	}
	return text
}

// characterBytes is a character, perhaps with Control or Shift.
func characterBytes(r rune, held modifiers) string {
	if held&withControl == 0 {
		if held&withShift != 0 {
			r = unicode.ToUpper(r)
		}
		return string(r)
	}
	const few = "2345678" // as on terminals of DEC
	switch at := strings.IndexRune(few, r); {
	case r == ' ':
		return "\x00"
	case r == '?':
		return "\x7f"
	case r == '/':
		return "\x1f"
	case at >= 0:
		return string("\x00\x1b\x1c\x1d\x1e\x1f\x7f"[at])
	case r >= '@' && r <= '_', r >= 'a' && r <= 'z':
		return string(r & 0x1f)
	}
	return string(r)
}

// plainKey returns the bytes of a key that has a control character of its own. Shift and Control change them only in
// the keyboard protocol of kitty, if the program has asked for it.
func plainKey(control rune, held modifiers, modes term.Modes) string {
	if held&^withMeta != 0 && modes.KeyFlags != 0 {
		return "\x1b[" + strconv.Itoa(int(control)) + ";" + strconv.Itoa(int(held)+1) + "u"
	}
	return escaped(string(control), held)
}

// letters are the final letters of keys that have one, tildes the numbers of the others.
var (
	letters = map[string]string{"up": "A", "down": "B", "right": "C", "left": "D", "home": "H", "end": "F"}
	fours   = map[string]string{"f1": "P", "f2": "Q", "f3": "R", "f4": "S"}
	tildes  = map[string]string{
		"ic": "2", "insert": "2", "dc": "3", "delete": "3", "ppage": "5", "pageup": "5", "pgup": "5", "npage": "6",
		"pagedown": "6", "pgdn": "6", "f5": "15", "f6": "17", "f7": "18", "f8": "19", "f9": "20", "f10": "21",
		"f11": "23", "f12": "24",
	}
)

// functionKey is a key that has a sequence.
func functionKey(name string, held modifiers, modes term.Modes) string {
	number := strconv.Itoa(int(held) + 1)
	letter, moves := letters[name]
	if !moves {
		letter = fours[name]
	}
	switch {
	case letter != "" && held != 0:
		return "\x1b[1;" + number + letter
	case moves && !modes.CursorKeys:
		return "\x1b[" + letter
	case letter != "":
		return "\x1bO" + letter
	case held != 0:
		return "\x1b[" + tildes[name] + ";" + number + "~"
	}
	return "\x1b[" + tildes[name] + "~"
}
