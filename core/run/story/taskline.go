package story

import "strings"

// box is a line with a check box, taken apart. Its indexes count bytes of the line.
type box struct {
	// open is the index behind the opening bracket, end that of the closing one.
	open, end int
	// from and to are where the mark is. They are equal where there is none.
	from, to int
	// description is the rest of the line, without the space around it.
	description string
}

// done reports whether the mark is the mark of a task that is done.
func (b *box) done(line []byte) bool { return strings.EqualFold(string(line[b.from:b.to]), "x") }

// readBox reads a line as OpenSpec does, whose pattern is
//
//	/^\s*(?:[-*+]|\d{1,9}[.)])\s*\[(?:\s*([^\]\s]?)\s*\](?![([])|\s+\])\s*(.*)/
//
// Its characters are the units of UTF-16, so that a mark outside the basic plane is none.
func readBox(line []byte) (b box, ok bool) {
	at := skipMarker(line, skipSpace(line, 0))
	if at < 0 {
		return b, false
	}
	at = skipSpace(line, at)
	if at == len(line) || line[at] != '[' {
		return b, false
	}
	b.open = at + 1
	b.from = skipSpace(line, b.open)
	b.to = b.from
	if b.from < len(line) && line[b.from] != ']' {
		r, size := decode(line[b.from:])
		if r > 0xFFFF {
			return b, false
		}
		b.to += size
	}
	b.end = skipSpace(line, b.to)
	if b.end == len(line) || line[b.end] != ']' {
		return b, false
	}
	// A link is none, but a box with nothing but space always is one.
	blank := b.from == b.to && b.from > b.open
	if !blank && b.end+1 < len(line) && (line[b.end+1] == '(' || line[b.end+1] == '[') {
		return b, false
	}
	b.description = describe(line[skipSpace(line, b.end+1):])
	return b, true
}

// describe returns the first line of a text, without the space around it.
func describe(text []byte) string {
	said := valid(text)
	if end := strings.IndexFunc(said, isLineEnd); end >= 0 {
		said = said[:end]
	}
	return trim(said)
}

// skipMarker returns the index behind the marker of a list at an index; -1 if there is none.
func skipMarker(line []byte, at int) int {
	if at == len(line) {
		return -1
	}
	if strings.IndexByte("-*+", line[at]) >= 0 {
		return at + 1
	}
	digits := 0
	for at+digits < len(line) && line[at+digits] >= '0' && line[at+digits] <= '9' {
		digits++
	}
	at += digits
	if digits < 1 || digits > 9 || at == len(line) || line[at] != '.' && line[at] != ')' {
		return -1
	}
	return at + 1
}

// indent returns how far a line is indented, in columns; a tab leads to the next multiple of four.
func indent(line []byte) int {
	columns := 0
	for _, c := range line {
		switch c {
		case ' ':
			columns++
		case '\t':
			columns += 4 - columns%4
		default:
			return columns
		}
	}
	return columns
}

// isItem reports whether a line is an item of a list: a marker with space behind it.
func isItem(line []byte) bool {
	at := skipMarker(line, skipSpace(line, 0))
	return at >= 0 && (at == len(line) || skipSpace(line, at) > at)
}

// setMark returns a line whose box has another mark, x or none. All other bytes stay, but for a space that keeps the
// box from becoming a link.
func setMark(line []byte, b *box, done bool) []byte {
	mark, from, to := "x", b.from, b.to
	if !done {
		mark = " "
	}
	if from == to && from > b.open {
		// The mark takes the place of the first space.
		_, size := decode(line[b.open:])
		from, to = b.open, b.open+size
	}
	changed := append([]byte{}, line[:from]...)
	changed = append(changed, mark...)
	changed = append(changed, line[to:b.end+1]...)
	rest := line[b.end+1:]
	if done && len(rest) > 0 && (rest[0] == '(' || rest[0] == '[') {
		changed = append(changed, ' ')
	}
	return append(changed, rest...)
}
