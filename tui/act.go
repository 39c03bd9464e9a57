package tui

import (
	"cmp"
	"fmt"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"cupola/core"
	"cupola/core/host"
	"cupola/theme"
	"cupola/tui/effect"
	"cupola/tui/intent"
	"cupola/tui/screen"
	"cupola/tui/screen/crews"
	"cupola/tui/screen/form"
	"cupola/tui/screen/relays"
	"cupola/tui/screen/stories"
	"cupola/tui/widget"
)

// readable is how long a message is shown at least: a key does not take it away before.
const readable = 1500 * time.Millisecond

// setStatus shows a message in the footer until the next key, or some keys that follow at once.
func (m *model) setStatus(token theme.Token, text string) {
	m.status, m.saidAt = widget.Span{Token: token, Text: text}, m.clock()
}

// forgetStatus takes the message away, unless it has just been shown.
func (m *model) forgetStatus() {
	if m.clock().Sub(m.saidAt) >= readable {
		m.status = widget.Span{}
	}
}

// perform gives an act without a target the selection, and starts it. An act that is running
// already is not started again.
func (m *model) perform(wanted intent.Intent) tea.Cmd {
	noTarget := wanted == intent.Interrupt{}
	wanted = withTarget(m.choice, m.world.Snapshot, wanted)
	if wanted == nil {
		m.setStatus(theme.Warn, nothing)
		return nil
	}
	if w, is := wanted.(intent.Interrupt); is && noTarget && w.Target.Pane == "" {
		if session, _ := m.choice.Chosen(m.world.Snapshot); session != nil && len(session.Agents()) > 1 {
			m.form = form.Interrupt(w.Target,
				fmt.Sprintf("The turns of all its %d agents stop.", len(session.Agents())))
			return nil
		}
	}
	name := actKey(wanted)
	if m.running[name] {
		if send, ok := wanted.(intent.Send); ok {
			m.drafts.keep(draftKey(m.world.Snapshot, send.Target), send.Text)
		}
		m.setStatus(theme.Dim, "that is under way")
		return nil
	}
	cmd := m.act.Do(wanted)
	if cmd != nil && name != "" {
		m.running[name] = true
	}
	switch w := wanted.(type) {
	case intent.Send:
		m.drafts.keep(draftKey(m.world.Snapshot, w.Target), "")
		m.setStatus(theme.Dim, "sending to "+w.Target.Address+m.world.Theme.Glyphs().Ellipsis)
	case intent.Each:
		m.choice.Marks.Clear()
		m.drafts.keep("marked", "")
		m.setStatus(theme.Dim, fmt.Sprintf("acting on %d agents", len(w.Acts))+m.world.Theme.Glyphs().Ellipsis)
	case intent.Relay:
		m.forms.relay = intent.Relay{}
		m.setStatus(theme.Dim, "asking "+cmp.Or(w.Backend, "the backend")+m.world.Theme.Glyphs().Ellipsis)
	case intent.StartCrew:
		m.forms.crew = intent.StartCrew{}
		m.setStatus(theme.Dim, "starting "+w.Who+m.world.Theme.Glyphs().Ellipsis)
	case intent.StopCrew:
		m.setStatus(theme.Dim, "stopping "+w.ID+m.world.Theme.Glyphs().Ellipsis)
	case intent.StartRun:
		m.setStatus(theme.Dim, "starting the stories of "+w.Name+m.world.Theme.Glyphs().Ellipsis)
	case intent.StopRun:
		m.setStatus(theme.Dim, "stopping "+w.ID+m.world.Theme.Glyphs().Ellipsis)
	case intent.Cancel:
		m.setStatus(theme.Dim, "cancelling "+w.ID+m.world.Theme.Glyphs().Ellipsis)
	case intent.Spawn:
		m.setStatus(theme.Dim, "starting "+w.Session+m.world.Theme.Glyphs().Ellipsis)
	case intent.Add:
		m.setStatus(theme.Dim, "adding to "+w.Session+m.world.Theme.Glyphs().Ellipsis)
	case intent.Kill:
		m.setStatus(theme.Dim, "ending "+w.Target.Address+m.world.Theme.Glyphs().Ellipsis)
	case intent.Restart:
		m.setStatus(theme.Dim, "restarting "+w.Target.Address+m.world.Theme.Glyphs().Ellipsis)
	case intent.Answer:
		m.setStatus(theme.Dim, "answering "+w.Target.Address+m.world.Theme.Glyphs().Ellipsis)
	case intent.Interrupt:
		m.setStatus(theme.Dim, "interrupting "+w.Target.Address+m.world.Theme.Glyphs().Ellipsis)
	}
	return cmd
}

// withTarget adds the selection to an act that needs a target; nil if nothing is selected.
func withTarget(choice *screen.Choice, snap *core.Snapshot, wanted intent.Intent) intent.Intent {
	target := choice.Target(snap)
	switch w := wanted.(type) {
	case intent.Attach:
		if w.Target.Address == "" {
			w.Target = target
		}
		wanted = w
	case intent.Interrupt:
		if w.Target.Address == "" {
			w.Target = target
		}
		wanted = w
	case intent.Copy:
		pane := choice.Shown(snap)
		if pane == nil {
			return nil
		}
		return intent.Copy{Pane: pane.ID}
	case intent.Replay:
		pane := choice.Shown(snap)
		if pane == nil {
			return nil
		}
		w.Pane = pane.Address()
		if session := snap.Session(pane.Session); session != nil {
			w.Session = session.Created
		}
		return w
	case intent.Edit:
		if w.Root == "" {
			w.Root = folder(choice, snap)
		}
		return w
	default:
		return wanted
	}
	if target.Address == "" {
		return nil
	}
	return wanted
}

// folder is that of the selected pane, else of its session; empty if neither is known, or it is on another host.
func folder(choice *screen.Choice, snap *core.Snapshot) string {
	session, pane := choice.Chosen(snap)
	if session != nil && host.Elsewhere(string(session.ID)) {
		return ""
	}
	if pane != nil && pane.Process.Dir != "" {
		return pane.Process.Dir
	}
	if session != nil {
		return session.Dir
	}
	return ""
}

// actKey identifies a running act; empty for one that ends at once.
func actKey(wanted intent.Intent) string {
	switch wanted.(type) {
	case intent.Redraw, intent.Suspend:
		return ""
	case intent.Attach, intent.Replay, intent.Demo:
		return "attach" // there is one terminal
	}
	return fmt.Sprintf("%T %v", wanted, wanted)
}

// finish shows how an act ended.
func (m *model) finish(msg effect.Done) {
	delete(m.running, actKey(msg.Intent))
	if msg.Err == nil {
		m.refusals.succeeded(msg.Intent)
		m.world.Acts++
		m.undos.done(msg)
		if shown, open := m.onTop().(*relays.Screen); open && msg.Relay != "" {
			shown.Choose(msg.Relay)
		}
		if shown, open := m.onTop().(*crews.Screen); open && msg.Crew != "" {
			shown.Choose(msg.Crew)
		}
		if shown, open := m.onTop().(*stories.Screen); open && msg.Run != "" {
			shown.Choose(msg.Run)
		}
		if answered, is := msg.Intent.(intent.Answer); is && !msg.Open && m.choice.Pane == answered.Target.Pane {
			m.choice.NextNeedsYou(m.world.Snapshot)
		}
		return
	}
	text := msg.Said
	e := m.advise(msg.Err)
	if text == "" {
		text = e.Error()
		if e.Hint != "" {
			text += ". " + e.Hint
		}
		if e.HasCode(core.ToolNotFound) && len(e.Actions) > 0 {
			text += " " + e.Actions[0]
		}
	}
	back, kept := m.refusals.failed(msg.Intent, text)
	if back != nil {
		m.form, m.status = back, widget.Span{}
		return
	}
	switch asked := msg.Intent.(type) {
	case intent.Relay:
		m.forms.relay = asked
		text += " (n has the prompt again)"
	case intent.StartCrew:
		m.forms.crew = asked
		text += " (n has it again)"
	default:
		if kept {
			text += " (the form has it again)"
		}
	}
	m.setStatus(theme.Danger, text)
	send, ok := msg.Intent.(intent.Send)
	if each, several := msg.Intent.(intent.Each); several && len(msg.Unsent) > 0 {
		send, ok = each.Acts[0].(intent.Send)
	}
	if !ok {
		return
	}
	if len(msg.Unsent) == 0 {
		msg.Unsent = []intent.Target{send.Target}
	}
	for _, target := range msg.Unsent {
		m.drafts.back(draftKey(m.world.Snapshot, target), send.Text)
	}
}
