package observe

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"cupola/core"
)

// Diff returns the events that lead from one snapshot to another, in a fixed order: the
// engine, what closed, what was renamed or created, then the changes of each pane. They
// have the time at and no revision.
//
// Sessions and panes are matched by id, and only if both snapshots are of the same server.
// Changes of sizes, cursors, folders, attached clients, alerts, and of a spinner in a title
// make no event. A nil snapshot means that no server runs.
func Diff(before, after *core.Snapshot, at time.Time) []core.Event {
	d := &differ{at: at, before: listed(before), after: listed(after)}
	d.engine()
	d.closings()
	d.sessions()
	for _, now := range d.after.panes {
		if was := d.before.pane[now.pane.ID]; was != nil && samePane(was, now) {
			d.changes(was, now)
		} else {
			d.opened(now)
		}
	}
	return d.events
}

type differ struct {
	at            time.Time
	before, after inventory
	events        []core.Event
}

// inventory indexes a snapshot by id.
type inventory struct {
	up     bool
	silent bool
	// why is why it is silent, behind a colon.
	why      string
	sessions []*core.Session
	session  map[core.SessionID]*core.Session
	panes    []*located
	pane     map[core.PaneID]*located
}

// located is a pane with its session.
type located struct {
	session *core.Session
	pane    *core.Pane
}

func listed(s *core.Snapshot) inventory {
	inv := inventory{session: map[core.SessionID]*core.Session{}, pane: map[core.PaneID]*located{}}
	if s == nil {
		return inv
	}
	if inv.up, inv.silent = s.EngineUp, !s.SilentSince.IsZero(); s.SilentWhy != "" {
		inv.why = ": " + s.SilentWhy
	}
	for i := range s.Sessions {
		session := &s.Sessions[i]
		inv.sessions = append(inv.sessions, session)
		inv.session[session.ID] = session
		for j := range session.Panes {
			at := &located{session: session, pane: &session.Panes[j]}
			inv.panes = append(inv.panes, at)
			inv.pane[at.pane.ID] = at
		}
	}
	return inv
}

// engine reports whether the server started or stopped. A server restarted between two snapshots shows by an
// id that names another session.
func (d *differ) engine() {
	replaced := false
	for _, now := range d.after.sessions {
		if was := d.before.session[now.ID]; was != nil && !was.Created.Equal(now.Created) {
			replaced = true
		}
	}
	switch {
	case replaced:
		d.add(core.Event{Type: core.EngineLost, Message: "another server took its place"})
		after := d.after
		d.after = listed(nil)
		d.closings()
		d.before, d.after = d.after, after
		d.add(core.Event{Type: core.EngineBack})
	case d.before.up && !d.after.up:
		d.add(core.Event{Type: core.EngineLost})
	case !d.before.up && d.after.up:
		d.add(core.Event{Type: core.EngineBack})
	case d.after.silent && !d.before.silent:
		d.add(core.Event{
			Type:    core.EngineSilent,
			Message: "the terminal server is not answering; what it shows is not known" + d.after.why,
		})
	case d.before.silent && !d.after.silent:
		d.add(core.Event{Type: core.EngineAnswered, Message: "the terminal server answers again"})
	}
}

// closings reports what no longer exists: session by session its panes, then itself.
func (d *differ) closings() {
	for _, session := range d.before.sessions {
		for i := range session.Panes {
			was := &located{session, &session.Panes[i]}
			if now := d.after.pane[was.pane.ID]; now == nil || !samePane(was, now) {
				d.addPane(core.PaneClosed, was.pane).From = was.pane.Process.Dir
			}
		}
		if d.after.session[session.ID] == nil {
			d.add(core.Event{Type: core.SessionClosed, Session: session.Name, From: session.Dir})
		}
	}
}

func (d *differ) sessions() {
	for _, now := range d.after.sessions {
		if was := d.before.session[now.ID]; was != nil && was.Name != now.Name {
			d.add(core.Event{Type: core.SessionRenamed, Session: now.Name, From: was.Name, To: now.Name})
		}
	}
	for _, now := range d.after.sessions {
		if d.before.session[now.ID] == nil {
			d.add(core.Event{Type: core.SessionCreated, Session: now.Name})
		}
	}
}

// samePane reports whether two panes of one id are the same. Where neither the
// session nor the process stayed, they belong to two servers.
func samePane(was, now *located) bool {
	if was.session.ID == now.session.ID {
		return true
	}
	a, b := was.pane.Process.PID, now.pane.Process.PID
	return a == b || a == 0 || b == 0
}

func (d *differ) opened(now *located) {
	e := d.addPane(core.PaneOpened, now.pane)
	e.To, e.Reason = string(now.pane.Status.State), now.pane.Status.Reason
	if !now.pane.IsUser() {
		d.found(now.pane, "")
	}
}

func (d *differ) changes(was, now *located) {
	if was.session.ID != now.session.ID || was.pane.Window.ID != now.pane.Window.ID ||
		was.pane.Ordinal != now.pane.Ordinal {
		e := d.addPane(core.PaneMoved, now.pane)
		e.From, e.To = was.pane.Address(), now.pane.Address()
		if was.pane.Window.ID != now.pane.Window.ID {
			e.Message = fmt.Sprintf("from window %s to window %s", was.pane.Window.ID, now.pane.Window.ID)
		}
	}
	if was.pane.Title != now.pane.Title {
		d.retitled(was.pane, now.pane)
	}
	if was.pane.Agent.Label != now.pane.Agent.Label && !was.pane.IsUser() && !now.pane.IsUser() {
		e := d.addPane(core.PaneLabelled, now.pane)
		e.From, e.To = was.pane.Agent.Label, now.pane.Agent.Label
	}
	d.ruled(was.pane, now.pane)
	d.heard(was.pane, now.pane)
	d.agent(was.pane, now.pane)
}

// ruled reports commands that rules approved.
func (d *differ) ruled(was, now *core.Pane) {
	for i := range now.Agent.Rules {
		rule := &now.Agent.Rules[i]
		before := slices.IndexFunc(was.Agent.Rules, func(r core.Rule) bool { return r.ID == rule.ID })
		if rule.Uses > 0 && (before < 0 || was.Agent.Rules[before].Uses < rule.Uses) {
			d.addPane(core.RuleApplied, now).Message = rule.Ran + " (rule " + rule.Allow + ", " + rule.Words() + ")"
		}
	}
}

// heard reports what a program said beside its screen. Of progress it reports the steps that matter to a user.
func (d *differ) heard(was, now *core.Pane) {
	if now.Heard.NotifiedAt.After(was.Heard.NotifiedAt) {
		d.addPane(core.AgentNotified, now).Message = now.Heard.Notification
	}
	if now.Heard.BellAt.After(was.Heard.BellAt) {
		d.addPane(core.BellRang, now)
	}
	if from, to := step(was.Heard.Progress), step(now.Heard.Progress); from != to {
		e := d.addPane(core.ProgressShown, now)
		e.From, e.To = was.Heard.Progress, now.Heard.Progress
	}
}

// step is a progress in steps of a quarter.
func step(progress string) string {
	percent, is := strings.CutSuffix(progress, "%")
	n, err := strconv.Atoi(percent)
	if !is || err != nil {
		return progress
	}
	const quarter = 25
	return strconv.Itoa(n / quarter)
}

func (d *differ) retitled(was, now *core.Pane) {
	if from, to := core.BareTitle(was.Title), core.BareTitle(now.Title); from != to {
		e := d.addPane(core.PaneRetitled, now)
		e.From, e.To = from, to
	}
}

// agent reports changes of the program in a pane and of its state. A newly found agent is reported with its
// state.
func (d *differ) agent(was, now *core.Pane) {
	switch {
	case !was.IsUser() && now.IsUser():
		e := d.addPane(core.StateChanged, now)
		e.Agent, e.Kind = was.Agent.Name, was.Agent.Kind
		e.From, e.To = string(was.Status.State), string(core.Exited)
		e.Message = "the pane holds no agent any more"
		return
	case was.Agent.Kind != now.Agent.Kind:
		d.found(now, "")
		return
	case was.Agent.Name != now.Agent.Name:
		d.found(now, "its name was "+was.Agent.Name)
		return
	}
	// Commands of a shell come and go; they are not reported as states.
	ends := was.Status.State == core.Exited || now.Status.State == core.Exited
	if was.Status.Same(now.Status) || now.IsUser() && !ends || lookedAt(was.Status, now.Status) {
		return
	}
	e := d.addPane(core.StateChanged, now)
	e.From, e.To, e.Reason = string(was.Status.State), string(now.Status.State), now.Status.Reason
	e.Message = describe(now.Status)
}

// lookedAt reports whether nothing but the note of a finished turn has gone.
func lookedAt(was, now core.Status) bool {
	if was.Shown() != core.Done || now.Shown() == core.Done {
		return false
	}
	was.Notes = slices.DeleteFunc(slices.Clone(was.Notes), func(note core.Note) bool { return note == core.NoteDone })
	return was.Same(now)
}

// describe returns the subject of an agent's question, and its notes; empty without either.
func describe(s core.Status) string {
	var parts []string
	if s.Asks != "" {
		parts = append(parts, "asks: "+s.Asks)
	}
	if len(s.Notes) > 0 {
		parts = append(parts, "notes: "+core.Join(s.Notes, ", "))
	}
	return strings.Join(parts, "; ")
}

func (d *differ) found(pane *core.Pane, message string) {
	e := d.addPane(core.AgentFound, pane)
	e.To, e.Reason, e.Message = string(pane.Status.State), pane.Status.Reason, message
}

func (d *differ) addPane(what core.EventType, pane *core.Pane) *core.Event {
	return d.add(core.Event{
		Type: what, Session: pane.Session, Pane: pane.Address(), PaneID: pane.ID,
		Agent: pane.Agent.Name, Kind: pane.Agent.Kind,
	})
}

// add returns the event to be filled in; it moves with the next one.
func (d *differ) add(e core.Event) *core.Event {
	e.At = d.at
	d.events = append(d.events, e)
	return &d.events[len(d.events)-1]
}
