package engine

import (
	"fmt"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// namedKeys are the keys that have names, in lower case, named as in tmux.
var namedKeys = sync.OnceValue(func() map[string]bool {
	names := strings.Fields(`F1 F2 F3 F4 F5 F6 F7 F8 F9 F10 F11 F12
		IC Insert DC Delete Home End NPage PageDown PgDn PPage PageUp PgUp
		Tab BTab Space BSpace Enter Escape Up Down Left Right
		KP/ KP* KP- KP7 KP8 KP9 KP+ KP4 KP5 KP6 KP1 KP2 KP3 KPEnter KP0 KP.`)
	known := make(map[string]bool, len(names))
	for _, name := range names {
		known[strings.ToLower(name)] = true
	}
	return known
})

// EscapeU is the key Escape in the form CSI 27 u, which ends by itself: a program that reads it together with the next
// key does not take the two for another one, as it does with the byte of Escape.
const EscapeU = "EscapeU"

// EscapeUBytes are the bytes of EscapeU.
const EscapeUBytes = "\x1b[27u"

// CheckKey returns an ErrBadKey for what is not one key. Engines need not check it: tmux types an unknown name letter
// by letter.
func CheckKey(key string) error {
	if key == EscapeU {
		return nil
	}
	base, control := key, false
	if len(base) > 1 && base[0] == '^' {
		base, control = base[1:], true
	}
	for len(base) > 2 && base[1] == '-' && strings.IndexByte("CcMmSs", base[0]) >= 0 {
		control = control || base[0] == 'C' || base[0] == 'c'
		base = base[2:]
	}
	if namedKeys()[strings.ToLower(base)] {
		return nil
	}
	r, n := utf8.DecodeRuneInString(base)
	if n != len(base) || r == utf8.RuneError || !unicode.IsPrint(r) {
		return fmt.Errorf("%w: %q", ErrBadKey, key)
	}
	// tmux has no control key for these, or types them as they are.
	if control && (r > unicode.MaxASCII || strings.ContainsRune(`"$%&*{|}~`, r)) {
		return fmt.Errorf("%w: %q", ErrBadKey, key)
	}
	return nil
}
