package markdown_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/exp/golden"

	"cupola/core/term/cells"
	"cupola/theme"
	"cupola/tui/markdown"
)

func sample(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("testdata/sample.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestAnswersAreLaidOut(t *testing.T) {
	for name, options := range map[string]theme.Options{
		"plain": {}, "colour": {Level: theme.True}, "ascii": {ASCII: true},
	} {
		for _, width := range []int{24, 60, 100} {
			t.Run(fmt.Sprintf("%s-%d", name, width), func(t *testing.T) {
				golden.RequireEqual(t, markdown.Render(sample(t), width, theme.New(options)))
			})
		}
	}
}

func TestNoLineButCodeIsWiderThanTheTerminal(t *testing.T) {
	text := sample(t)
	before, after, _ := strings.Cut(text, "```go")
	_, after, _ = strings.Cut(after, "```")
	for width := 4; width < 120; width++ {
		look := theme.New(theme.Options{Level: theme.True})
		for line := range strings.Lines(markdown.Render(before+after, width, look)) {
			if got := cells.Width(strings.TrimSuffix(line, "\n")); got > width {
				t.Fatalf("at %d: %d cells in %q", width, got, line)
			}
		}
	}
}

func TestColourChangesOnlyTheMarks(t *testing.T) {
	look := theme.New(theme.Options{Level: theme.True})
	got := ansi.Strip(markdown.Render("a **b** *c* `d`", 40, look))
	if got != "a b c d\n" {
		t.Errorf("got %q", got)
	}
	if got := markdown.Render("a **b** *c* `d`", 40, theme.New(theme.Options{})); got != "a **b** *c* `d`\n" {
		t.Errorf("without style: got %q", got)
	}
}

var long = strings.Repeat("a", 3_000)

// hostile are texts that try to drive the terminal, or to take long.
var hostile = map[string]string{
	"escape":        "\x1b[2J\x1b]0;title\x07 text \u009b31m \u202eback",
	"entity":        "&#27;[2J &#x9b;31m &#x202e; &#7; &NewLine;x",
	"entity-code":   "`&#27;[2J` \x1b[31m`\x1b[2J`",
	"link":          "[a](http://x/\x1b[2J \"t\") <http://y/\x1b> ![i](&#27;[2J)",
	"html":          "<b onclick='\x1b[2J'>x</b>\n\n<div>\x1b]52;c;x\x07</div>",
	"fence":         "```sh\necho one\n\x1b[2Jtwo",
	"table":         "| a | \x1b[2J |\n|---|---|\n| &#27;[2J | x |\n",
	"a line":        strings.Repeat("x", 1<<20),
	"a long line":   strings.Repeat("word ", 40_000),
	"quotes":        strings.Repeat(">", 5_000) + " x",
	"lists":         strings.Repeat("- ", 2_000) + "x",
	"brackets":      strings.Repeat("[", 20_000) + "x",
	"emphasis":      strings.Repeat("*a_ ", 20_000),
	"backticks":     strings.Repeat("`` ` ", 10_000),
	"columns":       strings.Repeat("|a", 2_000) + "|\n" + strings.Repeat("|-", 2_000) + "|",
	"short rows":    strings.Repeat("|a", 30_000) + "\n" + strings.Repeat("|-", 30_000) + strings.Repeat("\nx", 60_000),
	"long headings": strings.Repeat("|"+long, 30) + "\n" + strings.Repeat("|-", 30) + strings.Repeat("\nx", 60_000),
	"delimiters":    strings.Repeat("|-|-\n|-\n", 20_000),
	"nested stress": strings.Repeat("**a ", 3_000) + strings.Repeat("b** ", 3_000),
}

func TestHostileTextDoesNotDriveTheTerminal(t *testing.T) {
	t.Parallel()
	for name, text := range hostile {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			began := time.Now()
			got := markdown.Render(text, 80, theme.New(theme.Options{}))
			for _, bad := range []string{"\x1b", "\x07", "\u009b", "\u202e", "\r"} {
				if strings.Contains(got, bad) {
					t.Errorf("%q is in %.200q", bad, got)
				}
			}
			if took := time.Since(began); took > 10*time.Second {
				t.Errorf("it took %s", took)
			}
		})
	}
}

func FuzzRender(f *testing.F) {
	for _, text := range hostile {
		if len(text) < 1000 {
			f.Add(text, 20)
		}
	}
	f.Add("- a\n\n  1. b\n> c\n\n|a|b|\n|-|-|\n|日|🙂|", 7)
	f.Fuzz(func(t *testing.T, text string, width int) {
		width = 1 + width&0xff
		if len(text) > 2000 {
			return
		}
		got := markdown.Render(text, width, theme.New(theme.Options{}))
		if strings.ContainsAny(got, "\x1b\r\x07") || got != "" && !strings.HasSuffix(got, "\n") {
			t.Errorf("%q at %d: got %q", text, width, got)
		}
	})
}
