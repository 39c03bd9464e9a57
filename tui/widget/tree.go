package widget

import (
	"strconv"
	"strings"
	"time"

	"cupola/core"
	"cupola/theme"
	"cupola/tui/layout"
)

// Fold says whether a node of the tree has nodes below it, and whether they show.
type Fold uint8

// The folds.
const (
	Leaf Fold = iota
	Opened
	Closed
)

// Node is one row of the tree.
type Node struct {
	Fold Fold
	// State is a leaf's, shown as its glyph; empty for none.
	State core.State
	// Name is read first; a leaf's Number is shown before it, unless it is negative, and its Marks behind it.
	Name   string
	Number int
	Marks  string
	// Marked shows a sign before the glyph.
	Marked bool
	// Does describes the activity of a leaf; Facts are further facts, the most important first, with widths of their
	// own.
	Does  Line
	Facts []Line
	// Detail is the state's word, or how many agents work.
	Detail Span
	// Age is since when, see Age.
	Age string
	// Heading is the name of the group that the node begins, in a line above it; empty for none.
	Heading string
}

// TreeView is a tree, flattened to the rows that show.
type TreeView struct {
	Nodes []Node
	// Selected is the number of the node that is selected, -1 for none, and Top
	// that of the first one shown; see FirstVisible.
	Selected, Top int
	// Empty is shown where there are no nodes.
	Empty string
}

const (
	// stateWidth is the width of the longest state in one word.
	stateWidth = 8
	// leastDoes is the width from which a row says what its leaf does, leastUnder what that has of a second line before
	// facts do.
	leastDoes, leastUnder = 12, 24
	// tallHeight is the height from which there are second lines.
	tallHeight = 18
	// nameWidth is the largest width of names beside the activity of their leaves.
	nameWidth = 12
)

// Height is how many lines the tree takes in a rect.
func (v *TreeView) Height(r layout.Rect) int { return v.lines(0, len(v.Nodes), v.Tall(r)) }

// lines is how many lines some of the nodes take.
func (v *TreeView) lines(from, to int, tall bool) int {
	n := 0
	for i := from; i < to; i++ {
		n += v.Nodes[i].Lines(tall)
	}
	return n
}

// ScrollTo sets Top so that the selected node shows in a rect, as near as can be to what was first before.
func (v *TreeView) ScrollTo(top int, r layout.Rect) {
	n, tall := len(v.Nodes), v.Tall(r)
	top = max(0, min(top, n-1))
	if v.Selected >= 0 {
		top = min(top, v.Selected)
		for top < v.Selected && v.lines(top, v.Selected+1, tall) > r.H {
			top++
		}
	}
	for top > 0 && v.lines(top-1, n, tall) <= r.H {
		top--
	}
	v.Top = top
}

// Tall reports whether agents have a second line in a rect. That depends on its size alone, so that no row changes its
// height when something happens: a low one has room for more rows if what they do is behind their names.
func (v *TreeView) Tall(r layout.Rect) bool { return r.H >= tallHeight || v.behind(r.W) < leastDoes }

// lead is the width of the sign, the indentation, glyph and number before a name, in cells.
func (v *TreeView) lead() int { return 2 + 2 + 2 + v.digits() + 1 }

// behind is the room behind a name for what its leaf does, in cells.
func (v *TreeView) behind(w int) int {
	return w - v.lead() - nameWidth - stateWidth - 1 - v.ageWidth() - 2
}

// ageWidth is the width of the longest age, in cells.
func (v *TreeView) ageWidth() int {
	for i := range v.Nodes {
		if len(v.Nodes[i].Age) > shortAge {
			return timeOrDay
		}
	}
	return shortAge
}

func (v *TreeView) digits() int {
	digits := 0
	for i := range v.Nodes {
		if node := &v.Nodes[i]; node.Fold == Leaf {
			digits = max(digits, len(node.number()))
		}
	}
	return digits
}

// Lines is how many lines the node takes.
func (n *Node) Lines(tall bool) int {
	lines := 1
	if tall && n.acts() {
		lines++
	}
	if n.Heading != "" {
		lines++
	}
	return lines
}

// acts reports whether the node is one that does something: all leaves but the user's own shells.
func (n *Node) acts() bool { return n.Fold == Leaf && n.State != "" }

// Tree draws sessions and their panes. What a pane does is in a second line or, in a low rect, behind its name. If the
// tree is narrow, the age is left out first, then the detail; the glyph still shows the state. The columns at the right
// have fixed widths, so that they do not move when a state changes.
func Tree(t *theme.Theme, r layout.Rect, tree TreeView) []string {
	n := len(tree.Nodes)
	rows := Rows{
		Selected: tree.Selected, Top: tree.Top, Empty: tree.Empty, Left: make([]Line, n), Right: make([]Line, n),
		Over: make([]Line, n),
	}
	lead, digits, tall, room := tree.lead(), tree.digits(), tree.Tall(r), tree.behind(r.W)
	if tall {
		rows.Under, rows.UnderRight = make([]Line, n), make([]Line, n)
	}
	need := lead + 8 + 1 + stateWidth
	withDetail, ageWidth := need <= r.W, tree.ageWidth()
	if need+1+ageWidth > r.W {
		ageWidth = 0
	}
	for i := range tree.Nodes {
		node := &tree.Nodes[i]
		rows.Left[i] = node.label(t, digits)
		rows.Right[i] = node.right(withDetail, ageWidth)
		if node.Heading != "" {
			rows.Over[i] = Styled(theme.Header, "  "+node.Heading)
		}
		switch {
		case !node.acts():
		case tall:
			rows.Under[i] = append(Line{{theme.Text, spaces(lead - 2)}}, node.Does...)
			rows.UnderRight[i] = node.facts(max(0, r.W-lead-min(leastUnder, node.Does.Width())-1))
		case room >= leastDoes && len(node.Does) > 0:
			pad := nameWidth - rows.Left[i].Width() + lead - 2
			rows.Left[i] = append(append(rows.Left[i], Span{theme.Text, spaces(max(1, pad))}), node.Does...)
		}
	}
	return List(t, r, rows)
}

func (n *Node) label(t *theme.Theme, digits int) Line {
	switch n.Fold {
	case Opened:
		return Line{{theme.Dim, t.Glyphs().Open + " "}, {theme.Strong, n.Name}}
	case Closed:
		return Line{{theme.Dim, t.Glyphs().Closed + " "}, {theme.Strong, n.Name}}
	}
	glyph := " "
	if n.State != "" {
		glyph = t.Glyph(n.State)
	}
	number := n.number()
	line := Line{{theme.Text, "  "}, {theme.State(n.State), glyph + " "}}
	if n.Marked {
		line[0] = Span{theme.Accent, t.Glyphs().Marked + " "}
	}
	if digits > 0 {
		line = append(line, Span{theme.Dim, strings.Repeat(" ", digits-len(number)) + number + " "})
	}
	line = append(line, Span{theme.Text, n.Name})
	if n.Marks != "" {
		line = append(line, Span{theme.Warn, " " + n.Marks})
	}
	return line
}

func (n *Node) number() string {
	if n.Number < 0 {
		return ""
	}
	return strconv.Itoa(n.Number)
}

// right are the columns at the right: details begin below one another, and ages end there, in so many cells; 0 leaves
// them out.
func (n *Node) right(withDetail bool, ageWidth int) Line {
	if !withDetail {
		return nil
	}
	if n.Fold != Leaf {
		return Line{n.Detail}
	}
	line := Line{n.Detail, {theme.Text, spaces(stateWidth - widthOf(n.Detail.Text))}}
	if ageWidth > 0 {
		line = append(line, Span{theme.Dim, spaces(1+ageWidth-widthOf(n.Age)) + n.Age})
	}
	return line
}

// facts are as many facts as fit into a width, the most important at the right edge.
func (n *Node) facts(room int) Line {
	var line Line
	for _, fact := range n.Facts {
		if line.Width()+2+fact.Width() > room {
			break
		}
		line = append(append(Line{{theme.Text, "  "}}, fact...), line...)
	}
	return line
}

// shortAge is the width of what Age returns, timeOrDay that of times and days instead, in cells.
const shortAge, timeOrDay = 3, 6

// Age names a duration in its largest unit, in three characters at most for 99
// weeks: "now" below a minute, then minutes, hours, days and weeks.
func Age(d time.Duration) string {
	const day = 24 * time.Hour
	switch {
	case d < time.Minute:
		return "now"
	case d < time.Hour:
		return strconv.Itoa(int(d/time.Minute)) + "m"
	case d < day:
		return strconv.Itoa(int(d/time.Hour)) + "h"
	case d < 7*day:
		return strconv.Itoa(int(d/day)) + "d"
	}
	return strconv.Itoa(min(99, int(d/(7*day)))) + "w"
}
