package attach

import (
	"bytes"
	"fmt"
	"strings"
)

// Key is a key that is held with Control. The zero value is none.
type Key struct{ character byte }

// The usual keys, which no agent uses: Ctrl-\ leaves, and Ctrl-] looks back.
var (
	usualLeave    = Key{'\\'}
	usualLookBack = Key{']'}
)

// ParseKey reads a key such as C-\ or ctrl-].
func ParseKey(text string) (Key, error) {
	lower := strings.ToLower(text)
	for _, prefix := range []string{"c-", "ctrl-", "ctrl+", "^"} {
		rest, is := strings.CutPrefix(lower, prefix)
		if is && len(rest) == 1 && (rest[0] >= 'a' && rest[0] <= 'z' || strings.ContainsAny(rest, `\]^_@`)) {
			return Key{rest[0]}, nil
		}
	}
	return Key{}, fmt.Errorf("%q is no key with Control, such as C-\\ or C-]", text)
}

// String is how a user writes the key.
func (k Key) String() string { return "Ctrl-" + strings.ToUpper(string(k.character)) }

// cut returns what is before the key in what a terminal sent, and whether the key is in it. Terminals send the key as a
// control character or, once a program has asked for that, in the protocol of kitty or of xterm.
func (k Key) cut(typed []byte) (before []byte, found bool) {
	at := len(typed)
	for _, form := range []string{
		string(rune(k.character & 0x1f)), fmt.Sprintf("\x1b[%d;5u", k.character),
		fmt.Sprintf("\x1b[27;5;%d~", k.character), fmt.Sprintf("\x1b[%d;5:1u", k.character),
	} {
		if i := bytes.Index(typed, []byte(form)); i >= 0 {
			at, found = min(at, i), true
		}
	}
	return typed[:at], found
}
