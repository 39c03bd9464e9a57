package theme

import (
	"io"
	"strings"

	"github.com/charmbracelet/lipgloss"
	"github.com/muesli/termenv"
)

// Style is a token rendered once for one output: what to write before and after a
// text. Both are empty where the output shows no style. Writing them around a text
// is many times faster than lipgloss, which the frames of live screens need.
type Style struct {
	On, Off string
}

// Render returns a text between the two; an empty text stays empty.
func (s Style) Render(text string) string {
	if text == "" || s.On == "" {
		return text
	}
	return s.On + text + s.Off
}

// styleOf returns what lipgloss writes around a text.
func styleOf(style lipgloss.Style) Style {
	const probe = "x"
	on, off, _ := strings.Cut(style.Render(probe), probe)
	return Style{On: on, Off: off}
}

// prepare makes the styles of every token, on the terminal's background and on the
// selection's.
func (t *Theme) prepare() {
	for token, style := range tokenStyles {
		base := t.renderer.NewStyle().Bold(style.bold).Italic(style.italic)
		if t.level == Plain {
			t.lipgloss[token] = base.Bold(style.bold || loud[Token(token)])
			t.plain[token] = styleOf(t.lipgloss[token])
			t.selected[token] = styleOf(base.Reverse(true))
			continue
		}
		coloured := base.Foreground(t.scheme.of(style.colour, t.light).complete())
		t.lipgloss[token] = coloured
		if style.own {
			t.lipgloss[token] = base
		}
		t.plain[token] = styleOf(t.lipgloss[token])
		t.selected[token] = styleOf(coloured.Background(t.scheme.of(selection, t.light).complete()))
		if t.level == Basic {
			// Sixteen colours of unknown values: only reversed text is sure to be read.
			t.selected[token] = styleOf(base.Reverse(true))
		}
	}
}

// loud are the tokens that are bold where there is no colour.
var loud = map[Token]bool{Danger: true, Ask: true, Warn: true, Accent: true, FooterKey: true, BorderFocused: true}

// Style is a token on the terminal's own background.
func (t *Theme) Style(token Token) Style { return t.plain[token] }

// Selected is a token on the background of what is selected. At None it looks
// like any other text, so that a sign has to say it too.
func (t *Theme) Selected(token Token) Style { return t.selected[token] }

// Lipgloss is Style for widgets of bubbles.
func (t *Theme) Lipgloss(token Token) lipgloss.Style { return t.lipgloss[token] }

// Cursor marks the cell that the next key changes. It is reversed at every level:
// that is no colour, and without it the cursor cannot be seen.
func (t *Theme) Cursor() Style { return cursor }

// Picture is white on black whatever the scheme, for what other machines read.
func (t *Theme) Picture() Style {
	if t.level < Basic {
		return Style{}
	}
	return styleOf(t.renderer.NewStyle().Foreground(lipgloss.Color("#ffffff")).Background(lipgloss.Color("#000000")))
}

// LipglossCursor is Cursor for widgets of bubbles.
func (t *Theme) LipglossCursor() lipgloss.Style { return lipglossCursor }

var (
	cursor         = styleOf(lipglossCursor)
	lipglossCursor = rendererOf(termenv.ANSI).NewStyle().Reverse(true)
)

// rendererOf returns a renderer of styles for outputs of a profile.
func rendererOf(profile termenv.Profile) *lipgloss.Renderer {
	renderer := lipgloss.NewRenderer(io.Discard)
	renderer.SetColorProfile(profile)
	return renderer
}

// Reset ends every style.
const Reset = "\x1b[0m"
