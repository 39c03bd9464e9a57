package widget

import (
	"strconv"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"cupola/theme"
	"cupola/tui/layout"
)

// Choice is one of some words, which keys change.
type Choice struct {
	options []string
	at      int
}

// NewChoice returns a choice in which one of the options is chosen, else the first.
func NewChoice(chosen string, options ...string) *Choice {
	c := &Choice{options: options}
	for i, option := range options {
		if option == chosen {
			c.at = i
		}
	}
	return c
}

// Text returns what is chosen.
func (c *Choice) Text() string {
	if len(c.options) == 0 {
		return ""
	}
	return c.options[c.at]
}

// Last is false: a choice has no lines.
func (c *Choice) Last() bool { return false }

// Press chooses the next option, the previous one, or the next one that begins with a letter.
func (c *Choice) Press(pressed tea.KeyMsg) {
	n := len(c.options)
	if n == 0 {
		return
	}
	switch name := pressed.String(); {
	case name == " " || name == "right":
		c.at = (c.at + 1) % n
	case name == "left":
		c.at = (c.at + n - 1) % n
	case pressed.Type == tea.KeyRunes && !pressed.Paste:
		for i := 1; i <= n; i++ {
			if next := (c.at + i) % n; strings.HasPrefix(strings.ToLower(c.options[next]), strings.ToLower(name)) {
				c.at = next
				return
			}
		}
	}
}

// Draw draws the options as far as they fit, the chosen one among them.
func (c *Choice) Draw(t *theme.Theme, r layout.Rect, focused bool) []string {
	token := theme.Strong
	if focused {
		token = theme.Accent
	}
	line := Line{{token, t.Glyphs().Chosen + " " + c.Text()}}
	for i, option := range c.options {
		if i != c.at && line.Width()+2+widthOf(option) <= r.W {
			line = append(line, Span{theme.Dim, "  " + option})
		}
	}
	drawn := painter{theme: t}.row(r.W, line, nil)
	if focused {
		drawn = t.Here() + drawn
	}
	return pad([]string{drawn}, r)
}

// Counts is how many there are to be of some words: a list to pick from or, once a letter is typed, a text.
type Counts struct {
	names  []string
	counts []int
	at     int
	text   *Editor
}

// NewCounts returns a picker of names. With a text to begin with, or without names, it is a text.
func NewCounts(names []string, placeholder, text string) *Counts {
	c := &Counts{names: names, counts: make([]int, len(names))}
	if text != "" || len(names) == 0 {
		c.text = NewLine(placeholder, text)
	}
	return c
}

// Text returns NAME=N for every name that is counted, or what was typed.
func (c *Counts) Text() string {
	if c.text != nil {
		return c.text.Text()
	}
	var parts []string
	for i, n := range c.counts {
		if n > 0 {
			parts = append(parts, c.names[i]+"="+strconv.Itoa(n))
		}
	}
	return strings.Join(parts, ", ")
}

// Last is false: it has one line.
func (c *Counts) Last() bool { return false }

// mostCounted is the most of one name.
const mostCounted = 50

// Press moves among the names and counts them: with the blank key, +, - and digits. A letter, or a text that was
// pasted, begins a text.
func (c *Counts) Press(pressed tea.KeyMsg) {
	if c.text != nil {
		c.text.Press(pressed)
		if c.text.Text() == "" && len(c.names) > 0 {
			c.text = nil
		}
		return
	}
	switch name := pressed.String(); {
	case name == "right":
		c.at = (c.at + 1) % len(c.names)
	case name == "left":
		c.at = (c.at + len(c.names) - 1) % len(c.names)
	case name == " " || name == "+" || name == "=":
		c.counts[c.at] = min(mostCounted, c.counts[c.at]+1)
	case name == "-" || name == "backspace":
		c.counts[c.at] = max(0, c.counts[c.at]-1)
	case len(name) == 1 && name[0] >= '0' && name[0] <= '9' && !pressed.Paste:
		c.counts[c.at] = int(name[0] - '0')
	case pressed.Type == tea.KeyRunes && !pressed.Alt:
		text := c.Text()
		if text != "" {
			text += ", "
		}
		c.text = NewLine("", text)
		c.text.Press(pressed)
	}
}

// Draw draws every name with its count as far as they fit, the one that keys change among them.
func (c *Counts) Draw(t *theme.Theme, r layout.Rect, focused bool) []string {
	if c.text != nil {
		return c.text.Draw(t, r, focused)
	}
	parts, from, width := make([]Line, len(c.names)), 0, 0
	for i, name := range c.names {
		token, count := theme.Dim, "  "
		if c.counts[i] > 0 {
			token, count = theme.Strong, " "+strconv.Itoa(c.counts[i])
		}
		sign := "  "
		if focused && i == c.at {
			token, sign = theme.Accent, t.Glyphs().Chosen+" "
		}
		parts[i] = Line{{token, sign + name + count + " "}}
		for width += parts[i].Width(); i <= c.at && width > r.W && from < i; from++ {
			width -= parts[from].Width()
		}
	}
	var line Line
	for _, part := range parts[from:] {
		line = append(line, part...)
	}
	drawn := painter{theme: t}.row(r.W, line, nil)
	if focused {
		drawn = t.Here() + drawn
	}
	return pad([]string{drawn}, r)
}
