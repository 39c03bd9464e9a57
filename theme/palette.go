package theme

import (
	"fmt"

	"github.com/charmbracelet/lipgloss"
)

// ink is a colour on dark and on light backgrounds (0xRRGGBB), and its nearest
// relatives among the sixteen colours.
type ink struct {
	dark, light           uint32
	basicDark, basicLight uint8
}

// The palette: few hues, each with one meaning.
var (
	inkDim    = ink{0xa0a8b6, 0x5b6472, 7, 8}
	inkStrong = ink{0xf3f4f6, 0x111827, 15, 0}
	inkAccent = ink{0x7bd5dc, 0x0b666d, 14, 6}
	inkLine   = ink{0x7d8593, 0x757e8c, 8, 8}
	inkGood   = ink{0x5fd39a, 0x17704a, 10, 2}
	inkWarn   = ink{0xf0c060, 0x855900, 11, 3}
	inkBad    = ink{0xff8f87, 0xa8201a, 9, 1}
	inkBusy   = ink{0x79b8ff, 0x1b57b0, 12, 4}
	inkAsk    = ink{0xf3a6dd, 0x87207a, 13, 5}
	inkText   = ink{0xe5e7eb, 0x1f2937, 15, 0}
)

// chosen is the background of what is selected.
var chosen = ink{0x2f3b4d, 0xdbe5f2, 8, 7}

// look is how a token is drawn: its ink and its weight.
type look struct {
	ink  ink
	bold bool
	// own leaves the terminal's own text colour where nothing is selected.
	own bool
}

var looks = [tokens]look{
	Text: {ink: inkText, own: true}, Dim: {ink: inkDim}, Strong: {ink: inkStrong, bold: true}, Accent: {ink: inkAccent},
	Border: {ink: inkLine}, BorderFocused: {ink: inkAccent},
	Header: {ink: inkAccent, bold: true}, FooterKey: {ink: inkAccent}, FooterText: {ink: inkDim},
	Danger: {ink: inkBad}, Good: {ink: inkGood}, Warn: {ink: inkWarn}, Busy: {ink: inkBusy}, Ask: {ink: inkAsk},
	Code: {ink: inkAccent},
}

// on returns the ink's value for a background.
func (i ink) on(light bool) uint32 {
	if light {
		return i.light
	}
	return i.dark
}

// complete spells an ink out for every level, so that nobody converts it later.
func (i ink) complete(light bool) lipgloss.CompleteColor {
	rgb, basic := i.on(light), i.basicDark
	if light {
		basic = i.basicLight
	}
	return lipgloss.CompleteColor{
		TrueColor: fmt.Sprintf("#%06x", rgb), ANSI256: fmt.Sprint(nearestIndexed(rgb)), ANSI: fmt.Sprint(basic),
	}
}
