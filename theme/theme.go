// Package theme maps meanings to styles: the tones of a report, the states of agents, the
// tokens of the dashboard, glyphs. It is the only place that names a colour, and it owns the
// renderer that knows what the terminal can show. Meaning never rests on colour alone: every
// state has a glyph and a word too.
//
// Styles are made once. What draws many cells writes a Style around a text and
// needs no style library; widgets of bubbles get styles of lipgloss.
package theme

import (
	"strings"

	"github.com/charmbracelet/lipgloss"

	"cupola/core/text/report"

	_ "cupola/theme/quiet" // prevents a query to the terminal
)

// Options says what an output is like. The zero value is an output without
// colour, on a dark background, that shows Unicode.
type Options struct {
	Level Level
	// Light is true for a light background.
	Light bool
	// ASCII keeps to signs that every terminal has; Nerd uses those of Nerd Fonts.
	ASCII, Nerd bool
	// Accessible draws for screen readers and braille displays: words instead of signs, no lines, no bars, and the
	// terminal's cursor where the keys go.
	Accessible bool
	// Scheme is the colours; nil is the usual ones.
	Scheme *Scheme
}

// Detect returns the options of an output by the environment, without querying the terminal;
// colour is the result of Colour. The background is assumed to be dark unless COLORFGBG
// names a light one.
func Detect(colour bool, getenv func(string) string) Options {
	colours := getenv("COLORFGBG")
	back := colours[strings.LastIndexByte(colours, ';')+1:]
	return Options{Level: LevelOf(colour, getenv), Light: back == "7" || back == "15", ASCII: ASCII(getenv)}
}

// Theme styles text for one output. It never changes and may be shared.
type Theme struct {
	renderer *lipgloss.Renderer
	level    Level
	light    bool
	scheme   *Scheme
	glyphs   *Glyphs
	// accessible is as in Options.
	accessible bool

	lipgloss [tokens]lipgloss.Style
	plain    [tokens]Style
	selected [tokens]Style
	grounded [groundCount][tokens]Style
}

// New makes a theme. At None text keeps its glyphs and words only.
func New(options Options) *Theme {
	if options.Scheme != nil && options.Scheme.mono {
		options.Level = min(options.Level, Plain)
	}
	t := &Theme{
		renderer: rendererOf(profiles[options.Level]), level: options.Level, light: options.Light,
		scheme: options.Scheme, glyphs: &unicodeGlyphs, accessible: options.Accessible,
	}
	switch {
	case options.Accessible && options.ASCII:
		plain := wordGlyphs
		plain.Ellipsis = asciiGlyphs.Ellipsis
		t.glyphs = &plain
	case options.Accessible:
		t.glyphs = &wordGlyphs
	case options.ASCII:
		t.glyphs = &asciiGlyphs
	case options.Nerd:
		t.glyphs = &nerdGlyphs
	}
	t.prepare()
	if t.Grounds() {
		t.prepareGrounds()
	}
	return t
}

// Accessible reports whether the output is read by a screen reader: see Options.
func (t *Theme) Accessible() bool { return t.accessible }

// Here is written where the keys go: the terminal's cursor is put there. It takes no cell, and is empty for an output
// that is not accessible.
func (t *Theme) Here() string {
	if !t.accessible {
		return ""
	}
	return Here
}

// Here is the sequence that shows the terminal's cursor (DECTCEM).
const Here = "\x1b[?25h"

// Level is how many colours the output shows.
func (t *Theme) Level() Level { return t.level }

// Render styles text by its tone.
func (t *Theme) Render(tone report.Tone, text string) string {
	return t.Style(Tone(tone)).Render(text)
}
