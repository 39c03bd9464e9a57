package tui

import (
	tea "github.com/charmbracelet/bubbletea"

	"cupola/core/verb/settings"
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
	set := func(key, value string) intent.Intent {
		return intent.Act{Input: settings.ConfigSetIn{Key: key, Value: []string{value}}, What: key}
	}
	return tea.Sequence(m.act.Do(set("display.group", w.Group)), m.act.Do(set("display.sort", w.Sort)))
}
