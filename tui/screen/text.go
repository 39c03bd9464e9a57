package screen

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"cupola/core"
	"cupola/core/term/cells"
	"cupola/theme"
	"cupola/tui/layout"
	"cupola/tui/widget"
)

// OneLine is the beginning of a text in one line, of at most n bytes.
func OneLine(text string, n int) string {
	if len(text) > n {
		text = strings.ToValidUTF8(text[:n], "")
	}
	return strings.Join(strings.Fields(text), " ")
}

// Tilde writes a path below the home as shells do.
func (w *World) Tilde(path string) string {
	if rest, below := strings.CutPrefix(path, w.Home+"/"); below && w.Home != "" {
		return "~/" + rest
	}
	return path
}

// Dollars is a cost; empty for one of 0, which is also one that is not known.
func Dollars(usd float64) string {
	switch {
	case usd <= 0:
		return ""
	case usd < 0.1:
		return fmt.Sprintf("$%.4f", usd)
	}
	return fmt.Sprintf("$%.2f", usd)
}

// Wrap divides a line of foreign text into lines of at most w cells that are safe to draw.
func Wrap(line string, w int) []string {
	return cells.Wrap(cells.Clean(strings.ReplaceAll(line, "\t", "    ")), w)
}

// Paragraph wraps a foreign text into lines of at most w cells.
func Paragraph(token theme.Token, text string, w int) []widget.Line {
	var lines []widget.Line
	for line := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		for _, part := range Wrap(line, max(1, w)) {
			lines = append(lines, widget.Styled(token, part))
		}
	}
	return lines
}

// factLabel is the width of the labels of facts, in cells.
const factLabel = 13

// Fact is a label with a text behind it, wrapped at a width; nothing for an empty text.
func Fact(label, text string, width int) []widget.Line {
	if text == "" {
		return nil
	}
	var lines []widget.Line
	for i, part := range Wrap(text, max(1, width-factLabel)) {
		if i > 0 {
			label = ""
		}
		lines = append(lines, widget.Line{
			{Token: theme.Dim, Text: fmt.Sprintf("%-*s", factLabel, label)}, {Token: theme.Text, Text: part},
		})
	}
	return lines
}

// Empty says in place of a list why there is nothing to show.
func Empty(w *World, r layout.Rect, why string) []string {
	return widget.List(w.Theme, r, widget.Rows{Selected: -1, Empty: why})
}

// Reading says in place of a list that it is being read.
func Reading(w *World, r layout.Rect) []string {
	return Empty(w, r, "reading"+w.Theme.Glyphs().Ellipsis)
}

// Trouble says in place of a screen why there is nothing to show, in whole lines.
func Trouble(w *World, r layout.Rect, wrong string) []string {
	rows := widget.Rows{Selected: -1, Left: Paragraph(theme.Danger, wrong, max(1, r.W-4))}
	return widget.List(w.Theme, r, rows)
}

// Beginning is the beginning of a text of at most n bytes, and says how much is left out.
func Beginning(text string, n int) string {
	if len(text) <= n {
		return text
	}
	cut := strings.ToValidUTF8(text[:n], "")
	return fmt.Sprintf("%s\n(and %d bytes more, on record)", cut, len(text)-len(cut))
}

// End is the end of a text, of at most n bytes, in whole lines where it has some.
func End(text string, n int) string {
	if len(text) <= n {
		return text
	}
	text = text[len(text)-n:]
	if _, lines, found := strings.Cut(text, "\n"); found && lines != "" {
		return lines
	}
	return strings.ToValidUTF8(text, "")
}

// Wrapped is a text that grows, in lines; only the new part is wrapped. The zero value is empty.
type Wrapped struct {
	id    string
	text  string
	width int
	// ended are the lines of the first done bytes, which end a line of the text.
	ended []string
	done  int
}

// Lines returns the lines of the text of something, made safe, in at most w cells each.
func (c *Wrapped) Lines(id, text string, w int) []string {
	if c.id != id || c.width != w || !strings.HasPrefix(text, c.text) {
		*c = Wrapped{id: id, width: w}
	}
	c.text = text
	for {
		n := strings.IndexByte(text[c.done:], '\n')
		if n < 0 {
			break
		}
		c.ended = append(c.ended, Wrap(text[c.done:c.done+n], w)...)
		c.done += n + 1
	}
	if rest := text[c.done:]; rest != "" {
		return append(c.ended[:len(c.ended):len(c.ended)], Wrap(rest, w)...)
	}
	return c.ended
}

// Took is a duration in whole seconds or, from an hour on, in minutes; empty for less than a second.
func Took(d time.Duration) string {
	if d = d.Truncate(time.Second); d >= time.Hour {
		d = d.Truncate(time.Minute)
	}
	if d <= 0 {
		return ""
	}
	return core.ShortDuration(d)
}

// Count names a number of things.
func Count(n int, what string) string {
	switch {
	case n == 1:
		return "1 " + what
	case strings.HasSuffix(what, "s"):
		what += "e"
	}
	return strconv.Itoa(n) + " " + what + "s"
}
