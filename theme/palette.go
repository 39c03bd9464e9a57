package theme

import (
	"fmt"

	"cupola/core"

	"github.com/charmbracelet/lipgloss"
)

// shade is a colour on one background: in 24 bits (0xRRGGBB), and the entries of
// the palettes of 256 and of 16 colours that are shown for it. They are chosen
// by contrast: what x/ansi converts them to cannot be read on the selection.
type shade struct {
	rgb            uint32
	indexed, basic uint8
}

// colour is a colour on dark and on light backgrounds.
type colour struct{ dark, light shade }

// The palette: few hues, each with one meaning.
var (
	dimColour    = colour{shade{0xa0a8b6, 248, 7}, shade{0x5b6472, 241, 8}}
	strongColour = colour{shade{0xf3f4f6, 255, 15}, shade{0x111827, 234, 0}}
	accentColour = colour{shade{0x7bd5dc, 116, 14}, shade{0x0b666d, 23, 6}}
	lineColour   = colour{shade{0x7d8593, 102, 8}, shade{0x757e8c, 244, 8}}
	goodColour   = colour{shade{0x5fd39a, 78, 10}, shade{0x17704a, 23, 2}}
	warnColour   = colour{shade{0xf0c060, 215, 11}, shade{0x855900, 94, 3}}
	badColour    = colour{shade{0xff8f87, 210, 9}, shade{0xa8201a, 124, 1}}
	busyColour   = colour{shade{0x79b8ff, 111, 12}, shade{0x1b57b0, 25, 4}}
	askColour    = colour{shade{0xf3a6dd, 218, 13}, shade{0x87207a, 90, 5}}
	textColour   = colour{shade{0xe5e7eb, 254, 15}, shade{0x1f2937, 235, 0}}
)

// selection is the background of what is selected.
var selection = colour{shade{0x2f3b4d, 237, 8}, shade{0xdbe5f2, 254, 7}}

// tokenStyle is the style of a token: its colour, its weight and its slant.
type tokenStyle struct {
	colour colour
	bold   bool
	italic bool
	// own leaves the terminal's own text colour where nothing is selected.
	own bool
}

var tokenStyles = [tokens]tokenStyle{
	Text: {colour: textColour, own: true}, Dim: {colour: dimColour}, Strong: {colour: strongColour, bold: true},
	Accent: {colour: accentColour},
	Border: {colour: lineColour}, BorderFocused: {colour: accentColour},
	Header: {colour: accentColour, bold: true}, FooterKey: {colour: accentColour}, FooterText: {colour: dimColour},
	Danger: {colour: badColour}, Good: {colour: goodColour}, Warn: {colour: warnColour}, Busy: {colour: busyColour},
	Ask:  {colour: askColour},
	Code: {colour: accentColour}, Emphasis: {colour: textColour, own: true, italic: true},
}

// on returns the shade for a background.
func (c colour) on(light bool) shade {
	if light {
		return c.light
	}
	return c.dark
}

// complete spells a shade out for every level, so that lipgloss converts nothing.
func (s shade) complete() lipgloss.CompleteColor {
	return lipgloss.CompleteColor{
		TrueColor: fmt.Sprintf("#%06x", s.rgb), ANSI256: fmt.Sprint(s.indexed), ANSI: fmt.Sprint(s.basic),
	}
}

// Shade is a colour with its name, as #rrggbb.
type Shade struct{ Name, Colour string }

// pageShade is a colour with its name.
type pageShade struct {
	name string
	colour
}

// pageShades are the colours of a page in a browser, by the names that schemes have for them; the last ones are its
// grounds and edges.
var pageShades = []pageShade{
	{"text", textColour},
	{"dim", dimColour},
	{"strong", strongColour},
	{"accent", accentColour},
	{"line", lineColour},
	{"good", goodColour},
	{"warn", warnColour},
	{"bad", badColour},
	{"busy", busyColour},
	{"ask", askColour},
	{"selection", selection},
	{"ground", colour{shade{rgb: 0x12161c}, shade{rgb: 0xffffff}}},
	{"panel", colour{shade{rgb: 0x1a2029}, shade{rgb: 0xf5f7fa}}},
	{"edge", colour{shade{rgb: 0x333c49}, shade{rgb: 0xd3dae3}}},
}

// Shades are the colours of a page in a browser on a background.
func Shades(light bool) []Shade {
	return core.Map(pageShades, func(p pageShade) Shade {
		return Shade{p.name, fmt.Sprintf("#%06x", p.on(light).rgb)}
	})
}
