package theme

import "github.com/charmbracelet/bubbles/spinner"

// Spinner returns the signs that turn while something is waited for, each of the same width.
func (t *Theme) Spinner() spinner.Spinner {
	if t.glyphs == &asciiGlyphs {
		return spinner.Line
	}
	return spinner.MiniDot
}
