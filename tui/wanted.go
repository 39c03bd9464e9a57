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

// recordsPart asks for the records that the screen on top wants.
type recordsPart struct {
	model  *model
	wanted wantedReading
}

// read asks for what the screen on top shows.
func (p *recordsPart) read() tea.Cmd {
	r := &p.wanted
	shown, open := p.model.stack[len(p.model.stack)-1].(wanting)
	if !open {
		r.last = nil
		return nil
	}
	asked := wantedReading{last: shown.Wants(&p.model.world), now: p.model.world.Now.Truncate(time.Minute)}
	if p.model.world.Snapshot != nil {
		asked.revision = p.model.world.Snapshot.Revision
	}
	if r.last == asked.last && (r.running || r.revision == asked.revision && r.now.Equal(asked.now)) {
		return nil
	}
	asked.running = true
	*r = asked
	return p.model.act.Do(asked.last)
}

// take takes in what was read for the screen on top.
func (p *recordsPart) take(msg tea.Msg) {
	switch msg := msg.(type) {
	case effect.ActivityRead:
		if p.answers(msg.Intent) {
			p.model.world.Activity = msg.Activity
			p.model.world.Activity.Wrong = p.wrong(msg.Err)
		}
	case effect.UsageRead:
		if p.answers(msg.Intent) {
			p.model.world.Usage = msg.Usage
			p.model.world.Usage.Wrong = p.wrong(msg.Err)
		}
	case effect.HostsRead:
		if p.answers(msg.Intent) {
			p.model.world.Hosts = msg.Hosts
			p.model.world.Hosts.Wrong = p.wrong(msg.Err)
		}
	case effect.SettingsRead:
		if p.answers(msg.Intent) {
			p.model.world.Settings = msg.Settings
			p.model.world.Settings.Wrong = p.wrong(msg.Err)
		}
	}
}

// answers reports whether an answer is the one that is waited for.
func (p *recordsPart) answers(to intent.Intent) bool {
	if p.wanted.last != to {
		return false
	}
	p.wanted.running = false
	return true
}

// wrong says what an error is about, empty for none.
func (p *recordsPart) wrong(err error) string {
	if err == nil {
		return ""
	}
	return p.model.advise(err).Error()
}
