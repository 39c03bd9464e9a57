package term

import (
	"encoding/binary"
	"strings"
)

// chunkSize is about how many bytes of history are kept in one piece.
const chunkSize = 32 << 10

// history are the lines that scrolled off the main screen, written as runs: a style once, then its text. A line takes
// a little more than its text.
type history struct {
	limit  int
	chunks []chunk
	lines  int
	// scratch is used again for each line.
	scratch []byte
}

// chunk is a part of the history.
type chunk struct {
	bytes []byte
	lines int
}

// add appends a line, and forgets the oldest chunk once the others alone are enough.
func (h *history) add(c *clusters, l *line) {
	if h.limit <= 0 {
		return
	}
	h.scratch = encodeLine(h.scratch[:0], c, l)
	if n := len(h.chunks); n == 0 || len(h.chunks[n-1].bytes)+len(h.scratch) > chunkSize {
		h.chunks = append(h.chunks, chunk{bytes: make([]byte, 0, chunkSize)})
	}
	last := &h.chunks[len(h.chunks)-1]
	last.bytes = binary.AppendUvarint(last.bytes, uint64(len(h.scratch)))
	last.bytes = append(last.bytes, h.scratch...)
	last.lines++
	h.lines++
	for len(h.chunks) > 1 && h.lines-h.chunks[0].lines >= h.limit {
		h.lines -= h.chunks[0].lines
		h.chunks = h.chunks[1:]
	}
}

// encodeLine writes a line: whether it wraps, then runs of a pen and a text.
func encodeLine(to []byte, c *clusters, l *line) []byte {
	end := len(l.cells)
	for end > 0 && l.cells[end-1].char == 0 && l.cells[end-1].pen() == (pen{}) {
		end--
	}
	wraps := byte(0)
	if l.wrapped {
		wraps = 1
	}
	to = append(to, wraps)
	for at := 0; at < end; {
		p, n := l.cells[at].pen(), 0
		text := make([]byte, 0, 64)
		for ; at < end && l.cells[at].pen() == p; at++ {
			if !l.cells[at].padding {
				text = append(text, c.text(l.cells[at].char)...)
			}
			n++
		}
		to = binary.AppendUvarint(to, uint64(p.fg))
		to = binary.AppendUvarint(to, uint64(p.bg))
		to = binary.AppendUvarint(to, uint64(p.attr))
		to = binary.AppendUvarint(to, uint64(len(text)))
		to = append(to, text...)
	}
	return to
}

// kept is how many lines are kept, at most the limit.
func (h *history) kept() int { return min(h.lines, max(0, h.limit)) }

// last returns the last n lines, the oldest first, with the sequences that style them if they are wanted.
func (h *history) last(n int, styled bool, colours lineColours) []row {
	n = max(0, min(n, h.kept()))
	skip := h.lines - n
	lines := make([]row, 0, n)
	for _, chunk := range h.chunks {
		if skip >= chunk.lines {
			skip -= chunk.lines
			continue
		}
		for rest := chunk.bytes; len(rest) > 0; {
			length, size := binary.Uvarint(rest)
			one := rest[size : size+int(length)] //nolint:gosec // it is within the chunk
			rest = rest[size+int(length):]       //nolint:gosec // it is within the chunk
			if skip > 0 {
				skip--
				continue
			}
			lines = append(lines, decodeLine(one, styled, colours))
		}
	}
	return lines
}

// decodeLine is a line of the history as text.
func decodeLine(from []byte, styled bool, colours lineColours) row {
	var b strings.Builder
	now := pen{}
	number := func() uint64 {
		n, size := binary.Uvarint(from)
		from = from[size:]
		return n
	}
	wrapped := from[0] == 1
	for from = from[1:]; len(from) > 0; {
		p := pen{colour(number()), colour(number()), attr(number())} //nolint:gosec // as they were written
		if styled && p != now {
			b.WriteString(p.sgr(colours))
			now = p
		}
		n := number()
		b.Write(from[:n])
		from = from[n:]
	}
	if now != (pen{}) {
		b.WriteString(pen{}.sgr(nil))
	}
	text := b.String()
	if !styled {
		text = strings.TrimRight(text, " ")
	}
	return row{text, wrapped}
}
