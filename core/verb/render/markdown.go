package render

import (
	"fmt"
	"strings"
	"unicode"

	"cupola/core/term/cells"
)

// Markdown returns doc as Markdown: a heading, the scalars as a list, every list
// of objects as a table, in the order of doc. Objects become headings of their
// own.
func Markdown(title string, doc Object) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n", MarkdownText(title))
	markdown(&b, 2, doc)
	return strings.TrimRight(b.String(), "\n")
}

func markdown(b *strings.Builder, level int, doc Object) {
	items := 0
	for _, m := range doc {
		switch m.Value.(type) {
		case Object, []any, nil:
			continue
		}
		if items == 0 {
			b.WriteByte('\n')
		}
		items++
		fmt.Fprintf(b, "- %s: %s\n", MarkdownText(m.Key), MarkdownText(bare(m.Value)))
	}
	for _, m := range doc {
		switch v := m.Value.(type) {
		case Object:
			fmt.Fprintf(b, "\n%s %s\n", strings.Repeat("#", min(level, 6)), MarkdownText(m.Key))
			markdown(b, level+1, v)
		case []any:
			fmt.Fprintf(b, "\n%s %s\n\n", strings.Repeat("#", min(level, 6)), MarkdownText(m.Key))
			markdownList(b, v)
		}
	}
}

func markdownList(b *strings.Builder, list []any) {
	if len(list) == 0 {
		b.WriteString("none\n")
		return
	}
	columns := columnsOf(list)
	if columns == nil {
		for _, item := range list {
			fmt.Fprintf(b, "- %s\n", markdownItem(inline(item)))
		}
		return
	}
	rows := make([][]string, len(list))
	for i, item := range list {
		for _, column := range columns {
			object, _ := item.(Object)
			value, _ := object.Get(column)
			rows[i] = append(rows[i], inline(value))
		}
	}
	b.WriteString(MarkdownTable(columns, rows))
}

// columnsOf returns the keys of a list of objects in the order in which they
// first occur; nil if an item is not an object.
func columnsOf(list []any) []string {
	var columns []string
	seen := map[string]bool{}
	for _, item := range list {
		object, ok := item.(Object)
		if !ok {
			return nil
		}
		for _, m := range object {
			if !seen[m.Key] {
				seen[m.Key] = true
				columns = append(columns, m.Key)
			}
		}
	}
	return columns
}

func inline(v any) string {
	switch v := v.(type) {
	case Object, []any:
		data, err := Compact(v)
		if err != nil {
			return err.Error()
		}
		return string(data)
	default:
		return bare(v)
	}
}

// MarkdownTable returns a table with its heading, each row on a line.
func MarkdownTable(columns []string, rows [][]string) string {
	var b strings.Builder
	line := func(cells []string) {
		for _, cell := range cells {
			b.WriteString("| " + MarkdownText(cell) + " ")
		}
		b.WriteString("|\n")
	}
	line(columns)
	b.WriteString(strings.Repeat("| --- ", len(columns)) + "|\n")
	for _, row := range rows {
		line(row)
	}
	return b.String()
}

var markdownEscapes = strings.NewReplacer(`\`, `\\`, "|", `\|`, "*", `\*`, "~", `\~`, "`", "\\`", "&", "&amp;", "<", "&lt;", "[", `\[`,
	"\t", " ", "\r\n", "<br>", "\n", "<br>", "\r", "<br>")

// MarkdownText escapes what Markdown would read as markup within a line, as in a
// table cell. Line ends become breaks, and what cannot be shown is left out.
func MarkdownText(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || cells.Hidden(r) {
			return -1
		}
		return r
	}, markdownEscapes.Replace(text))
	return underscores(text)
}

// underscores escapes those at an edge of a word, where alone they
// would be emphasis; names such as error_code stay as they are.
func underscores(text string) string {
	if !strings.ContainsRune(text, '_') {
		return text
	}
	var b strings.Builder
	runes := []rune(text)
	inWord := func(i int) bool {
		return i >= 0 && i < len(runes) && (unicode.IsLetter(runes[i]) || unicode.IsDigit(runes[i]))
	}
	for i, r := range runes {
		if r == '_' && (!inWord(i-1) || !inWord(i+1)) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// markdownItem escapes a list item, whose beginning could open a block of its
// own.
func markdownItem(text string) string {
	text = MarkdownText(strings.TrimLeft(text, " \t"))
	digits := len(text) - len(strings.TrimLeft(text, "0123456789"))
	switch rest := text[digits:]; {
	case digits > 0 && (strings.HasPrefix(rest, ".") || strings.HasPrefix(rest, ")")):
		return text[:digits] + `\` + rest
	case digits == 0 && rest != "" && strings.ContainsRune("#>-+=", rune(rest[0])):
		return `\` + rest
	}
	return text
}
