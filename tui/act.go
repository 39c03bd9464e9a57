package tui

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"cupola/core"
	"cupola/core/git/worktree"
	"cupola/core/verb/agents"
	"cupola/core/verb/checkpoints"
	"cupola/core/verb/sessions"
	"cupola/theme"
	"cupola/tui/effect"
	"cupola/tui/intent"
	"cupola/tui/screen"
	"cupola/tui/screen/changes"
	"cupola/tui/screen/form"
	"cupola/tui/screen/history"
	"cupola/tui/screen/stories"
	"cupola/tui/widget"
)

// readable is the shortest time that a message is displayed: no key removes it earlier. fadesAfter is when it goes by
// itself, unless it reports an error.
const readable, fadesAfter = 1500 * time.Millisecond, 4 * time.Second

// faded says that the time of a message has passed.
type faded struct{ saidAt time.Time }

// fade starts the time of the message that is displayed; nil for one that stays until a key.
func (m *model) fade() tea.Cmd {
	stays := m.status.Token == theme.Danger || m.status.Token == theme.Accent
	if m.status.Text == "" || stays || m.world.Theme.Accessible() || m.saidAt.Equal(m.fading) {
		return nil
	}
	m.fading = m.saidAt
	said := faded{m.saidAt}
	return tea.Tick(fadesAfter, func(time.Time) tea.Msg { return said })
}

// setStatus shows a message in the footer until the next key, or some keys that follow at once.
func (m *model) setStatus(token theme.Token, text string) {
	m.status, m.saidAt = widget.Span{Token: token, Text: text}, m.clock()
}

// openForm opens a form.
func (m *model) openForm(f *form.Form) { m.form = f }

// forgetStatus removes the message, unless it was displayed a moment ago.
func (m *model) forgetStatus() {
	if m.clock().Sub(m.saidAt) >= readable {
		m.status = widget.Span{}
	}
}

// perform starts an act. One that is running already is not started again.
func (m *model) perform(wanted intent.Intent) tea.Cmd {
	name := actKey(wanted)
	if m.running[name] {
		m.keepPrompts(intent.ActsOf(wanted), true)
		m.setStatus(theme.Dim, "that is under way")
		return nil
	}
	cmd := m.act.Do(wanted)
	if cmd != nil && name != "" {
		m.running[name] = true
		cmd = performing(name, cmd)
	}
	m.showProgress(intent.ActsOf(wanted))
	return cmd
}

// performed is the answer of an act, whatever message it is.
type performed struct {
	key    string
	answer tea.Msg
}

// performing has the answer of an act end it.
func performing(key string, act tea.Cmd) tea.Cmd {
	return func() tea.Msg { return performed{key, act()} }
}

// showProgress displays the progress of acts that run, and forgets the marks and drafts that they were made from.
func (m *model) showProgress(acts []intent.Act) {
	m.keepPrompts(acts, false)
	doing := ""
	switch {
	case len(acts) > 1:
		doing = fmt.Sprintf("acting in %d sessions", len(acts))
	case len(acts) == 1:
		if doing = m.act.Doing(acts[0]); doing != "" {
			doing += " " + acts[0].About()
		}
	}
	if doing != "" {
		m.setStatus(theme.Dim, doing+m.world.Theme.Glyphs().Ellipsis)
	}
	if m.onMarked(acts) {
		m.choice.Marks.Clear()
	}
}

// onMarked reports whether acts are on all marked agents, and on no other.
func (m *model) onMarked(acts []intent.Act) bool {
	marked := m.choice.Marks.Among(m.world.Snapshot)
	at := 0
	for _, act := range acts {
		for _, target := range act.At {
			if !slices.ContainsFunc(marked, func(p *core.Pane) bool { return p.ID == target.Pane }) {
				return false
			}
			at++
		}
	}
	return at > 0 && at == len(marked)
}

// promptOf is the prompt that an act sends; empty for others.
func promptOf(act intent.Act) string {
	switch in := act.Input.(type) {
	case agents.SendIn:
		return in.Msg
	case agents.BroadcastIn:
		return in.Prompt
	case agents.QueueIn:
		return in.Msg
	}
	return ""
}

// keepPrompts keeps the prompts of acts as drafts, or forgets the drafts that they are sent from.
func (m *model) keepPrompts(acts []intent.Act, keep bool) {
	for _, act := range acts {
		text := promptOf(act)
		if text == "" {
			continue
		}
		if !keep {
			text = ""
		}
		if len(acts) == 1 && len(act.At) == 1 {
			m.drafts.keep(draftKey(m.world.Snapshot, act.At[0]), text)
		}
		switch {
		case m.onMarked(acts):
			m.drafts.keep(draftOfMarked, text)
		case len(acts) > 1 || len(act.At) > 1:
			m.drafts.keep(draftOfAll, text)
		}
	}
}

// attach attaches to a target, or else to the selection.
func (m *model) attach(w intent.Attach) tea.Cmd {
	if w.Target.Address == "" {
		w.Target = m.choice.Target(m.world.Snapshot)
	}
	if w.Target.Address == "" {
		m.setStatus(theme.Warn, nothing)
		return nil
	}
	return m.perform(w)
}

// replay plays what was recorded of the selected pane.
func (m *model) replay(w intent.Replay) tea.Cmd {
	pane := m.choice.Shown(m.world.Snapshot)
	if pane == nil {
		m.setStatus(theme.Warn, nothing)
		return nil
	}
	w.Pane = pane.Address()
	if session := m.world.Snapshot.Session(pane.Session); session != nil {
		w.Session = session.Created
	}
	return m.perform(w)
}

// edit opens a folder in the editor, by default that of the selection.
func (m *model) edit(w intent.Edit) tea.Cmd {
	w.Root = cmp.Or(w.Root, folder(m.choice, m.world.Snapshot))
	return m.perform(w)
}

// folder returns the folder of the selected pane, else of its session; empty if neither is known, or it is on another
// host.
func folder(choice *screen.Choice, snap *core.Snapshot) string {
	session, pane := choice.Chosen(snap)
	if session != nil && session.ID.Host() != "" {
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

// finish shows how an act ended, and returns what follows from that.
func (m *model) finish(msg effect.Done) tea.Cmd {
	delete(m.running, actKey(msg.Intent))
	if msg.Err == nil {
		return m.succeeded(msg)
	}
	m.fail(msg)
	return nil
}

// fail shows why an act failed.
func (m *model) fail(msg effect.Done) {
	text := msg.Said
	e := m.advise(msg.Err)
	if _, undoes := inputOfAct(msg.Intent).(checkpoints.UndoIn); undoes && e.HasCode(core.NotFound) {
		m.setStatus(theme.Dim, e.Message)
		return
	}
	if text == "" {
		text = e.Error()
		if e.Hint != "" {
			text += ". " + e.Hint
		}
		if e.HasCode(core.ToolNotFound) && len(e.Actions) > 0 {
			text += " " + e.Actions[0]
		}
	}
	if m.offerCollision(msg, text) {
		return
	}
	back, kept := m.refusals.failed(msg.Intent, text)
	if back != nil {
		m.form, m.status = back, widget.Span{}
		return
	}
	if kept {
		text += " (the form has it again)"
	}
	if m.returned(msg) && len(msg.Unsent) > 0 {
		text += "; s has the prompt again"
		if len(intent.ActsOf(msg.Intent)) > 1 || len(intent.ActsOf(msg.Intent)[0].At) > 1 {
			text += ", " + history.Entry.Key + " lists each"
		}
	}
	m.setStatus(theme.Danger, text)
}

// offerCollision offers to give a merge that collided to the agent in the worktree. It reports false if no merge did.
func (m *model) offerCollision(msg effect.Done, text string) bool {
	merge, is := inputOfAct(msg.Intent).(sessions.TreeMergeIn)
	collision := worktree.CollisionOf(msg.Err)
	if !is || collision == nil || m.form != nil {
		return false
	}
	pane := changes.AgentAt(m.world.Snapshot, merge.Name)
	if pane == nil {
		return false
	}
	m.setStatus(theme.Danger, text)
	return m.handle(intent.AskAgain{Target: screen.TargetOfPane(pane), Text: collision.Prompt()}) == nil
}

// succeeded shows what an act did, and lets be read again what may be another by now.
func (m *model) succeeded(msg effect.Done) tea.Cmd {
	m.refusals.succeeded(msg.Intent)
	m.world.Acts++
	if made, is := msg.Answer.(interface{ Began() string }); is && made.Began() != "" {
		switch shown := m.onTop().(type) {
		case interface{ Choose(id string) }:
			shown.Choose(made.Began())
		case *stories.Todo:
			m.open(intent.Open{Screen: "runs", ID: made.Began()})
		}
	}
	for _, act := range intent.ActsOf(msg.Intent) {
		in, answers := act.Input.(agents.AnswerIn)
		answers = answers && in.Allow == "" && in.Revoke == ""
		asked, _ := msg.Answer.(interface{ Open() bool })
		if answers && (asked == nil || !asked.Open()) && m.choice.Pane == act.At[0].Pane {
			m.choice.NextNeedsYou(m.world.Snapshot)
		}
	}
	m.sent(msg.Intent)
	return m.undos.done(msg)
}

// sent gives the open screens the prompts that were sent.
func (m *model) sent(wanted intent.Intent) {
	for _, act := range intent.ActsOf(wanted) {
		for _, one := range m.stack {
			if receiver, is := one.shown.(interface{ Sent(text string) }); is && promptOf(act) != "" {
				receiver.Sent(promptOf(act))
			}
		}
	}
}

// inputOfAct is the input of the verb of an act; nil for another intent.
func inputOfAct(wanted intent.Intent) any {
	act, _ := wanted.(intent.Act)
	return act.Input
}

// returned gives prompts that were not delivered back as drafts; it reports false if there are none.
func (m *model) returned(msg effect.Done) (some bool) {
	unsent := msg.Unsent
	for _, act := range intent.ActsOf(msg.Intent) {
		text := promptOf(act)
		if text == "" {
			continue
		}
		if len(unsent) == 0 {
			unsent = act.At
		}
		for _, target := range unsent {
			m.drafts.back(draftKey(m.world.Snapshot, target), text)
		}
		return true
	}
	return false
}
