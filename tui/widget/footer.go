package widget

import (
	"slices"

	"github.com/charmbracelet/bubbles/key"

	"cupola/core/cells"
	"cupola/theme"
	"cupola/tui/layout"
)

// Footer draws keys and what they do in one row, in the order given. Those that
// have no room are left out from the end, but the last one of all stays as long as
// it fits: it is the way to the help. The help view itself would leave it out.
func Footer(t *theme.Theme, r layout.Rect, bindings []key.Binding) []string {
	if r.Empty() || len(bindings) == 0 {
		return pad(nil, r)
	}
	h, last := t.Help(), bindings[len(bindings)-1:]
	for n := len(bindings) - 1; n >= 0; n-- {
		if line := h.ShortHelpView(slices.Concat(bindings[:n], last)); cells.Width(line) <= r.W {
			return pad([]string{exactly(line, r.W)}, r)
		}
	}
	return pad(nil, r)
}
