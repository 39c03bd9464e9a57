package scripted

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"cupola/core/term/cells"
)

// A paste larger than either is shown as a count.
const (
	foldChars = 1000
	foldLines = 10
)

// prompt is a draft that was submitted: exactly what it holds, and how it is
// shown.
type prompt struct{ text, shown string }

// blank reports whether there is nothing to submit.
func (p prompt) blank() bool { return strings.TrimSpace(p.text) == "" }

// pieceKind distinguishes the parts of a draft.
type pieceKind int

const (
	plainPiece  pieceKind = iota
	foldedPiece           // a long paste, shown as a count, erased as one
	strayPiece            // a newline made of an Enter that came too soon
)

type piece struct {
	kind pieceKind
	text string
}

// shown is how the composer writes the piece.
func (p piece) shown() string {
	if p.kind != foldedPiece {
		return p.text
	}
	if lines := strings.Count(p.text, "\n") + 1; lines > foldLines {
		return fmt.Sprintf(FoldedLines, lines)
	}
	return fmt.Sprintf(FoldedChars, utf8.RuneCountInString(p.text))
}

// draft is the text in the composer; its cursor is always at its end. The zero
// value is empty.
type draft struct{ pieces []piece }

func (d *draft) empty() bool { return len(d.pieces) == 0 }

// insert adds text at the end.
func (d *draft) insert(text string) {
	if text == "" {
		return
	}
	if last := len(d.pieces) - 1; last >= 0 && d.pieces[last].kind == plainPiece {
		d.pieces[last].text += text
		return
	}
	d.pieces = append(d.pieces, piece{text: text})
}

// paste adds text, folded when it is long.
func (d *draft) paste(text string) {
	if utf8.RuneCountInString(text) > foldChars || strings.Count(text, "\n") >= foldLines {
		d.pieces = append(d.pieces, piece{kind: foldedPiece, text: text})
		return
	}
	d.insert(text)
}

// stray adds the newline of an Enter that was not meant as one. At the end of
// a prompt it is left out again.
func (d *draft) stray() {
	d.pieces = append(d.pieces, piece{kind: strayPiece, text: "\n"})
}

// backspace removes the last character, or the whole of a folded paste.
func (d *draft) backspace() {
	last := len(d.pieces) - 1
	if last < 0 {
		return
	}
	p := &d.pieces[last]
	if p.kind == plainPiece {
		p.text = p.text[:len(p.text)-lastCluster(p.text)]
	}
	if p.kind != plainPiece || p.text == "" {
		d.pieces = d.pieces[:last]
	}
}

// lastCluster is the length in bytes of the last character of s as people
// count them.
func lastCluster(s string) (n int) {
	for ; s != ""; s = s[n:] {
		n = cells.First(s).Len
	}
	return n
}

// killLine removes the last line, or the line break if that line is empty.
func (d *draft) killLine() {
	if strings.HasSuffix(d.text(), "\n") && d.pieces[len(d.pieces)-1].kind != foldedPiece {
		d.backspace()
		return
	}
	for !d.empty() {
		last := len(d.pieces) - 1
		p := &d.pieces[last]
		if p.kind == strayPiece {
			return
		}
		if i := strings.LastIndexByte(p.text, '\n'); i >= 0 && p.kind == plainPiece {
			p.text = p.text[:i+1]
			return
		}
		d.pieces = d.pieces[:last]
	}
}

// text returns the text of the draft.
func (d *draft) text() string {
	var b strings.Builder
	for _, p := range d.pieces {
		b.WriteString(p.text)
	}
	return b.String()
}

// shown returns the draft as the composer shows it.
func (d *draft) shown() string {
	var b strings.Builder
	for _, p := range d.pieces {
		b.WriteString(p.shown())
	}
	return b.String()
}

// submit empties the draft into a prompt.
func (d *draft) submit() prompt {
	for n := len(d.pieces); n > 0 && d.pieces[n-1].kind == strayPiece; n-- {
		d.pieces = d.pieces[:n-1]
	}
	p := prompt{text: d.text(), shown: d.shown()}
	d.pieces = nil
	return p
}
