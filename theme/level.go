package theme

import (
	"strings"

	"github.com/muesli/termenv"
)

// Level is how many colours an output can show. The zero value is None.
type Level uint8

// The levels, from the poorest to the richest.
const (
	// None allows no style at all, attributes included.
	None Level = iota
	// Plain has attributes, such as bold and reverse, but no colour.
	Plain
	// Basic is the sixteen colours of the terminal's own palette.
	Basic
	// Indexed adds the fixed palette of 240 colours.
	Indexed
	// True is 24 bits a colour.
	True
)

var profiles = [...]termenv.Profile{
	None: termenv.Ascii, Plain: termenv.ANSI, Basic: termenv.ANSI, Indexed: termenv.ANSI256, True: termenv.TrueColor,
}

// trueTerms are terminals that show 24 bits without saying so in COLORTERM.
var trueTerms = []string{"alacritty", "contour", "direct", "foot", "ghostty", "kitty", "rio", "wezterm"}

// LevelOf returns what the terminal named by the environment can show; None
// without colour. Inside tmux that is everything: tmux itself reduces colours
// to what the terminal around it has.
func LevelOf(colour bool, getenv func(string) string) Level {
	term := getenv("TERM")
	switch colorterm := getenv("COLORTERM"); {
	case !colour:
		return None
	case term == "linux":
		return Basic
	case colorterm == "truecolor", colorterm == "24bit", getenv("TMUX") != "", getenv("WT_SESSION") != "":
		return True
	}
	for _, name := range trueTerms {
		if strings.Contains(term, name) {
			return True
		}
	}
	if strings.Contains(term, "256color") {
		return Indexed
	}
	return Basic
}
