package tui

import (
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"cupola/core"
	"cupola/tui/effect"
	"cupola/tui/intent"
	"cupola/tui/screen"
)

// wanting is a screen that shows what was read for it, as Wants says, also where there is no session. It is read again
// when the snapshot or the minute has changed.
type wanting interface {
	Wants(w *screen.World) intent.Intent
}

// wantedReading is what is read for the screen on top.
type wantedReading struct {
	// last is what was asked last, running true until the answer comes.
	last    intent.Intent
	running bool
	// revision and now are those of the question.
	revision core.Revision
	now      time.Time
}

// readWanted asks for what the screen on top shows.
func (m *model) readWanted() tea.Cmd {
	r := &m.wanted
	shown, open := m.stack[len(m.stack)-1].(wanting)
	if !open {
		r.last = nil
		return nil
	}
	asked := wantedReading{last: shown.Wants(&m.world), now: m.world.Now.Truncate(time.Minute)}
	if m.world.Snapshot != nil {
		asked.revision = m.world.Snapshot.Revision
	}
	if r.last == asked.last && (r.running || r.revision == asked.revision && r.now.Equal(asked.now)) {
		return nil
	}
	asked.running = true
	*r = asked
	return m.act.Do(asked.last)
}

// takeRecords takes in what was read for the screen on top.
func (m *model) takeRecords(msg tea.Msg) {
	switch msg := msg.(type) {
	case effect.ActivityRead:
		if m.takeWanted(msg.Intent) {
			m.world.Activity = msg.Activity
			m.world.Activity.Wrong = m.wrong(msg.Err)
		}
	case effect.UsageRead:
		if m.takeWanted(msg.Intent) {
			m.world.Usage = msg.Usage
			m.world.Usage.Wrong = m.wrong(msg.Err)
		}
	case effect.HostsRead:
		if m.takeWanted(msg.Intent) {
			m.world.Hosts = msg.Hosts
			m.world.Hosts.Wrong = m.wrong(msg.Err)
		}
	case effect.SettingsRead:
		if m.takeWanted(msg.Intent) {
			m.world.Settings = msg.Settings
			m.world.Settings.Wrong = m.wrong(msg.Err)
		}
	}
}

// takeWanted reports whether an answer is the one that is waited for.
func (m *model) takeWanted(to intent.Intent) bool {
	if m.wanted.last != to {
		return false
	}
	m.wanted.running = false
	return true
}

// wrong says what an error is about, empty for none.
func (m *model) wrong(err error) string {
	if err == nil {
		return ""
	}
	return m.advise(err).Error()
}
