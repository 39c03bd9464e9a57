package tui

import (
	"cupola/theme"
	"cupola/tui/effect"
	"cupola/tui/screen/form"
)

// askRestore opens the list of recorded sessions.
func (p *formsPart) askRestore(msg effect.CheckpointsListed) {
	switch {
	case msg.Err != nil:
		p.model.setStatus(theme.Danger, p.model.advise(msg.Err).Error())
	case len(msg.Entries)+len(p.model.world.Offers().Ran) == 0:
		p.model.setStatus(theme.Dim, "no session was recorded yet; C records the selected one")
	case !p.model.takesText():
		p.model.form = form.Checkpoints(msg.Entries, p.model.world.Offers(), p.model.world.Now)
	}
}
