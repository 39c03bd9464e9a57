package tui

import (
	tea "github.com/charmbracelet/bubbletea"

	"cupola/core/verb/settings"
	"cupola/theme"
	"cupola/tui/intent"
	"cupola/tui/screen/form"
)

// Themes are the looks that the dashboard can be given while it runs.
type Themes struct {
	Names []string
	Find  func(name string) (*theme.Theme, error)
}

// looksPart chooses the theme.
type looksPart struct {
	root interface {
		setStatus(token theme.Token, text string)
		openForm(f *form.Form)
	}
	act actor
	// shown is where the theme is that the dashboard is drawn in.
	shown  **theme.Theme
	themes Themes
	// name is the chosen theme's name; before one is chosen, the name of the theme that was displayed.
	name   string
	before *theme.Theme
}

// ask opens the list of themes, in which the selected one is shown at once.
func (p *looksPart) ask() {
	if len(p.themes.Names) == 0 {
		p.root.setStatus(theme.Warn, "there is one theme only")
		return
	}
	p.root.openForm(form.Themes(p.themes.Names, p.name))
	p.before = *p.shown
}

// use shows another theme; with save it is the theme of the next start, too. An empty name shows the theme that was
// displayed before the list was opened.
func (p *looksPart) use(w intent.UseTheme) tea.Cmd {
	if w.Name == "" {
		*p.shown = p.before
		return nil
	}
	found, err := p.themes.Find(w.Name)
	if err != nil {
		p.root.setStatus(theme.Danger, err.Error())
		return nil
	}
	*p.shown = found
	if !w.Save {
		return nil
	}
	p.name = w.Name
	set := settings.ConfigSetIn{Key: "display.theme", Value: []string{w.Name}}
	return p.act.Do(intent.Act{Input: set, What: set.Key})
}
