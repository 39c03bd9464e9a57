package tui

import (
	tea "github.com/charmbracelet/bubbletea"

	"cupola/tui/intent"
	"cupola/tui/screen"
)

// arrange groups and sorts the list.
func (m *model) arrange(w intent.Arrange) tea.Cmd {
	if w.Group == "" {
		m.choice.Order = m.forms.arranged
		return nil
	}
	m.choice.Order = screen.Order{Group: w.Group, Sort: w.Sort}
	if !w.Save {
		return nil
	}
	said := "the list is grouped by " + w.Group + " and sorted by " + w.Sort
	set := func(key, value string) intent.Intent {
		return intent.SetOption{Key: key, Value: value, Live: true, Said: said}
	}
	return tea.Sequence(m.act.Do(set("display.group", w.Group)), m.act.Do(set("display.sort", w.Sort)))
}
