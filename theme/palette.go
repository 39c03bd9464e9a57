package theme

import (
	"fmt"

	"github.com/charmbracelet/lipgloss"
)

// shade is a colour on one background: in 24 bits (0xRRGGBB), and the entries of
// the palettes of 256 and of 16 colours that stand for it. They are chosen by
// contrast: what x/ansi converts to cannot be read where it is selected.
type shade struct {
	rgb            uint32
	indexed, basic uint8
}

// ink is a colour on dark and on light backgrounds.
type ink struct{ dark, light shade }

// The palette: few hues, each with one meaning.
var (
	inkDim    = ink{shade{0xa0a8b6, 248, 7}, shade{0x5b6472, 241, 8}}
	inkStrong = ink{shade{0xf3f4f6, 255, 15}, shade{0x111827, 234, 0}}
	inkAccent = ink{shade{0x7bd5dc, 116, 14}, shade{0x0b666d, 23, 6}}
	inkLine   = ink{shade{0x7d8593, 102, 8}, shade{0x757e8c, 244, 8}}
	inkGood   = ink{shade{0x5fd39a, 78, 10}, shade{0x17704a, 23, 2}}
	inkWarn   = ink{shade{0xf0c060, 215, 11}, shade{0x855900, 94, 3}}
	inkBad    = ink{shade{0xff8f87, 210, 9}, shade{0xa8201a, 124, 1}}
	inkBusy   = ink{shade{0x79b8ff, 111, 12}, shade{0x1b57b0, 25, 4}}
	inkAsk    = ink{shade{0xf3a6dd, 218, 13}, shade{0x87207a, 90, 5}}
	inkText   = ink{shade{0xe5e7eb, 254, 15}, shade{0x1f2937, 235, 0}}
)

// chosen is the background of what is selected.
var chosen = ink{shade{0x2f3b4d, 237, 8}, shade{0xdbe5f2, 254, 7}}

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

// on returns the shade for a background.
func (i ink) on(light bool) shade {
	if light {
		return i.light
	}
	return i.dark
}

// complete spells a shade out for every level, so that nobody converts it later.
func (s shade) complete() lipgloss.CompleteColor {
	return lipgloss.CompleteColor{
		TrueColor: fmt.Sprintf("#%06x", s.rgb), ANSI256: fmt.Sprint(s.indexed), ANSI: fmt.Sprint(s.basic),
	}
}
