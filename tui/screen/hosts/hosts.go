// Package hosts lists this machine and the other ones: how each is, and what runs there.
package hosts

import (
	"cmp"
	"fmt"
	"strings"

	"cupola/core"
	"cupola/core/host"
	"cupola/core/term/cells"
	"cupola/theme"
	"cupola/tui/intent"
	"cupola/tui/layout"
	"cupola/tui/screen"
	"cupola/tui/widget"
)

// Question asks how this machine and the other ones are.
type Question struct{}

// Hosts are this machine, which is the first, and the other ones.
type Hosts struct{ List []Host }

// Host is a machine, and how it is.
type Host struct {
	// Name is empty for this machine.
	Name  string
	State host.State
	// Reason says why it cannot be asked, By how it is reached.
	Reason, By string
	// RoundTrip is how long it took to reach it, in milliseconds; below 0 if that is not known.
	RoundTrip float64
	Version   string
	Hostname  string
	Agents    int
	Needs     int
	Machine   host.Machine
}

// machines are the hosts as they were read.
var machines = &screen.Slot[Hosts]{}

// Screen is the list with what is known of the selected host.
type Screen struct {
	list screen.Listed[Host]
	// first is the first session of the selected host; empty if it has none.
	first string
}

// New makes the screen.
func New() *Screen { return &Screen{} }

// Entry registers it.
var Entry = screen.Entry{
	Name: "hosts", Key: "f7", Does: "hosts: this machine and the other ones", Alone: true,
	Words: "machines remote ssh",
	Keys:  []*intent.Scope{&intent.Hosts}, Open: screen.Always(New),
}

// Scope is the table of active keys.
func (s *Screen) Scope() *intent.Scope { return &intent.Hosts }

// Wants asks for the hosts.
func (s *Screen) Wants(w *screen.World) []screen.Want {
	return []screen.Want{{Slot: machines, Question: Question{}, Version: w.Moment()}}
}

// Handle moves, and says which host is meant.
func (s *Screen) Handle(wanted intent.Intent) intent.Intent {
	switch w := wanted.(type) {
	case intent.OnHost:
		return s.on(w.Line)
	case intent.GoTo:
		if s.first == "" {
			return intent.Refuse{Why: "no session runs there"}
		}
		return intent.GoTo{Session: s.first}
	}
	return s.list.Handle(wanted)
}

// Applies reports whether an intent is for the selected host.
func (s *Screen) Applies(wanted intent.Intent) bool {
	switch w := wanted.(type) {
	case intent.OnHost:
		return screen.Acts(s.on(w.Line))
	case intent.GoTo:
		return s.first != ""
	}
	return true
}

// on completes a command with the selected host, and offers it: one that ends with a slash asks for more.
func (s *Screen) on(line string) intent.Intent {
	one := s.list.Selected()
	switch {
	case one == nil:
		return intent.Refuse{Why: "no host is selected"}
	case one.Name == "":
		return intent.Refuse{Why: "that is for other hosts; this is the machine you are on"}
	}
	if strings.HasPrefix(line, toggled) && one.State == host.Disabled {
		line = strings.Replace(line, toggled, "hosts-enable", 1)
	}
	line = strings.ReplaceAll(line, "HOST", one.Name)
	if strings.HasSuffix(line, "/") {
		return intent.AskCommand{Line: line}
	}
	return intent.RunCommand{Line: line}
}

// toggled is the command that becomes its opposite for a host that is disabled.
const toggled = "hosts-disable"

// gather lists the hosts, and finds the selected one again.
func (s *Screen) gather(w *screen.World) {
	s.list.Take(machines.In(w).Value.List, func(one *Host) string { return one.Name })
}

// sessions returns the sessions of a host in the snapshot.
func sessions(w *screen.World, name string) []*core.Session {
	if w.Snapshot == nil {
		return nil
	}
	var own []*core.Session
	for i := range w.Snapshot.Sessions {
		if session := &w.Snapshot.Sessions[i]; session.ID.Host() == name {
			own = append(own, session)
		}
	}
	return own
}

// View draws the list, and the selected host beside or below it.
func (s *Screen) View(w *screen.World, r layout.Rect, zones *layout.Zones) []string {
	s.gather(w)
	head, body := r.Top(1)
	up := 0
	for i := range s.list.Rows {
		if answers(s.list.Rows[i].State) {
			up++
		}
	}
	var right widget.Line
	if len(s.list.Rows) > 0 {
		right = widget.Styled(theme.Dim, fmt.Sprintf("%d of %d answer ", up, len(s.list.Rows)))
	}
	lines := widget.Bar(w.Theme, head, widget.Styled(theme.Header, "  Hosts"), right)
	if unread := screen.Unread(w, body, machines.In(w)); unread != nil {
		return append(lines, unread...)
	}
	return append(lines, screen.Split(w, body, len(s.list.Rows)+1,
		func(r layout.Rect) []string { return s.table(w, r, zones) },
		func(r layout.Rect) []string { return s.detail(w, r) })...)
}

// answers reports whether a host in a state does.
func answers(state host.State) bool { return state == host.Up || state == host.Slow }

// token is how a state looks.
func token(state host.State) theme.Token {
	switch state {
	case host.Up:
		return theme.Good
	case host.Slow:
		return theme.Warn
	case host.Disabled, "":
		return theme.Dim
	}
	return theme.Danger
}

// The widths of columns, and from which width of the list there is room for each.
const (
	nameWidth, stateWidth  = 18, 9
	countWidth, loadWidth  = 8, 9
	roomForCounts, forLoad = 48, 58
	spaceWidth, forSpace   = 9, 76
)

// columns are the figures of a row for a width: titles if one is nil.
func columns(one *Host, width int) string {
	var b strings.Builder
	add := func(from, wide int, title, text string) {
		if width < from {
			return
		}
		if one == nil {
			text = title
		}
		fmt.Fprintf(&b, "%*s", wide, text)
	}
	figures := Host{}
	if one != nil {
		figures = *one
	}
	add(0, countWidth, "agents", figure(figures.Agents, answers(figures.State)))
	add(roomForCounts, countWidth+2, "need you", figure(figures.Needs, answers(figures.State)))
	add(forLoad, loadWidth, "load", load(&figures.Machine))
	add(forSpace, spaceWidth, "memory", gigabytes(figures.Machine.MemoryFree))
	add(forSpace, spaceWidth, "disk", gigabytes(figures.Machine.DiskFree))
	return b.String() + " "
}

func figure(n int, known bool) string {
	if !known {
		return "-"
	}
	return fmt.Sprint(n)
}

// load is how much there is to do for how many cores.
func load(m *host.Machine) string {
	if m.Cores == 0 || m.Load < 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f/%d", m.Load, m.Cores)
}

func gigabytes(bytes uint64) string {
	if bytes == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1fG", float64(bytes)/(1<<30))
}

// called is the name of a host.
func called(one *Host) string { return cmp.Or(one.Name, "this machine") }

func (s *Screen) table(w *screen.World, r layout.Rect, zones *layout.Zones) []string {
	head, body := r.Top(1)
	lines := widget.Bar(w.Theme, head, widget.Styled(theme.Dim, "  "+widget.Fit(w.Theme, "host", nameWidth)+"state"),
		widget.Styled(theme.Dim, columns(nil, r.W)))
	var rows widget.Rows
	for i := range s.list.Rows {
		one := &s.list.Rows[i]
		rows.Left = append(rows.Left, widget.Line{
			{Token: theme.Strong, Text: widget.Fit(w.Theme, cells.Clean(called(one)), nameWidth)},
			{Token: token(one.State), Text: widget.Fit(w.Theme, string(one.State), stateWidth)},
		})
		rows.Right = append(rows.Right, widget.Styled(theme.Text, columns(one, r.W)))
	}
	return append(lines, s.list.Draw(w, body, rows, zones)...)
}

// tally counts the agents of a session by their states.
func tally(session *core.Session) string {
	agents := session.Agents()
	by := map[core.State]int{}
	for _, pane := range agents {
		by[pane.Status.State]++
	}
	parts := []string{screen.Count(len(agents), "agent")}
	for _, state := range core.States {
		if by[state] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", by[state], state))
		}
	}
	return strings.Join(parts, ", ")
}

// detail draws what is known of the selected host, and its sessions.
func (s *Screen) detail(w *screen.World, r layout.Rect) []string {
	one := s.list.Selected()
	width := max(1, r.W-2)
	rows := []widget.Line{{
		{Token: theme.Header, Text: cells.Clean(called(one)) + " "}, {Token: token(one.State), Text: string(one.State)},
	}}
	fact := func(label, text string) { rows = append(rows, screen.Fact(label, cells.Clean(text), width)...) }
	if one.Reason != "" {
		rows = append(rows, screen.Paragraph(token(one.State), cells.Clean(one.Reason), width)...)
	}
	fact("reached by", one.By)
	if one.RoundTrip >= 0 && one.Name != "" {
		fact("link", fmt.Sprintf("%.0f ms", one.RoundTrip))
	}
	fact("machine", one.Hostname)
	fact("Cupola", one.Version)
	if m := &one.Machine; m.Cores > 0 {
		fact("load", load(m)+" cores")
		fact("free", gigabytes(m.MemoryFree)+" memory, "+gigabytes(m.DiskFree)+" disk")
	}
	own := sessions(w, one.Name)
	s.first = ""
	rows = append(rows, nil, widget.Styled(theme.Dim, screen.Count(len(own), "session")))
	for _, session := range own {
		if s.first == "" {
			s.first = session.Name
		}
		rows = append(rows, widget.Line{
			{Token: theme.Strong, Text: cells.Clean(session.Name)}, {Token: theme.Dim, Text: "  " + tally(session)},
		})
	}
	return widget.Block(r, widget.List(w.Theme, r, widget.Rows{Selected: -1, Left: rows}))
}
