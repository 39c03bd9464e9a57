package screen

import (
	"fmt"

	"cupola/theme"
	"cupola/tui/intent"
	"cupola/tui/widget"
)

// sideways is how many columns a key moves a text.
const sideways = 16

// Reader is a long text that is read: it scrolls, wraps and is searched.
type Reader struct {
	Text widget.Scroll
	// missing is a text that was looked for in vain.
	missing string
}

// Handle moves and searches. It returns other intents, and AskFind with what was looked for last.
func (r *Reader) Handle(wanted intent.Intent) intent.Intent {
	total, page := r.Text.Rows()
	rows := intent.Rows{At: r.Text.Top, Of: total, Page: page - 1, Wheel: WheelLines}
	if top, is := rows.Moved(wanted); is {
		r.Text.Move(top - r.Text.Top)
		return nil
	}
	switch w := wanted.(type) {
	case intent.Shift:
		r.Text.Side(w.By * sideways)
	case intent.ToggleWrap:
		r.Text.Wrap = !r.Text.Wrap
	case intent.AskFind:
		return intent.AskFind{Text: r.Text.Query()}
	case intent.Find:
		r.missing = ""
		if r.Text.Find(w.Text) == 0 {
			r.missing = w.Text
		}
	case intent.FindNext:
		r.Text.Next(w.By)
	default:
		return wanted
	}
	return nil
}

// Applies reports whether an intent has something to do: there is a text, a match, or a line that is cut.
func (r *Reader) Applies(wanted intent.Intent) bool {
	_, matches := r.Text.Match()
	return intent.When(wanted, matches > 0, intent.FindNext{}) &&
		intent.When(wanted, r.Text.Cut(), intent.ToggleWrap{}) &&
		intent.When(wanted, r.Text.Lines() > 0, intent.AskFind{}, intent.Copy{})
}

// Place says which lines showed when the text was drawn last, and what was found.
func (r *Reader) Place() widget.Line {
	first, last := r.Text.Shown()
	line := widget.Styled(theme.Dim, fmt.Sprintf(" %d-%d of %d", first, last, r.Text.Lines()))
	switch at, of := r.Text.Match(); {
	case of > 0:
		line = append(widget.Styled(theme.Accent, fmt.Sprintf("%q %d of %d ", r.Text.Query(), at, of)), line...)
	case r.missing != "":
		line = append(widget.Styled(theme.Warn, fmt.Sprintf("no %q ", r.missing)), line...)
	}
	return line
}
