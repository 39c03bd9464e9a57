package theme

import (
	"cmp"
	"strings"

	"cupola/core"
	"cupola/core/term/cells"
)

// Frame is the six signs of a box, one cell each.
type Frame struct {
	Horizontal, Vertical, TopLeft, TopRight, BottomLeft, BottomRight string
}

// Glyphs is a set of signs. Each is one cell wide.
type Glyphs struct {
	states map[core.State]string
	// Light frames most things, Heavy the one that has the keys.
	Light, Heavy Frame
	// Open and Closed mark what folds, Chosen what is selected.
	Open, Closed, Chosen string
	// Ellipsis is shown for what was cut off, Dot between parts of a line, Tab for a
	// tab that was typed.
	Ellipsis, Dot, Tab string
	// Marked is before what was marked.
	Marked string
	// Bullet begins an item of a list.
	Bullet string
	// Filled and Unfilled are the two parts of a gauge.
	Filled, Unfilled string
	// band are the signs of a timeline.
	band map[core.State]string
	// Bars are the heights of a column in a chart, the least first; the last is a whole cell.
	Bars []string
}

// eighths are the heights of a column in eighths of a cell.
var eighths = []string{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"}

// blockBand are the signs of a timeline where blocks can be drawn; they differ without colours too.
var blockBand = map[core.State]string{
	core.Working: "█", core.Waiting: "▒", core.Idle: "▁", core.Limited: "░", core.Errored: "✕", core.Starting: "▄",
	core.Exited: "_", core.Unknown: "·",
}

var unicodeGlyphs = Glyphs{
	states: map[core.State]string{
		core.Working: "●", core.Waiting: "◆", core.Done: "✓", core.Idle: "○", core.Limited: "◔",
		core.Errored: "✕", core.Starting: "◌", core.Exited: "▪", core.Unknown: "·",
	},
	Light: Frame{"─", "│", "┌", "┐", "└", "┘"},
	Heavy: Frame{"━", "┃", "┏", "┓", "┗", "┛"},
	Open:  "▾", Closed: "▸", Chosen: "›", Ellipsis: "…", Dot: "·", Tab: "→", Marked: "■", Bullet: "•",
	Filled: "█", Unfilled: "░", band: blockBand, Bars: eighths,
}

// nerdGlyphs are glyphs of Nerd Fonts (https://www.nerdfonts.com/cheat-sheet), one cell each in their mono variants.
var nerdGlyphs = Glyphs{
	states: map[core.State]string{
		core.Working: "\uf110", core.Waiting: "\uf059", core.Done: "\uf058", core.Idle: "\uf10c",
		core.Limited: "\uf017",
		core.Errored: "\uf00d", core.Starting: "\uf1ce", core.Exited: "\uf04d", core.Unknown: "\uf128",
	},
	Light: Frame{"─", "│", "╭", "╮", "╰", "╯"},
	Heavy: Frame{"━", "┃", "┏", "┓", "┗", "┛"},
	Open:  "\uf107", Closed: "\uf105", Chosen: "\uf054", Ellipsis: "…", Dot: "·", Tab: "→", Marked: "\uf00c",
	Bullet: "•", Filled: "█", Unfilled: "░", band: blockBand, Bars: eighths,
}

var asciiGlyphs = Glyphs{
	states: map[core.State]string{
		core.Working: "*", core.Waiting: "?", core.Done: "V", core.Idle: "o", core.Limited: "~", core.Errored: "x",
		core.Starting: "+", core.Exited: "=", core.Unknown: ".",
	},
	Light: Frame{"-", "|", "+", "+", "+", "+"},
	Heavy: Frame{"=", "#", "#", "#", "#", "#"},
	Open:  "v", Closed: ">", Chosen: ">", Ellipsis: "~", Dot: "-", Tab: ">", Marked: "@", Bullet: "*",
	Filled: "#", Unfilled: ".", Bars: []string{".", ":", "|", "#"},
	band: map[core.State]string{
		core.Working: "#", core.Waiting: "?", core.Idle: "-", core.Limited: "~", core.Errored: "x", core.Starting: "+",
		core.Exited: "=", core.Unknown: ".",
	},
}

// wordGlyphs are for screen readers, which would spell out every sign: blanks, since words beside them say the same.
var wordGlyphs = Glyphs{
	states: map[core.State]string{core.Unknown: " "},
	Light:  Frame{" ", " ", " ", " ", " ", " "},
	Heavy:  Frame{" ", " ", " ", " ", " ", " "},
	Open:   " ", Closed: " ", Chosen: ">", Ellipsis: "…", Dot: "-", Tab: " ", Marked: " ", Bullet: "-",
	Filled: " ", Unfilled: " ", Bars: []string{" "}, band: map[core.State]string{core.Unknown: " "},
}

// ASCII reports whether signs outside ASCII are better avoided: where
// CUPOLA_ASCII says so, in the locale C, on the Linux console, and where lines and signs are
// taken to be two cells wide.
func ASCII(getenv func(string) string) bool {
	if value := getenv("CUPOLA_ASCII"); value != "" {
		return value != "0"
	}
	locale := cmp.Or(getenv("LC_ALL"), getenv("LC_CTYPE"), getenv("LANG"))
	return locale == "C" || locale == "POSIX" || getenv("TERM") == "linux" ||
		cells.Width(unicodeGlyphs.Light.Horizontal) != 1
}

// Glyphs returns the theme's signs. The caller must not change them.
func (t *Theme) Glyphs() *Glyphs { return t.glyphs }

// Band returns the one-cell sign of a state in a timeline; an unknown state has the sign of core.Unknown.
func (t *Theme) Band(state core.State) string {
	if sign, ok := t.glyphs.band[state]; ok {
		return sign
	}
	return t.glyphs.band[core.Unknown]
}

// Glyph returns the one-cell sign of a state; an unknown state has the sign of core.Unknown.
func (t *Theme) Glyph(state core.State) string {
	if glyph, ok := t.glyphs.states[state]; ok {
		return glyph
	}
	return t.glyphs.states[core.Unknown]
}

// Unlined returns a text with blanks in place of the lines, blocks and braille patterns that programs draw with; each
// is one cell wide.
func Unlined(text string) string {
	return strings.Map(func(r rune) rune {
		if r >= '\u2500' && r <= '\u259f' || r >= '\u2800' && r <= '\u28ff' {
			return ' '
		}
		return r
	}, text)
}

var inASCII = strings.NewReplacer("·", "-", "…", "...", "→", "->", "←", "<-", "×", "x", "–", "-", "—", "-", "─", "-",
	"•", "*")

// InASCII returns a text with ASCII in place of the signs that sentences use.
func InASCII(text string) string { return inASCII.Replace(text) }
