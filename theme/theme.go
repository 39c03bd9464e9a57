// Package theme turns meanings into looks: the tones of a report, the states of
// agents, glyphs. It is the only place that names a colour, and it owns the
// renderer that knows what the terminal can show. Meaning never rests on colour
// alone: every state has a glyph and a word too.
package theme

import (
	"io"

	"github.com/charmbracelet/lipgloss"
	"github.com/muesli/termenv"

	"cupola/core"
	"cupola/core/report"

	_ "cupola/theme/quiet" // whoever draws must not ask the terminal first
)

// Theme styles text for one output.
type Theme struct {
	renderer *lipgloss.Renderer
	colour   bool
}

// New makes a theme for an output. Without colour, text keeps its glyphs and
// words and loses everything else.
func New(w io.Writer, colour bool) *Theme {
	profile := termenv.Ascii
	if colour {
		profile = termenv.TrueColor
	}
	renderer := lipgloss.NewRenderer(w, termenv.WithProfile(profile), termenv.WithTTY(colour))
	renderer.SetColorProfile(profile)
	renderer.SetHasDarkBackground(true)
	return &Theme{renderer: renderer, colour: colour}
}

// pair is a colour on light and on dark backgrounds.
func pair(light, dark string) lipgloss.AdaptiveColor {
	return lipgloss.AdaptiveColor{Light: light, Dark: dark}
}

// The palette: few hues, each with one meaning.
var (
	inkDim    = pair("#6b7280", "#8b93a1")
	inkGood   = pair("#1a7f4b", "#5fd39a")
	inkWarn   = pair("#9a6700", "#f0c060")
	inkBad    = pair("#b42318", "#ff7b72")
	inkBusy   = pair("#1f5fbf", "#79b8ff")
	inkAsk    = pair("#a3478f", "#f3a6dd")
	inkCode   = pair("#0b6e75", "#7bd5dc")
	inkStrong = pair("#111827", "#f3f4f6")
)

var stateInk = map[core.State]lipgloss.AdaptiveColor{
	core.Working: inkBusy, core.Waiting: inkAsk, core.Idle: inkGood, core.Limited: inkWarn, core.Errored: inkBad,
	core.Starting: inkBusy, core.Exited: inkDim, core.Unknown: inkDim,
}

var stateGlyph = map[core.State]string{
	core.Working: "●", core.Waiting: "◆", core.Idle: "○", core.Limited: "◔", core.Errored: "✕", core.Starting: "◌", core.Exited: "▪", core.Unknown: "·",
}

// Glyph is the one-cell sign of a state.
func Glyph(state core.State) string {
	if glyph, ok := stateGlyph[state]; ok {
		return glyph
	}
	return stateGlyph[core.Unknown]
}

// Render styles text by its tone.
func (t *Theme) Render(tone report.Tone, text string) string {
	if text == "" {
		return ""
	}
	return t.style(tone).Render(text)
}

func (t *Theme) style(tone report.Tone) lipgloss.Style {
	style := t.renderer.NewStyle()
	for state, ink := range stateInk {
		if tone == report.StateTone(state) {
			return style.Foreground(ink)
		}
	}
	switch tone {
	case report.Strong:
		return style.Bold(true).Foreground(inkStrong)
	case report.Dim:
		return style.Foreground(inkDim)
	case report.Good:
		return style.Foreground(inkGood)
	case report.Warn:
		return style.Foreground(inkWarn)
	case report.Bad:
		return style.Foreground(inkBad)
	case report.Code:
		return style.Foreground(inkCode)
	}
	return style
}
