package term

import (
	"unicode/utf8"

	"cupola/core/term/cells"
)

// mostCluster is how many bytes the text of one cell can have, leastClusters how many different ones are kept until
// those that no cell shows are dropped.
const mostCluster, leastClusters = 32, 1 << 12

// clusters are the texts of cells that are more than one character, each once.
type clusters struct {
	texts  []string
	number map[string]int32
	// limit is how many texts there may be until those that no cell shows are dropped; 0 is leastClusters.
	limit int
}

// text returns the characters of a cell; a blank for an empty one.
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
	if c.number == nil {
		c.number = map[string]int32{}
	}
	c.texts = append(c.texts, text)
	n := int32(-len(c.texts)) //nolint:gosec // there are not that many
	c.number[text] = n
	return n
}

// intern returns the char of a cell with a text. It may drop the texts that no cell shows, and number the others anew.
func (t *emulator) intern(text string) int32 {
	if c := &t.clusters; len(c.texts) >= max(c.limit, leastClusters) {
		was := *c
		*c = clusters{}
		for _, screen := range [][]line{t.lines, t.main} {
			for i := range screen {
				for j := range screen[i].cells {
					if one := &screen[i].cells[j]; one.char < 0 {
						one.char = c.intern(was.text(one.char))
					}
				}
			}
		}
		c.limit = 2 * len(c.texts)
	}
	return t.clusters.intern(text)
}

const (
	joiner    = '\u200d'
	emojiForm = '\ufe0f'
	firstTone = '\U0001f3fb'
	lastTone  = '\U0001f3ff'
)

// joins adds a character to the one before it if it belongs there: marks without a width, what follows a joiner, tones
// of skin. It reports false for one by itself.
func (t *emulator) joins(r rune, width int) bool {
	if r < utf8.RuneSelf && width > 0 {
		return false
	}
	at := min(t.x, t.width) - 1
	row := t.row()
	for at > 0 && row[at].padding {
		at--
	}
	if at < 0 {
		return width == 0
	}
	before := &row[at]
	text := t.clusters.text(before.char)
	last, _ := utf8.DecodeLastRuneInString(text)
	if width > 0 && !joinsAlways(last, r, int(before.width)) && !t.together(text, r) {
		return false
	}
	if len(text)+utf8.RuneLen(r) > mostCluster || before.char == 0 {
		return true
	}
	before.char = t.intern(text + string(r))
	widens := r == emojiForm || t.modes.clusters
	if widens && before.width == 1 && cells.Width(text+string(r)) == 2 && at+1 < t.width {
		before.width = 2
		t.split(at+1, 1)
		row[at+1] = cell{fg: before.fg, bg: before.bg, attr: before.attr, padding: true}
		t.x = max(t.x, at+2)
	}
	return true
}

// joinsAlways reports whether a character belongs to a cluster of some width that ends with another, in any mode.
func joinsAlways(last, r rune, width int) bool {
	return last == joiner || r >= firstTone && r <= lastTone && width >= 2
}

// together reports whether a character is part of the cluster that a text is, where the program wants widths by
// clusters (mode 2027): flags, and the parts of syllables.
func (t *emulator) together(text string, r rune) bool {
	if !t.modes.clusters || text == "" {
		return false
	}
	joined := text + string(r)
	return cells.First(joined).Len == len(joined)
}
