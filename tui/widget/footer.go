package widget

import (
	"slices"

	"github.com/charmbracelet/bubbles/key"

	"cupola/core/term/cells"
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
	h, n, last := t.Help(), 0, bindings[len(bindings)-1]
	separator := cells.Width(h.ShortSeparator)
	width := func(b key.Binding) int { return cells.Width(b.Help().Key+" "+b.Help().Desc) + separator }
	room := r.W + separator - width(last)
	if room < 0 {
		return pad(nil, r)
	}
	for n < len(bindings)-1 && width(bindings[n]) <= room {
		room -= width(bindings[n])
		n++
	}
	line := h.ShortHelpView(append(slices.Clone(bindings[:n]), last))
	return pad([]string{exactly(line, r.W)}, r)
}
