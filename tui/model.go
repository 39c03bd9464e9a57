package tui

import (
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"cupola/core"
	"cupola/theme"
	"cupola/tui/effect"
	"cupola/tui/intent"
	"cupola/tui/layout"
	"cupola/tui/screen"
	"cupola/tui/screen/form"
	"cupola/tui/screen/tree"
	"cupola/tui/terminal"
	"cupola/tui/widget"
)

// actor carries out what the model decides; *effect.Effects implements it.
type actor interface {
	Next() tea.Msg
	Look(panes []core.PaneID)
	Tick(every time.Duration) tea.Cmd
	Do(wanted intent.Intent) tea.Cmd
	// Doing names the running action of an act, before the words for its target.
	Doing(act intent.Act) string
}

// model is the root.
type model struct {
	act actor
	// measure returns the size of the display; nil if it has none.
	measure tea.Cmd
	world   screen.World
	choice  *screen.Choice
	// stack are the open screens; the last one has the keys.
	stack []opened
	// filters has the filters of closed screens.
	filters map[intent.Screen]string
	form    *form.Form
	drafts  drafts
	// running are the acts that have not ended.
	running map[string]bool
	dir     string
	// ownPane is the dashboard's own, which is not shown.
	ownPane core.PaneID
	// body was the rectangle of screens in the last frame, size is the whole display.
	body, size layout.Rect
	zones      layout.Zones
	// status is shown in the footer; its token is Danger if something went wrong.
	status widget.Span
	// saidAt is when it was shown, by clock.
	saidAt time.Time
	// fading is saidAt of the last message that goes by itself.
	fading     time.Time
	clock      func() time.Time
	serverLost bool // a server was there and is gone
	seconds    seconds
	visible    []core.PaneID
	// refusals are forms that come back.
	refusals refusals
	failed   error
	shown    terminal.Frame
	advise   func(error) *core.Error

	// These have a task of their own each.
	clicks  mouse
	forms   *formsPart
	palette palette
	typing  *typingPart
	undos   *undoPart
	own     *ownPart
	looks   *looksPart
	reads   reads
	looking looking
	news    news
	// routes carry out what the root does itself.
	routes []route
}

func newModel(act actor, t *theme.Theme, dir string, now time.Time) *model {
	m := &model{
		act: act, choice: &screen.Choice{}, drafts: newDrafts(), refusals: newRefusals(),
		running: map[string]bool{}, dir: dir, advise: core.AsError, clock: time.Now,
	}
	m.world = screen.World{
		Screens: map[core.PaneID]core.Screen{}, Composers: map[core.PaneID]int{},
		Now: now, Theme: t, Keys: Keys().Keymap(), Cache: widget.NewCache(),
	}
	m.filters = map[intent.Screen]string{}
	m.stack = []opened{{tree.New(m.choice), &tree.Entry}}
	m.forms = &formsPart{model: m}
	m.typing, m.undos, m.own = &typingPart{root: m, act: act}, &undoPart{root: m}, &ownPart{root: m}
	m.looks = &looksPart{root: m, act: act, shown: &m.world.Theme}
	m.routes = routesOf(m)
	return m
}

// Init returns the first commands.
func (m *model) Init() tea.Cmd {
	return tea.Batch(m.measure, m.act.Next, m.act.Tick(time.Minute), m.ask())
}

// Update handles one message.
func (m *model) Update(msg tea.Msg) tea.Cmd {
	var cmd tea.Cmd
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.size = layout.Rect{W: msg.Width, H: msg.Height}
	case tea.KeyMsg:
		cmd = m.handleKeys(msg)
	case tea.MouseMsg:
		cmd = m.click(msg)
	case effect.Framed:
		m.apply(msg)
		m.forms.closeQuestion()
		cmd = m.act.Next
	case effect.Questioned:
		if !takeQuestion(m, msg) {
			m.forms.openQuestion(msg)
		}
	case effect.CommandOutput:
		m.takeOutput(msg)
	case effect.OwnOutput:
		cmd = m.own.take(msg)
	case effect.Answered:
		m.reads.take(&m.world, msg, m.advise)
	case effect.CheckpointsListed:
		m.forms.askRestore(msg)
	case effect.RunPlanned:
		m.forms.openPlan(&msg)
	case effect.BackendsFound:
		m.forms.askRelay(msg)
	case effect.Handover:
		m.world.Acts++
		cmd = msg.Exec()
	case effect.Done:
		cmd = m.finish(msg)
		if msg.Lent { // its size may have changed
			cmd = m.measure
		}
	case clickExpired:
		m.clicks.expire(msg)
	case effect.Ticked:
		m.world.Now = msg.Now
		if msg.Every == time.Second {
			m.seconds.counting = false
		} else {
			cmd = m.act.Tick(msg.Every)
		}
	case performed:
		if _, lent := msg.answer.(effect.Handover); !lent {
			delete(m.running, msg.key)
		}
		return m.Update(msg.answer)
	case faded:
		if msg.saidAt.Equal(m.saidAt) {
			m.status = widget.Span{}
		}
	case lookedFor:
		cmd = m.looking.looked(m, msg)
	case concerned:
		if msg != "" {
			m.setStatus(theme.Warn, string(msg))
		}
	case effect.Ended:
		m.failed, cmd = msg.Err, tea.Quit
	}
	for _, more := range []tea.Cmd{m.ask(), readInbox(m), m.seconds.count(&m.world, m.act), m.fade()} {
		if more != nil {
			cmd = tea.Batch(cmd, more)
		}
	}
	drawFrame(m)
	if look := m.looking.follow(m); look != nil {
		cmd = tea.Batch(cmd, look)
	}
	return cmd
}

// ask asks what the display shows and is not known: lists that are watched always, and what the screen on top wants.
func (m *model) ask() tea.Cmd {
	lists := []screen.Want{m.world.WantWork()}
	for _, entry := range entries {
		lists = append(lists, entry.Lists...)
	}
	var top []screen.Want
	if shown, open := m.onTop().(wanting); open {
		top = shown.Wants(&m.world)
	}
	return m.reads.ask(&m.world, m.act, lists, top)
}

// apply stores a frame in the world and drops the screens of closed panes.
func (m *model) apply(msg effect.Framed) {
	frame := msg.Frame
	for i := range frame.Events {
		if frame.Events[i].Type == core.PaneClosed {
			delete(m.world.Screens, frame.Events[i].PaneID)
			delete(m.world.Composers, frame.Events[i].PaneID)
		}
		if e := &frame.Events[i]; e.Type == core.RuleApplied {
			m.setStatus(theme.Warn, e.Pane+": approved without you: "+e.Message)
		}
		if at := frame.Events[i].At; frame.Events[i].Type == core.EngineSilent && at.After(m.world.Now) {
			m.world.Now = at
		}
	}
	if frame.Snapshot != nil {
		if m.ownPane != "" {
			frame.Snapshot = frame.Snapshot.Without(m.ownPane)
		}
		m.serverLost = !frame.Snapshot.EngineUp &&
			(m.serverLost || m.world.Snapshot != nil && m.world.Snapshot.EngineUp)
		m.world.Snapshot = frame.Snapshot
		if frame.Snapshot.Taken.After(m.world.Now) {
			m.world.Now = frame.Snapshot.Taken
		}
		if m.world.Theme.Accessible() {
			m.news.take(&m.world)
		}
		for id := range m.world.Screens {
			if frame.Snapshot.Pane(id) == nil {
				delete(m.world.Screens, id)
				delete(m.world.Composers, id)
			}
		}
	}
	for id, rows := range msg.Composers {
		m.world.Composers[id] = rows
	}
	for id, seen := range frame.Screens {
		if m.world.Snapshot != nil && m.world.Snapshot.Pane(id) != nil {
			m.world.Screens[id] = seen
		}
	}
}
