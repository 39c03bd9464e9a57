package term

import (
	"unicode/utf8"

	"cupola/core/cells"
)

// mostCluster is how many bytes the text of one cell can have, mostClusters how many different ones are kept.
const mostCluster, mostClusters = 32, 1 << 16

// clusters are the texts of cells that are more than one character, each once.
type clusters struct {
	texts  []string
	number map[string]int32
}

// text is what a cell shows; a blank for an empty one.
func (c *clusters) text(char int32) string {
	switch {
	case char == 0:
		return " "
	case char > 0:
		return string(char)
	}
	return c.texts[-char-1]
}

// intern returns the char of a cell with a text.
func (c *clusters) intern(text string) int32 {
	if r, size := utf8.DecodeRuneInString(text); size == len(text) {
		return r
	}
	if n, known := c.number[text]; known {
		return n
	}
	if len(c.texts) >= mostClusters {
		r, _ := utf8.DecodeRuneInString(text) // a screen has no use for so many
		return r
	}
	if c.number == nil {
		c.number = map[string]int32{}
	}
	c.texts = append(c.texts, text)
	n := int32(-len(c.texts)) //nolint:gosec // there are not that many
	c.number[text] = n
	return n
}

const (
	joiner       = '\u200d'
	emojiForm    = '\ufe0f'
	firstTone    = '\U0001f3fb'
	lastTone     = '\U0001f3ff'
	leastCluster = 0x300
)

// joins adds a character to the one before it if it belongs there: marks without a width, what follows a joiner, tones
// of skin. It reports false for one that stands alone.
func (t *emulator) joins(r rune, width int) bool {
	if r < leastCluster && width > 0 {
		return false
	}
	at := min(t.x, t.width) - 1
	row := t.lines[t.y].cells
	for at > 0 && row[at].padding {
		at--
	}
	if at < 0 {
		return width == 0
	}
	before := &row[at]
	text := t.clusters.text(before.char)
	last, _ := utf8.DecodeLastRuneInString(text)
	if width > 0 && last != joiner && (r < firstTone || r > lastTone || before.width < 2) {
		return false
	}
	if len(text)+utf8.RuneLen(r) > mostCluster || before.char == 0 {
		return true
	}
	before.char = t.clusters.intern(text + string(r))
	if r == emojiForm && before.width == 1 && cells.Width(text+string(r)) == 2 && at+1 < t.width {
		before.width = 2
		t.split(at+1, 1)
		row[at+1] = cell{fg: before.fg, bg: before.bg, attr: before.attr, padding: true}
		t.x = max(t.x, at+2)
	}
	return true
}
