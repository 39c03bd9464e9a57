package markdown

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/util"

	"cupola/core/term/cells"
	"cupola/theme"
)

// run is a piece of text in one style; a line end in it ends the line.
type run struct {
	text  string
	style theme.Style
}

// inline returns the text of a node in runs; token is the style of ordinary text.
func (p *page) inline(parent ast.Node, token theme.Token) []run {
	var runs []run
	for node := parent.FirstChild(); node != nil; node = node.NextSibling() {
		runs = append(runs, p.piece(node, token)...)
	}
	return runs
}

func (p *page) piece(node ast.Node, token theme.Token) []run {
	say := func(token theme.Token, text string) run { return run{cells.Clean(text), p.style(token)} }
	switch node := node.(type) {
	case *ast.Text:
		value := p.written(node.Segment.Value(p.source))
		if !node.IsRaw() && token != theme.Code {
			value = resolved(value)
		}
		runs := []run{say(token, value)}
		switch {
		case node.HardLineBreak():
			runs = append(runs, run{text: "\n"})
		case node.SoftLineBreak() && !p.joins(value, node.NextSibling()):
			runs = append(runs, run{text: " "})
		}
		return runs
	case *ast.String:
		return []run{say(token, string(node.Value))}
	case *ast.CodeSpan:
		return p.marked("`", p.inline(node, theme.Code))
	case *ast.Emphasis:
		if node.Level > 1 {
			return p.marked("**", p.inline(node, above(token, theme.Strong)))
		}
		return p.marked("*", p.inline(node, above(token, theme.Emphasis)))
	case *ast.Link:
		return p.link(p.inline(node, theme.Accent), p.written(node.Destination))
	case *ast.Image:
		runs := append([]run{say(theme.Dim, "image: ")}, p.inline(node, theme.Accent)...)
		return p.link(runs, p.written(node.Destination))
	case *ast.AutoLink:
		return []run{say(theme.Accent, p.written(node.URL(p.source)))}
	case *ast.RawHTML:
		var tag strings.Builder
		for i := range node.Segments.Len() {
			segment := node.Segments.At(i)
			tag.WriteString(p.written(segment.Value(p.source)))
		}
		if strings.HasPrefix(strings.ToLower(tag.String()), "<br") {
			return []run{{text: "\n"}}
		}
		return []run{say(theme.Dim, tag.String())}
	}
	return p.inline(node, token)
}

// written is a text as its author means it: in a cell, a backslash only keeps a pipe from ending the cell.
func (p *page) written(text []byte) string {
	if p.inCell {
		return strings.ReplaceAll(string(text), `\|`, "|")
	}
	return string(text)
}

// task gives the box at the start of a list's item the style of its state.
func (p *page) task(block ast.Node, runs []run) []run {
	if block.Parent().Kind() != ast.KindListItem || block.PreviousSibling() != nil {
		return runs
	}
	line := block.Lines().At(0)
	source, shown := string(line.Value(p.source)), joined(runs)
	for box, token := range map[string]theme.Token{"[ ] ": theme.Dim, "[x] ": theme.Good, "[X] ": theme.Good} {
		if strings.HasPrefix(source, box) && strings.HasPrefix(shown, box) { // else it is a link
			at := cursor{runs: runs}
			at.take(len(box))
			return append([]run{{box, p.style(token)}}, at.rest()...)
		}
	}
	return runs
}

// above is the style inside a text of another style: headings keep theirs.
func above(outer, inner theme.Token) theme.Token {
	if outer == theme.Header {
		return outer
	}
	return inner
}

// resolved is a text with its escapes and the names of characters replaced.
func resolved(text string) string {
	return string(util.UnescapePunctuations(util.ResolveEntityNames(util.ResolveNumericReferences([]byte(text)))))
}

// marked puts the marks of Markdown around runs where the output shows no style.
func (p *page) marked(mark string, runs []run) []run {
	if !p.bare() {
		return runs
	}
	return append(append([]run{{text: mark}}, runs...), run{text: mark})
}

// link adds the address to the text of a link, unless that is the address.
func (p *page) link(runs []run, address string) []run {
	address = cells.Clean(address)
	if address == "" || strings.TrimPrefix(address, "mailto:") == joined(runs) {
		return runs
	}
	return append(runs, run{" (" + address + ")", p.style(theme.Dim)})
}

// joins reports whether a line break between two texts is no blank, as in Chinese and Japanese.
func (p *page) joins(before string, next ast.Node) bool {
	after, isText := next.(*ast.Text)
	if !isText {
		return false
	}
	last, _ := utf8.DecodeLastRuneInString(before)
	first, _ := utf8.DecodeRune(after.Segment.Value(p.source))
	return ideographic(last) && ideographic(first)
}

func ideographic(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) || r >= 0x3000 && r <= 0x303f
}

func joined(runs []run) string {
	var b strings.Builder
	for _, run := range runs {
		b.WriteString(run.text)
	}
	return b.String()
}

// wrap divides runs into styled lines of at most width cells.
func wrap(runs []run, width int) []string {
	if len(runs) == 0 {
		return nil
	}
	whole := joined(runs)
	lines := cells.Wrap(whole, width)
	at := cursor{runs: runs}
	for i, line := range lines {
		// Wrap leaves out blanks and line ends between two lines.
		for whole != "" && !strings.HasPrefix(whole, line) {
			at.take(1)
			whole = whole[1:]
		}
		lines[i] = at.take(len(line))
		whole = whole[min(len(line), len(whole)):]
		if line == "" && strings.HasPrefix(whole, "\n") {
			at.take(1)
			whole = whole[1:]
		}
	}
	return lines
}

// cursor is a place in runs.
type cursor struct {
	runs []run
	used int // bytes of the first run
}

// take returns the next n bytes, in their styles.
func (c *cursor) take(n int) string {
	var b strings.Builder
	for n > 0 && len(c.runs) > 0 {
		rest := c.runs[0].text[c.used:]
		piece := rest[:min(n, len(rest))]
		b.WriteString(c.runs[0].style.Render(piece))
		n -= len(piece)
		if c.used += len(piece); c.used == len(c.runs[0].text) {
			c.runs, c.used = c.runs[1:], 0
		}
	}
	return b.String()
}

// rest returns the runs that are not taken.
func (c *cursor) rest() []run {
	if len(c.runs) == 0 {
		return nil
	}
	first := run{c.runs[0].text[c.used:], c.runs[0].style}
	return append([]run{first}, c.runs[1:]...)
}
