package tui

import (
	"cupola/theme"
	"cupola/tui/effect"
	"cupola/tui/screen/form"
)

// askRestore opens the list of recorded sessions.
func (m *model) askRestore(msg effect.CheckpointsListed) {
	switch {
	case msg.Err != nil:
		m.setStatus(theme.Danger, m.wrong(msg.Err))
	case len(msg.Entries) == 0:
		m.setStatus(theme.Dim, "no session was recorded yet; C records the selected one")
	case !m.takesText():
		m.form = form.Checkpoints(msg.Entries, m.world.Now)
	}
}
