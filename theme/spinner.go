package theme

import (
	"time"

	"github.com/charmbracelet/bubbles/spinner"
)

// SpinEvery is how often a spinner turns.
const SpinEvery = time.Second / 12

// Spinner returns the signs that turn while something is waited for, each of the same width.
func (t *Theme) Spinner() spinner.Spinner {
	signs := spinner.MiniDot.Frames
	if t.glyphs == &asciiGlyphs {
		signs = spinner.Line.Frames
	}
	return spinner.Spinner{Frames: signs, FPS: SpinEvery}
}
