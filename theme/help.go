package theme

import "github.com/charmbracelet/bubbles/help"

// keyColumn is the width of the keys in a page of help.
const keyColumn = 13

// Help returns a help view in the theme's styles.
func (t *Theme) Help() help.Model {
	h := help.New()
	h.ShortSeparator = "  "
	key, text := t.Lipgloss(FooterKey), t.Lipgloss(FooterText)
	h.Styles = help.Styles{ShortKey: key, ShortDesc: text, FullKey: key.Width(keyColumn), FullDesc: t.Lipgloss(Text)}
	return h
}
