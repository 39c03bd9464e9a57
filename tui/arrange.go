package tui

import (
	"strconv"
	"strings"

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
	m.choice.Order = screen.Order{Group: w.Group, Sort: w.Sort, Columns: w.Columns, List: m.choice.Order.List}
	if !w.Save {
		return nil
	}
	return tea.Sequence(m.act.Do(setSetting("display.group", w.Group)), m.act.Do(setSetting("display.sort", w.Sort)),
		m.act.Do(setSetting("display.columns", strings.Split(w.Columns, ",")...)))
}

// setSetting is the act that sets a setting.
func setSetting(key string, value ...string) intent.Intent {
	return intent.Act{Input: settings.ConfigSetIn{Key: key, Value: value}, What: key}
}

// resize gives lists another share of the width, also at the next start.
func (m *model) resize(w intent.Resize) tea.Cmd {
	m.choice.Order.List = m.choice.Order.Resized(w.By)
	return m.act.Do(setSetting("display.list", strconv.Itoa(m.choice.Order.List)))
}
