package scripted

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

const (
	esc        = 0x1b
	pasteStart = "\x1b[200~"
	pasteEnd   = "\x1b[201~"
	// sequenceLimit is where an unfinished control sequence is given up.
	sequenceLimit = 64
)

// lineEnds turns the line ends that terminals put into pastes into LF.
var lineEnds = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// decoder turns the bytes of a terminal into keys. The zero value is ready.
// What the bytes mean does not depend on how reads cut them.
type decoder struct {
	buf     []byte
	paste   []byte
	pasting bool
}

// feed takes bytes that were read and returns the keys they complete.
func (d *decoder) feed(p []byte) []key {
	d.buf = append(d.buf, p...)
	var keys []key
	for len(d.buf) > 0 {
		k, n, found := d.next()
		if n == 0 {
			break
		}
		d.buf = d.buf[n:]
		if found {
			keys = appendKey(keys, k)
		}
	}
	if len(d.buf) == 0 {
		d.buf = nil
	}
	return keys
}

// pending reports whether bytes wait for more that may never come, as the ones
// of a lone Esc do.
func (d *decoder) pending() bool { return len(d.buf) > 0 && !d.pasting }

// flush gives up waiting: a lone ESC is the Esc key, half a rune is text, half
// a sequence is nothing.
func (d *decoder) flush() []key {
	if !d.pending() {
		return nil
	}
	rest := d.buf
	d.buf = nil
	switch {
	case len(rest) == 1 && rest[0] == esc:
		return []key{{kind: keyEsc}}
	case rest[0] == esc:
		return nil
	}
	return []key{{kind: keyText, text: string(rest)}}
}

// next reads one key and says how many bytes it took; zero asks for more.
func (d *decoder) next() (k key, n int, found bool) {
	b := d.buf
	switch {
	case d.pasting:
		return d.nextPaste()
	case b[0] == esc:
		return d.nextEscape()
	case b[0] < ' ' || b[0] == 0x7f:
		k, found = controls[b[0]]
		return k, 1, found
	}
	return nextText(b)
}

// nextPaste collects a bracketed paste up to its end marker.
func (d *decoder) nextPaste() (key, int, bool) {
	if i := bytes.Index(d.buf, []byte(pasteEnd)); i >= 0 {
		text := lineEnds.Replace(string(append(d.paste, d.buf[:i]...)))
		d.pasting, d.paste = false, nil
		return key{kind: keyPaste, text: text}, i + len(pasteEnd), true
	}
	n := len(d.buf) - markerTail(d.buf)
	d.paste = append(d.paste, d.buf[:n]...)
	return key{}, n, false
}

// markerTail counts the bytes at the end of b that may begin the end marker.
func markerTail(b []byte) int {
	for n := min(len(b), len(pasteEnd)-1); n > 0; n-- {
		if bytes.HasPrefix([]byte(pasteEnd), b[len(b)-n:]) {
			return n
		}
	}
	return 0
}

// nextEscape reads what begins with ESC: a sequence, an Alt chord or the key.
func (d *decoder) nextEscape() (key, int, bool) {
	b := d.buf
	if len(b) == 1 {
		return key{}, 0, false
	}
	switch b[1] {
	case '[':
		return d.nextCSI()
	case 'O':
		if len(b) < 3 {
			return key{}, 0, false
		}
		k, found := finals[b[2]]
		return k, 3, found
	case ']', 'P', '_', '^', 'X':
		return key{}, stringEnd(b), false
	case esc:
		return key{kind: keyEsc}, 1, true
	case '\r', '\n':
		return key{kind: keyNewline}, 2, true
	}
	_, n := utf8.DecodeRune(b[1:])
	if !utf8.FullRune(b[1:]) {
		return key{}, 0, false
	}
	return key{}, 1 + n, false
}

// nextCSI reads a control sequence and begins a paste where one starts.
func (d *decoder) nextCSI() (key, int, bool) {
	for i := 2; i < len(d.buf); i++ {
		c := d.buf[i]
		if c >= ' ' && c < '@' && i < sequenceLimit {
			continue
		}
		if c < ' ' || c > '~' {
			return key{}, i, false
		}
		seq := d.buf[:i+1]
		if string(seq) == pasteStart {
			d.pasting = true
			return key{}, len(seq), false
		}
		k, found := finals[c]
		return k, len(seq), found && len(seq) == 3
	}
	return key{}, 0, false
}

// stringEnd finds the end of a terminal's answer (OSC, DCS and their kin), or
// zero while it has none. One that grows too long was never an answer.
func stringEnd(b []byte) int {
	for i := 2; i < len(b); i++ {
		switch {
		case b[i] == 0x07:
			return i + 1
		case b[i] == '\\' && b[i-1] == esc && i > 2:
			return i + 1
		case i >= sequenceLimit*64:
			return i
		}
	}
	return 0
}

// nextText reads one rune, or one byte that is part of none.
func nextText(b []byte) (key, int, bool) {
	if !utf8.FullRune(b) {
		return key{}, 0, false
	}
	_, n := utf8.DecodeRune(b)
	return key{kind: keyText, text: string(b[:n])}, n, true
}

// appendKey appends k, joining typed text into runs.
func appendKey(keys []key, k key) []key {
	if last := len(keys) - 1; last >= 0 && k.kind == keyText && keys[last].kind == keyText {
		keys[last].text += k.text
		return keys
	}
	return append(keys, k)
}
