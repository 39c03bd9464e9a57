package markdown

import (
	"slices"
	"strings"
	"testing"

	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"

	"cupola/theme"
)

// outline shows the blocks of a text: each row of a table as its cells in brackets, the alignments
// as l, c, r and -, and of each other block its text.
func outline(source string) string {
	var lines []string
	root := parse().Parse(text.NewReader([]byte(source)))
	_ = ast.Walk(root, func(node ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering || node.Type() != ast.TypeBlock || node.Kind() == ast.KindDocument {
			return ast.WalkContinue, nil
		}
		switch table := node.(type) {
		case *east.Table:
			marks := ""
			for _, alignment := range table.Alignments {
				marks += string("?lrc-"[alignment])
			}
			lines = append(lines, marks)
			for row := node.FirstChild(); row != nil; row = row.NextSibling() {
				line := ""
				for cell := row.FirstChild(); cell != nil; cell = cell.NextSibling() {
					line += "[" + string(cell.Lines().Value([]byte(source))) + "]"
				}
				lines = append(lines, line)
			}
			return ast.WalkSkipChildren, nil
		case *ast.Paragraph, *ast.TextBlock, *ast.Heading:
			lines = append(lines, string(node.Lines().Value([]byte(source))))
		}
		return ast.WalkContinue, nil
	})
	return strings.Join(lines, "\n")
}

func TestTablesAreFound(t *testing.T) {
	for name, c := range map[string]struct{ source, want string }{
		"plain":             {"| a | b |\n|---|---|\n| c | d |", "--\n[a][b]\n[c][d]"},
		"alignments":        {"a|b|c|d\n:-|-:|:-:|-\n", "lrc-\n[a][b][c][d]"},
		"no outer pipes":    {"a | b\n--- | ---\nc | d", "--\n[a][b]\n[c][d]"},
		"one outer pipe":    {"| a | b\n--- | --- |\nc | d |", "--\n[a][b]\n[c][d]"},
		"one column":        {"| a |\n|-|\n| b |\nc", "-\n[a]\n[b]\n[c]"},
		"no pipe":           {"a\n:-\nb", "l\n[a]\n[b]"},
		"escaped pipe":      {"a\\|b | `c\\|d`\n-|-\ne \\||f\\|", "--\n[a\\|b][`c\\|d`]\n[e \\|][f\\|]"},
		"pipe in code":      {"`a|b`\n-|-", "--\n[`a][b`]"},
		"fewer cells":       {"a|b\n-|-\nc\n|", "--\n[a][b]\n[c]\n"},
		"more cells":        {"a|b\n-|-\nc|d|e", "--\n[a][b]\n[c][d]"},
		"empty cells":       {"||b|\n|-|-|\n|c||\n|||", "--\n[][b]\n[c][]\n[][]"},
		"only a header":     {"|a|\n|-|\n\nb", "-\n[a]\nb"},
		"after text":        {"x\n  y \n|a|b|\n|-|-|\n|c|d|", "x\ny\n--\n[a][b]\n[c][d]"},
		"one table":         {"|a|\n|-|\n|b|\n|-|", "-\n[a]\n[b]\n[-]"},
		"not the first try": {"x\n-|-\na|b\n-|-", "x\n-|-\n--\n[a][b]"},
		"ends at a block":   {"|a|\n|-|\n|b|\n> c", "-\n[a]\n[b]\nc"},
		"before a heading":  {"x\n|a|\n|-|\n===\ny", "x\n-\n[a]\n===\ny"},
		"in a list":         {"- x\n  a|b\n  -|-\n  c|d\n- y", "x\n--\n[a][b]\n[c][d]\ny"},
		"in a quote":        {"> a|b\n> -|-\n> c|d", "--\n[a][b]\n[c][d]"},
		"after a link":      {"[a]: /b\na|b\n-|-", "--\n[a][b]"},
		"indented":          {"  a|b\n  -|-\n  c|d", "--\n[a][b]\n[c][d]"},
		"cells differ":      {"a|b\n-|-|-", "a|b\n-|-|-"},
		"no dashes":         {"a|b\n:|-", "a|b\n:|-"},
		"two colons":        {"a|b\n::|-", "a|b\n::|-"},
		"divided dashes":    {"a|b\n:- -|-", "a|b\n:- -|-"},
		"an empty cell":     {"a|b\n|-||", "a|b\n|-||"},
		"a letter":          {"a|b\n-|-x", "a|b\n-|-x"},
		"a lazy line":       {"> a\n--", "a\n--"},
		"no header":         {"|-|-|\n|a|b|", "|-|-|\n|a|b|"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := outline(c.source); got != c.want {
				t.Errorf("%q:\n%s\nwant:\n%s", c.source, got, c.want)
			}
		})
	}
}

func TestCellsShowTheirMarks(t *testing.T) {
	source := "a|b\n-|-\n**c\\|d**|`e\\|f`\n<http://g/\\|h>|[i](/j\\|k)\n\n`l\\|m`"
	want := strings.Join([]string{
		"a            b",
		"───────────  ────────",
		"**c|d**      `e|f`",
		"http://g/|h  i (/j|k)",
		"",
		"`l\\|m`",
		"",
	}, "\n")
	if got := Render(source, 60, theme.New(theme.Options{})); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// FuzzTables holds every table to the definition: no row has more cells than the delimiter row, the
// header has as many, and no cell has blanks around it or a pipe that is not escaped.
func FuzzTables(f *testing.F) {
	for _, source := range []string{
		"x\n|a|b|\n|:-|-:|\n|c\\|d|`e\\|f`|\n===\ny", "- a\n  :-:\n\n> b|c\n> -|-\n|",
		"[a]: /b\n\ta|b\n\t-|-\r\n||\\", "|\n|-\n|",
	} {
		f.Add(source)
	}
	f.Fuzz(func(t *testing.T, source string) {
		if len(source) > 2000 {
			return
		}
		root := parse().Parse(text.NewReader([]byte(source)))
		_ = ast.Walk(root, func(node ast.Node, entering bool) (ast.WalkStatus, error) {
			table, isTable := node.(*east.Table)
			if !isTable || !entering {
				return ast.WalkContinue, nil
			}
			for row := table.FirstChild(); row != nil; row = row.NextSibling() {
				header := row == table.FirstChild()
				if n := row.ChildCount(); n > len(table.Alignments) || header && n < len(table.Alignments) {
					t.Errorf("%q: %d cells, %d columns", source, n, len(table.Alignments))
				}
				for cell := row.FirstChild(); cell != nil; cell = cell.NextSibling() {
					checkCell(t, source, string(cell.Lines().Value([]byte(source))))
				}
			}
			return ast.WalkSkipChildren, nil
		})
	})
}

func checkCell(t *testing.T, source, cell string) {
	t.Helper()
	if strings.Trim(cell, " \t\r\n") != cell {
		t.Errorf("%q: a cell is %q", source, cell)
	}
	pieces := strings.Split(cell, "|")
	if slices.ContainsFunc(pieces[:len(pieces)-1], func(piece string) bool { return !strings.HasSuffix(piece, `\`) }) {
		t.Errorf("%q: a pipe divides %q", source, cell)
	}
}
