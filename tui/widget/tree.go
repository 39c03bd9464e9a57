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
	// Name is read first; a leaf's Number is shown before it, unless it is negative.
	Name   string
	Number int
	// Detail is the state's word, or how many agents work.
	Detail Span
	// Age is since when, see Age.
	Age string
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

// ageWidth is what the longest age takes.
const ageWidth = 3

// Tree draws sessions and their panes. If it is narrow, the age is left out first, then the
// detail; the glyph still shows the state.
func Tree(t *theme.Theme, r layout.Rect, tree TreeView) []string {
	rows := Rows{
		Selected: tree.Selected, Top: tree.Top, Empty: tree.Empty, Left: make([]Line, len(tree.Nodes)),
		Right: make([]Line, len(tree.Nodes)),
	}
	digits, detail, name := 0, 0, 0
	for i := range tree.Nodes {
		node := &tree.Nodes[i]
		name = max(name, widthOf(node.Name))
		if node.Fold == Leaf {
			digits = max(digits, len(node.number()))
			detail = max(detail, widthOf(node.Detail.Text))
		}
	}
	// What is before a pane's name: the sign, the indentation, glyph and number.
	lead := 2 + 2 + 2 + digits + 1
	need := lead + min(name, 8) + 1 + detail
	withDetail, withAge := need <= r.W, need+1+ageWidth <= r.W
	for i := range tree.Nodes {
		rows.Left[i] = tree.Nodes[i].label(t, digits)
		rows.Right[i] = tree.Nodes[i].facts(detail, withDetail, withAge)
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
	if digits > 0 {
		line = append(line, Span{theme.Dim, strings.Repeat(" ", digits-len(number)) + number + " "})
	}
	return append(line, Span{theme.Text, n.Name})
}

func (n *Node) number() string {
	if n.Number < 0 {
		return ""
	}
	return strconv.Itoa(n.Number)
}

// facts are the columns at the right: details begin below one another, and ages
// end there.
func (n *Node) facts(detail int, withDetail, withAge bool) Line {
	if !withDetail {
		return nil
	}
	if n.Fold != Leaf {
		return Line{n.Detail}
	}
	line := Line{n.Detail, {theme.Text, spaces(detail - widthOf(n.Detail.Text))}}
	if withAge {
		line = append(line, Span{theme.Dim, spaces(1+ageWidth-widthOf(n.Age)) + n.Age})
	}
	return line
}

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
