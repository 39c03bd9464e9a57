package render_test

import (
	"strings"
	"testing"
	"unicode"

	"cupola/core/verb/render"
)

func TestMarkdownShowsScalarsThenListsAndObjects(t *testing.T) {
	doc := object(t, `{"success":true,"rows":[{"name":"a|b","n":1},{"name":"x","where":{"y":[1]}}],"error_code":"NOT_FOUND","none":null,
		"words":["plain","# no heading","1. no number","- no item"],"nothing":[],"mixed":[1,{"a":"*"}],"where":{"x":1,"deep":{"y":2}}}`)
	want := `# cupola tail

- success: true
- error_code: NOT_FOUND

## rows

| name | n | where |
| --- | --- | --- |
| a\|b | 1 |  |
| x |  | {"y":\[1]} |

## words

- plain
- \# no heading
- 1\. no number
- \- no item

## nothing

none

## mixed

- 1
- {"a":"\*"}

## where

- x: 1

### deep

- y: 2`
	if got := render.Markdown("cupola tail", doc); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestMarkdownHeadingsStopAtTheSixthLevel(t *testing.T) {
	deep := strings.Repeat(`{"in":`, 8) + "1" + strings.Repeat("}", 8)
	got := render.Markdown("x", object(t, deep))
	if !strings.Contains(got, "\n###### in\n") || strings.Contains(got, "#######") {
		t.Errorf("got\n%s", got)
	}
}

func TestMarkdownTextEscapesMarkup(t *testing.T) {
	for text, want := range map[string]string{
		"plain text":           "plain text",
		"error_code":           "error_code",
		"_not_ __emphasis__":   `\_not\_ \_\_emphasis\_\_`,
		"*a* `b` ~~c~~":        "\\*a\\* \\`b\\` \\~\\~c\\~\\~",
		"[x](y) <b> &lt; a\\b": `\[x](y) &lt;b> &amp;lt; a\\b`,
		"a|b":                  `a\|b`,
		"one\ntwo\r\nthree\r":  "one<br>two<br>three<br>",
		"a\tb\x1b[31m\u009bc":  `a b\[31mc`,
	} {
		if got := render.MarkdownText(text); got != want {
			t.Errorf("MarkdownText(%q) = %q, want %q", text, got, want)
		}
	}
}

func FuzzMarkdownTableKeepsItsShape(f *testing.F) {
	f.Add("a|b", `\|`)
	f.Add("a\nb", "\\")
	f.Fuzz(func(t *testing.T, one, other string) {
		table := render.MarkdownTable([]string{"A", "B"}, [][]string{{one, other}})
		lines := strings.Split(table, "\n")
		if len(lines) != 4 || lines[3] != "" {
			t.Fatalf("%q, %q: %d lines in %q", one, other, len(lines), table)
		}
		if got := bars(lines[2]); got != 3 {
			t.Errorf("%q, %q: %d bars in %q", one, other, got, lines[2])
		}
		if strings.ContainsFunc(lines[2], unicode.IsControl) {
			t.Errorf("%q, %q: a control character in %q", one, other, lines[2])
		}
	})
}

// bars counts the bars that no backslash escapes.
func bars(line string) int {
	count, escaped := 0, false
	for _, r := range line {
		if r == '|' && !escaped {
			count++
		}
		escaped = r == '\\' && !escaped
	}
	return count
}
