// Package rules lists the rules that approve commands of agents by themselves.
package rules

import (
	"time"

	"cupola/core"
	"cupola/core/term/cells"
	"cupola/core/verb/agents"
	"cupola/theme"
	"cupola/tui/intent"
	"cupola/tui/layout"
	"cupola/tui/screen"
	"cupola/tui/widget"
)

// Entry registers it.
var Entry = screen.Entry{
	Name: "rules", Keys: []*intent.Scope{&keys}, Words: "approve allow always permission auto",
	Open: func(at *screen.Opening) (screen.Screen, string) {
		about := at.Choice.Target(at.World.Snapshot)
		if about.Address == "" {
			return nil, screen.NothingSelected
		}
		return New(about), ""
	},
}

var keys = intent.NewScope("Rules", []string{"n", "x", "o", "esc", "?"}, []intent.Binding{
	intent.Bind(intent.AskRule{}, "new", "make a rule", "n", "enter"),
	intent.Bind(intent.Dismiss{}, "end", "end the rule", "x"),
	intent.Bind(intent.GoTo{}, "agent", "go to its agent", "o"),
}, intent.Browse, intent.General).Opening(intent.OpensAll)

// rule is a rule of one agent.
type rule struct {
	core.Rule
	at intent.Target
}

// Screen is the list.
type Screen struct {
	about intent.Target
	list  screen.Listed[rule]
}

// New makes the list of the rules of a pane, or of all panes of a session.
func New(about intent.Target) *Screen { return &Screen{about: about} }

// Scope is the table of active keys.
func (s *Screen) Scope() *intent.Scope { return &keys }

// acts are the acts on the selected rule, by their keys.
var acts = map[intent.Intent]func(*rule) intent.Intent{
	intent.Dismiss{}: func(r *rule) intent.Intent {
		return intent.Act{Input: agents.AnswerIn{Revoke: r.ID}, At: []intent.Target{r.at}}
	},
	intent.GoTo{}: func(r *rule) intent.Intent { return intent.GoTo{Pane: r.at.Pane, Session: r.at.Session} },
}

// Handle moves the selection, and returns the act on the selected rule.
func (s *Screen) Handle(wanted intent.Intent) intent.Intent {
	if wanted == (intent.AskRule{}) {
		return intent.AskRule{Target: s.about}
	}
	do, one := acts[wanted], s.list.Selected()
	switch {
	case do == nil:
		return s.list.Handle(wanted)
	case one == nil:
		return intent.Refuse{Why: "there is no rule"}
	}
	return do(one)
}

// gather collects the rules that hold, and finds the selected one again.
func (s *Screen) gather(w *screen.World) {
	var rules []rule
	if w.Snapshot == nil {
		return
	}
	for _, pane := range w.Snapshot.Panes() {
		if s.about.Pane != "" && pane.ID != s.about.Pane || pane.Session != s.about.Session {
			continue
		}
		for _, one := range pane.Agent.LiveRules(w.Now) {
			rules = append(rules, rule{one, screen.TargetOfPane(pane)})
		}
	}
	s.list.Take(rules, func(r *rule) string { return r.ID })
}

// endOf is the time of the day at which a rule ends, with the day if it is another one.
func endOf(until, now time.Time) string {
	until = until.In(now.Location())
	if until.YearDay() != now.YearDay() {
		return until.Format("Mon 15:04")
	}
	return until.Format("15:04")
}

// View draws two lines per rule: its command with how often it was used and until when it holds, and its last use.
func (s *Screen) View(w *screen.World, r layout.Rect, zones *layout.Zones) []string {
	s.gather(w)
	head, body := r.Top(1)
	lines := widget.Bar(w.Theme, head, widget.Styled(theme.Header, "  Rules of "+s.about.Address),
		widget.Styled(theme.Dim, screen.Count(len(s.list.Rows), "rule")))
	rows := widget.Rows{Empty: "no rule: you approve everything yourself; n makes one"}
	for i := range s.list.Rows {
		one := &s.list.Rows[i]
		var left widget.Line
		if s.about.Pane == "" {
			left = widget.Styled(theme.Dim, one.at.Address+"  ")
		}
		under := widget.Styled(theme.Dim, "not used yet")
		if !one.UsedAt.IsZero() {
			under = widget.Styled(theme.Dim, "used "+w.Age(one.UsedAt)+" ago: "+cells.Clean(one.Ran))
		}
		rows.Left = append(rows.Left, append(left, widget.Span{Token: theme.Strong, Text: cells.Clean(one.Allow)}))
		rows.Right = append(rows.Right,
			widget.Styled(theme.Warn, " "+one.Words()+", until "+endOf(one.Until, w.Now)))
		rows.Under = append(rows.Under, under)
	}
	return append(lines, s.list.Draw(w, body, rows, zones)...)
}
