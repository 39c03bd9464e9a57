package theme

import "github.com/charmbracelet/lipgloss"

// Ground is a background of changed lines. The zero value is the terminal's own.
type Ground uint8

// The grounds.
const (
	Own Ground = iota
	Added
	Deleted

	groundCount
)

// groundColours tint the background so little that every token can be read on it. Palettes of 256 colours have no such
// shades.
var groundColours = [groundCount]struct{ dark, light lipgloss.Color }{
	Added:   {"#12261a", "#e2f5e6"},
	Deleted: {"#2e1717", "#fcebe9"},
}

// Grounds reports whether the output can show them. Where it cannot, On is Style.
func (t *Theme) Grounds() bool { return t.level == True }

// On is a token on the background of changed lines.
func (t *Theme) On(token Token, ground Ground) Style {
	if ground == Own || !t.Grounds() {
		return t.Style(token)
	}
	return t.grounded[ground][token]
}

// prepareGrounds makes the styles of every token on every ground.
func (t *Theme) prepareGrounds() {
	for ground := Added; ground < groundCount; ground++ {
		back := groundColours[ground].dark
		if t.light {
			back = groundColours[ground].light
		}
		for token, style := range tokenStyles {
			t.grounded[ground][token] = styleOf(t.renderer.NewStyle().Bold(style.bold).Italic(style.italic).
				Foreground(t.scheme.of(style.colour, t.light).complete()).Background(back))
		}
	}
}
