// Package markdown lays out Markdown for a terminal, in the theme's styles. The text may be
// foreign: nothing of it drives the terminal.
//
// Text is wrapped to the width. Lines of code are not: the terminal does that, and what is copied
// from it stays whole. Where the output shows no style, the marks of Markdown stay.
package markdown

import (
	"strconv"
	"strings"
	"sync"

	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"cupola/core/term/cells"
	"cupola/theme"
)

const (
	// most is the largest text that is laid out, in bytes; a larger one is only made safe.
	most = 256 << 10
	// stresses is how many marks of emphasis a paragraph may have: reading them takes quadratic time.
	stresses = 1000
	// narrow is the width below which nothing is indented further.
	narrow = 16
)

// parse is the parser of CommonMark and of GitHub's tables.
var parse = sync.OnceValue(func() parser.Parser {
	return parser.NewParser(
		parser.WithBlockParsers(parser.DefaultBlockParsers()...),
		parser.WithInlineParsers(parser.DefaultInlineParsers()...),
		parser.WithParagraphTransformers(parser.DefaultParagraphTransformers()...),
		parser.WithParagraphTransformers(util.Prioritized(tables{}, 200)), // after the definitions of links
	)
})

// Render lays out a text for lines of width cells. What it returns is empty or ends with a line end.
func Render(source string, width int, look *theme.Theme) string {
	source = strings.TrimSpace(cells.Safe(source))
	switch {
	case source == "":
		return ""
	case len(source) > most, dense(source):
		return source + "\n"
	}
	p := &page{source: []byte(source), theme: look}
	root := parse().Parse(text.NewReader(p.source))
	return strings.Join(p.blocks(root, max(1, width)), "\n") + "\n"
}

// dense reports whether a paragraph has too many marks of emphasis.
func dense(source string) bool {
	marks := 0
	for line := range strings.Lines(source) {
		if strings.TrimSpace(line) == "" {
			marks = 0
		}
		if marks += strings.Count(line, "*") + strings.Count(line, "_"); marks > stresses {
			return true
		}
	}
	return false
}

// page is one text that is laid out.
type page struct {
	source []byte
	theme  *theme.Theme
	inCell bool // the text belongs to the cell of a table
}

// bare reports whether the output shows no style.
func (p *page) bare() bool { return p.theme.Level() == theme.None }

func (p *page) style(token theme.Token) theme.Style { return p.theme.Style(token) }

// blocks lays out the children of a node, with an empty line between two.
func (p *page) blocks(parent ast.Node, width int) []string {
	var lines []string
	for node := parent.FirstChild(); node != nil; node = node.NextSibling() {
		block := p.block(node, width)
		if len(lines) > 0 && len(block) > 0 && !tight(node) {
			lines = append(lines, "")
		}
		lines = append(lines, block...)
	}
	return lines
}

// tight reports whether a block follows the one before it without an empty line.
func tight(node ast.Node) bool {
	list, isList := node.Parent().(*ast.List)
	if item, isItem := node.Parent().(*ast.ListItem); isItem {
		list, isList = item.Parent().(*ast.List)
	}
	return isList && list.IsTight
}

func (p *page) block(node ast.Node, width int) []string {
	switch node := node.(type) {
	case *ast.Heading:
		line := p.inline(node, theme.Header)
		mark := run{strings.Repeat("#", node.Level) + " ", p.style(theme.Header)}
		return wrap(append([]run{mark}, line...), width)
	case *ast.ThematicBreak:
		return []string{p.style(theme.Border).Render(strings.Repeat(p.theme.Glyphs().Light.Horizontal, width))}
	case *ast.Blockquote:
		mark := p.style(theme.Border).Render(p.theme.Glyphs().Light.Vertical) + " "
		return indented(mark, mark, 2, width, func(width int) []string { return p.blocks(node, width) })
	case *ast.List:
		return p.list(node, width)
	case *ast.CodeBlock, *ast.FencedCodeBlock:
		return p.code(node)
	case *ast.HTMLBlock:
		lines := p.literal(node)
		if node.HasClosure() {
			lines = append(lines, string(node.ClosureLine.Value(p.source)))
		}
		return wrap([]run{{strings.TrimRight(strings.Join(lines, ""), "\n"), p.style(theme.Dim)}}, width)
	case *east.Table:
		return p.table(node, width)
	case *ast.Paragraph, *ast.TextBlock:
		return wrap(p.task(node, p.inline(node, theme.Text)), width)
	}
	return p.blocks(node, width)
}

// indented lays out what is inside a block behind a mark of some cells; the first line may have
// another mark. Where there is no room nothing is indented.
func indented(first, rest string, marked, width int, inside func(width int) []string) []string {
	if width-marked < narrow {
		marked = 0
		rest = ""
		if strings.TrimSpace(first) == "" {
			first = ""
		}
	}
	lines := inside(max(1, width-marked))
	for i, line := range lines {
		mark := rest
		if i == 0 {
			mark = first
		}
		if marked == 0 {
			continue
		}
		if line == "" {
			mark = strings.TrimRight(mark, " ")
		}
		lines[i] = mark + line
	}
	return lines
}

func (p *page) list(list *ast.List, width int) []string {
	var lines []string
	number := list.Start
	for item := list.FirstChild(); item != nil; item = item.NextSibling() {
		mark := p.theme.Glyphs().Bullet + " "
		if list.IsOrdered() {
			mark = strconv.Itoa(number) + ". "
			number++
		}
		if len(lines) > 0 && !list.IsTight {
			lines = append(lines, "")
		}
		marked := cells.Width(mark)
		inside := indented(p.style(theme.Accent).Render(mark), strings.Repeat(" ", marked), marked, width,
			func(width int) []string { return p.blocks(item, width) })
		if len(inside) == 0 {
			inside = []string{strings.TrimRight(mark, " ")}
		}
		lines = append(lines, inside...)
	}
	return lines
}

// code lays out lines of code: indented, and never wrapped.
func (p *page) code(node ast.Node) []string {
	var lines []string
	for _, line := range p.literal(node) {
		line = strings.TrimRight(cells.Clean(strings.ReplaceAll(line, "\t", "    ")), " ")
		if line != "" {
			line = "  " + p.style(theme.Code).Render(line)
		}
		lines = append(lines, line)
	}
	return lines
}

// literal returns the lines of a block as they are written.
func (p *page) literal(node ast.Node) []string {
	var lines []string
	for i := range node.Lines().Len() {
		segment := node.Lines().At(i)
		lines = append(lines, string(segment.Value(p.source)))
	}
	return lines
}
