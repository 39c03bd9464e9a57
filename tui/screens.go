package tui

import (
	"slices"
	"sync"

	tea "github.com/charmbracelet/bubbletea"

	"cupola/theme"
	"cupola/tui/intent"
	"cupola/tui/screen"
	"cupola/tui/screen/activity"
	"cupola/tui/screen/acts"
	"cupola/tui/screen/alerts"
	"cupola/tui/screen/changes"
	"cupola/tui/screen/command"
	"cupola/tui/screen/explain"
	"cupola/tui/screen/grid"
	"cupola/tui/screen/help"
	"cupola/tui/screen/history"
	"cupola/tui/screen/hosts"
	"cupola/tui/screen/inbox"
	"cupola/tui/screen/notice"
	"cupola/tui/screen/peek"
	"cupola/tui/screen/queue"
	"cupola/tui/screen/rules"
	"cupola/tui/screen/runs"
	"cupola/tui/screen/scrollback"
	"cupola/tui/screen/search"
	"cupola/tui/screen/settings"
	"cupola/tui/screen/spending"
	"cupola/tui/screen/stories"
	"cupola/tui/screen/tree"
	"cupola/tui/screen/worktrees"
	"cupola/tui/widget"
)

// entries are all screens, in the order in which help shows their keys. The first one is below all others.
var entries = slices.Concat([]*screen.Entry{
	&tree.Entry, &grid.Entry, &inbox.Entry, &peek.Entry, &scrollback.Entry, &alerts.Entry, &history.Entry,
	&search.Entry, &search.Found,
}, runs.Entries, []*screen.Entry{
	&stories.Entry, &changes.Entry, &activity.Entry, &spending.Entry, &settings.Entry, &hosts.Entry, &worktrees.Entry,
	&acts.Entry, &queue.Entry, &rules.Entry, &explain.Entry, &command.Entry, &command.Page, &help.Entry,
})

// Keys are all tables of keys.
var Keys = sync.OnceValue(func() *intent.Tables {
	var t intent.Tables
	for _, entry := range entries {
		t.Scopes = append(t.Scopes, entry.Keys...)
		if entry.Key != "" {
			t.Openers = append(t.Openers, intent.Opener{
				Screen: entry.Name, Key: entry.Key, Does: entry.Does, Alone: entry.Alone,
			})
		}
	}
	t.Scopes = append(t.Scopes, &intent.Nothing, &intent.Form, &intent.Typing, &intent.Asking, &intent.Ending,
		&intent.Choosing, &intent.Deciding, &intent.Helping)
	return &t
})

// opened is a screen that is open.
type opened struct {
	shown screen.Screen
	entry *screen.Entry
}

// onTop is the screen that was opened last.
func (m *model) onTop() screen.Screen { return m.stack[len(m.stack)-1].shown }

// top is the screen that has the keys: a notice where that on top has nothing to show.
func (m *model) top() screen.Screen {
	if !m.stack[len(m.stack)-1].entry.Alone {
		if n := notice.For(&m.world, m.serverLost); n != nil {
			return n
		}
	}
	return m.onTop()
}

// indexOf returns the index of a screen among the entries; -1 if there is none with that name.
func indexOf(name intent.Screen) int {
	return slices.IndexFunc(entries, func(e *screen.Entry) bool { return e.Name == name })
}

// open opens a screen.
func (m *model) open(w intent.Open) tea.Cmd {
	at := indexOf(w.Screen)
	if at < 0 {
		m.setStatus(theme.Danger, "there is no screen "+string(w.Screen))
		return nil
	}
	entry := entries[at]
	m.status = widget.Span{}
	if w.Afresh {
		if shown, is := m.top().(*grid.Screen); is && entry == &grid.Entry && shown.All() {
			m.setStatus(theme.Dim, "the tiles of all agents are on the display")
			return nil
		}
		if len(m.stack) == 1 && at == 0 {
			m.setStatus(theme.Dim, "the fleet is on the display")
		}
		m.keepFilters(m.stack[1:])
		m.stack = m.stack[:1]
	}
	switch {
	case at == 0:
		return nil
	case entry.Means != nil:
		return m.handle(entry.Means)
	}
	shown, why := entry.Open(&screen.Opening{
		World: &m.world, Choice: m.choice, ID: w.ID, Selected: w.Selected, Below: m.top().Scope(),
	})
	if why != "" {
		m.setStatus(theme.Warn, why)
		return nil
	}
	if kept, is := shown.(filtering); is && w.ID == "" && m.filters[entry.Name] != "" {
		kept.Show(m.filters[entry.Name])
	}
	m.stack = append(m.stack, opened{shown, entry})
	return nil
}

// back closes the screen on top; the first one stays.
func (m *model) back() {
	if len(m.stack) > 1 {
		m.status = widget.Span{}
		m.keepFilters(m.stack[len(m.stack)-1:])
		m.stack = m.stack[:len(m.stack)-1]
	}
}

// filtering is a screen whose rows a filter limits.
type filtering interface {
	Shows() string
	Show(filter string)
}

// keepFilters keeps the filters of screens that are closed, for when they are opened again.
func (m *model) keepFilters(closed []opened) {
	for _, one := range closed {
		if shown, is := one.shown.(filtering); is {
			m.filters[one.entry.Name] = shown.Shows()
		}
	}
}
