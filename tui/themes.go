package tui

import (
	tea "github.com/charmbracelet/bubbletea"

	"cupola/theme"
	"cupola/tui/intent"
	"cupola/tui/screen/form"
)

// Themes are the looks that the dashboard can be given while it runs.
type Themes struct {
	Names []string
	Find  func(name string) (*theme.Theme, error)
}

// askTheme opens the list of themes, in which the selected one is shown at once.
func (m *model) askTheme() {
	if len(m.themes.Names) == 0 {
		m.setStatus(theme.Warn, "there is one theme only")
		return
	}
	m.form = form.Themes(m.themes.Names, m.themeName)
	m.before = m.world.Theme
}

// useTheme shows another theme; with save it is the one of the next start, too. An empty name shows the one that was
// shown before the list was opened.
func (m *model) useTheme(w intent.UseTheme) tea.Cmd {
	if w.Name == "" {
		m.world.Theme = m.before
		return nil
	}
	found, err := m.themes.Find(w.Name)
	if err != nil {
		m.setStatus(theme.Danger, err.Error())
		return nil
	}
	m.world.Theme = found
	if !w.Save {
		return nil
	}
	m.themeName = w.Name
	return m.act.Do(intent.SetOption{Key: "display.theme", Value: w.Name, Live: true})
}
