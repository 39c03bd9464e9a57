package theme

import (
	"io"
	"strings"

	"github.com/charmbracelet/lipgloss"
	"github.com/muesli/termenv"
)

// Ink is a token made ready for one output: what to write before and after a
// text. Both are empty where the output shows no style.
type Ink struct {
	On, Off string
}

// Paint returns a text between the two; nothing stays nothing.
func (i Ink) Paint(text string) string {
	if text == "" || i.On == "" {
		return text
	}
	return i.On + text + i.Off
}

// inkOf asks lipgloss once what it would write around a text.
func inkOf(style lipgloss.Style) Ink {
	const probe = "x"
	on, off, _ := strings.Cut(style.Render(probe), probe)
	return Ink{On: on, Off: off}
}

// mix prepares every token, on the terminal's background and on the selection's.
func (t *Theme) mix() {
	for token, look := range looks {
		base := t.renderer.NewStyle().Bold(look.bold)
		coloured := base.Foreground(look.ink.on(t.light).complete())
		t.styles[token] = coloured
		if look.own {
			t.styles[token] = base
		}
		t.plain[token] = inkOf(t.styles[token])
		t.selected[token] = inkOf(coloured.Background(chosen.on(t.light).complete()))
		if t.level == Basic {
			// Sixteen colours of unknown values: only reversed text is sure to be read.
			t.selected[token] = inkOf(base.Reverse(true))
		}
	}
}

// Ink is a token on the terminal's own background.
func (t *Theme) Ink(token Token) Ink { return t.plain[token] }

// Selected is a token on the background of what is selected. At None it looks
// like any other text, so that a sign has to say it too.
func (t *Theme) Selected(token Token) Ink { return t.selected[token] }

// Style is a token on the terminal's own background, for widgets of bubbles.
func (t *Theme) Style(token Token) lipgloss.Style { return t.styles[token] }

// CursorStyle is Cursor for widgets of bubbles.
func (t *Theme) CursorStyle() lipgloss.Style { return cursorRenderer.NewStyle().Reverse(true) }

// cursorRenderer shows the cursor at every level.
var cursorRenderer = rendererOf(termenv.ANSI)

// rendererOf returns a renderer of styles for outputs of a profile.
func rendererOf(profile termenv.Profile) *lipgloss.Renderer {
	renderer := lipgloss.NewRenderer(io.Discard)
	renderer.SetColorProfile(profile)
	return renderer
}

// Cursor marks the cell that the next key changes. It is reversed at every
// level: that is no colour, and without it nobody sees where they type.
func (t *Theme) Cursor() Ink { return cursor }

var cursor = Ink{On: "\x1b[7m", Off: Reset}

// Reset ends every style.
const Reset = "\x1b[0m"
