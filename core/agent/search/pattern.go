package search

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// ErrEmpty means that a text to search for holds nothing but blanks.
var ErrEmpty = errors.New("there is nothing to search for")

// Pattern is a text to search for, prepared.
type Pattern struct {
	// text is in lower case, with single blanks.
	text string
	// Every record that holds the text has one of starts, and all of rest, in lower case.
	starts, rest [][]byte
}

// Compile prepares a text; ErrEmpty if there is none in it.
func Compile(text string) (*Pattern, error) {
	p := &Pattern{text: lower(flat(text))}
	if p.text == "" {
		return nil, ErrEmpty
	}
	longest := -1
	for _, run := range strings.FieldsFunc(p.text, encodedInJSON) {
		p.rest = append(p.rest, []byte(run))
		if longest < 0 || len(run) > len(p.rest[longest]) {
			longest = len(p.rest) - 1
		}
	}
	if longest >= 0 {
		p.starts = p.rest[longest : longest+1]
		return p, nil
	}
	first, _ := utf8.DecodeRuneInString(p.text)
	for _, r := range []rune{first, unicode.ToUpper(first)} {
		p.starts = append(p.starts, []byte(string(r)), fmt.Appendf(nil, `\u%04x`, r))
	}
	return p, nil
}

// encodedInJSON reports whether a character may be written in another way within JSON, or with other blanks.
func encodedInJSON(r rune) bool {
	return r <= ' ' || r >= utf8.RuneSelf || strings.ContainsRune("\"\\<>&'/\x7f", r)
}

// flat returns a text whose runs of blanks are one blank each, without those at its ends.
func flat(text string) string { return strings.Join(strings.Fields(text), " ") }

// lower returns a text in lower case, rune for rune.
func lower(text string) string { return strings.Map(unicode.ToLower, text) }

// Find returns where a text with single blanks holds the pattern, in bytes; ok is false if it does not.
func (p *Pattern) Find(text string) (from, to int, ok bool) {
	low := lower(text)
	i := strings.Index(low, p.text)
	if i < 0 {
		return 0, 0, false
	}
	if len(low) == len(text) {
		return i, i + len(p.text), true
	}
	// The cases of some letters differ in length.
	from = byteAt(text, utf8.RuneCountInString(low[:i]))
	return from, from + byteAt(text[from:], utf8.RuneCountInString(p.text)), true
}

// byteAt is where the n-th rune of a text begins.
func byteAt(text string, n int) int {
	for i := range text {
		if n == 0 {
			return i
		}
		n--
	}
	return len(text)
}

// may reports whether a record, in lower case, may hold the pattern.
func (p *Pattern) may(low []byte) bool {
	for _, part := range p.rest {
		if !bytes.Contains(low, part) {
			return false
		}
	}
	if len(p.rest) > 0 {
		return true
	}
	at := next(low, p.starts)
	return at >= 0
}

// lines calls each with where the lines of a text begin and end that may hold the pattern, in order. Low is the text in
// lower case.
func (p *Pattern) lines(low []byte, each func(from, to int)) {
	for pos := 0; pos < len(low); {
		at := next(low[pos:], p.starts)
		if at < 0 {
			return
		}
		at += pos
		from, to := bytes.LastIndexByte(low[:at], '\n')+1, len(low)
		if end := bytes.IndexByte(low[at:], '\n'); end >= 0 {
			to = at + end
		}
		if p.may(low[from:to]) {
			each(from, to)
		}
		pos = to + 1
	}
}

// next returns where the first of some parts is in a text; -1 if there is none.
func next(text []byte, parts [][]byte) int {
	at := -1
	for _, part := range parts {
		within := text
		if at >= 0 {
			within = text[:min(len(text), at+len(part))]
		}
		if found := bytes.Index(within, part); found >= 0 && (at < 0 || found < at) {
			at = found
		}
	}
	return at
}

// lowerASCII writes a text into dst, which is as long, with its ASCII letters in lower case: eight bytes at a time, for
// this is half of the work of a search.
func lowerASCII(dst, text []byte) {
	const ones, high = 0x0101010101010101, 0x8080808080808080
	i := 0
	for ; i+8 <= len(text); i += 8 {
		x := binary.LittleEndian.Uint64(text[i:])
		low := x &^ uint64(high)
		// The high bit of a byte of from is set from 'A' on, that of above behind 'Z'.
		from, above := low+ones*(0x80-'A'), low+ones*(0x80-'Z'-1)
		upper := (from ^ above) &^ x & high
		binary.LittleEndian.PutUint64(dst[i:], x|upper>>2)
	}
	for ; i < len(text); i++ {
		b := text[i]
		if b >= 'A' && b <= 'Z' {
			b += 'a' - 'A'
		}
		dst[i] = b
	}
}
