// Package queue lists the prompts that wait until their agents are idle, in the order in which they are delivered.
package queue

import (
	"fmt"

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
	Name: "queue", Keys: []*intent.Scope{&keys}, Words: "queued pending prompts later waiting",
	Open: func(at *screen.Opening) (screen.Screen, string) {
		about := intent.Target{}
		if at.Selected {
			if about = at.Choice.Target(at.World.Snapshot); about.Address == "" {
				return nil, screen.NothingSelected
			}
		}
		return New(about), ""
	},
}

var keys = intent.NewScope("Queue", []string{"enter", "n", "J", "K", "x", "o", "esc", "?"}, []intent.Binding{
	intent.Bind(intent.Edit{}, "edit", "change its text, or send it once more", "enter", "e", " "),
	intent.Bind(intent.AskQueue{}, "add", "queue another prompt", "n"),
	intent.Bind(intent.Shift{By: 1}, "later", "deliver it after the next one", "J"),
	intent.Bind(intent.Shift{By: -1}, "sooner", "deliver it before the one above", "K"),
	intent.Bind(intent.Dismiss{}, "drop", "drop it; u queues it again", "x"),
	intent.Bind(intent.GoTo{}, "agent", "go to its agent", "o"),
}, intent.Browse, intent.General).Opening(intent.OpensAll)

// Question asks which prompts wait for a pane or session, or for all agents.
type Question struct{ About intent.Target }

// read is the queue as it was read last.
var read = &screen.Slot[agents.QueueOut]{}

// Screen is the list.
type Screen struct {
	about intent.Target
	list  screen.Listed[core.QueuedPrompt]
}

// New makes the list of the prompts that wait for a pane or session; for all agents if it names none.
func New(about intent.Target) *Screen { return &Screen{about: about} }

// Scope is the table of active keys.
func (s *Screen) Scope() *intent.Scope { return &keys }

// Wants asks for the prompts.
func (s *Screen) Wants(w *screen.World) []screen.Want {
	return []screen.Want{{Slot: read, Question: Question{s.about}, Version: w.Moment()}}
}

// acts are the acts on the selected prompt, by their keys.
var acts = map[intent.Intent]func(s *Screen, one *core.QueuedPrompt) intent.Intent{
	intent.Edit{}: func(_ *Screen, one *core.QueuedPrompt) intent.Intent {
		if one.Outcome == core.Open {
			return intent.Refuse{Why: "it is being delivered"}
		}
		return intent.AskQueue{Target: targetOf(one), ID: one.ID, Text: one.Text}
	},
	intent.Shift{By: 1}:  func(s *Screen, one *core.QueuedPrompt) intent.Intent { return s.move(one, 1) },
	intent.Shift{By: -1}: func(s *Screen, one *core.QueuedPrompt) intent.Intent { return s.move(one, -1) },
	intent.Dismiss{}: func(_ *Screen, one *core.QueuedPrompt) intent.Intent {
		return act(one, agents.QueueIn{Drop: one.ID})
	},
	intent.GoTo{}: func(_ *Screen, one *core.QueuedPrompt) intent.Intent {
		if one.Gone {
			return intent.Refuse{Why: one.Address() + " is gone"}
		}
		return intent.GoTo{Pane: one.Pane, Session: one.Session}
	},
}

// Handle moves the selection, and returns the act on the selected prompt.
func (s *Screen) Handle(wanted intent.Intent) intent.Intent {
	if wanted == (intent.AskQueue{}) {
		return s.add()
	}
	do, one := acts[wanted], s.list.Selected()
	switch {
	case do == nil:
		return s.list.Handle(wanted)
	case one == nil:
		return intent.Refuse{Why: "no prompt waits"}
	}
	return do(s, one)
}

// Applies reports whether an act on the selected prompt is possible.
func (s *Screen) Applies(wanted intent.Intent) bool {
	do, one := acts[wanted], s.list.Selected()
	return do == nil || one != nil && screen.Acts(do(s, one))
}

// add asks for another prompt, for the agent of the list or else of the selected prompt.
func (s *Screen) add() intent.Intent {
	target := s.about
	if one := s.list.Selected(); target.Address == "" && one != nil {
		target = targetOf(one)
	}
	return intent.AskQueue{Target: target}
}

// move moves a prompt among those of its agent.
func (s *Screen) move(one *core.QueuedPrompt, by int) intent.Intent {
	last := 0
	for i := range s.list.Rows {
		if p := &s.list.Rows[i]; p.Pane == one.Pane && p.Session == one.Session {
			last = p.Position
		}
	}
	switch at := one.Position + by; {
	case at < 1:
		return intent.Refuse{Why: "it is the next one already"}
	case at > last:
		return intent.Refuse{Why: "it is the last one already"}
	default:
		return act(one, agents.QueueIn{Move: one.ID, At: at})
	}
}

func targetOf(one *core.QueuedPrompt) intent.Target {
	return intent.Target{Session: one.Session, Pane: one.Pane, Address: one.Address()}
}

// act is a verb's input about a prompt, at its agent if that is there.
func act(one *core.QueuedPrompt, in agents.QueueIn) intent.Intent {
	made := intent.Act{Input: in, What: one.Address()}
	if !one.Gone {
		made.At = []intent.Target{targetOf(one)}
	}
	return made
}

// gather takes the rows of an answer, and finds the selected one again.
func (s *Screen) gather(answer *agents.QueueOut) {
	prompts := core.Map(answer.Queue, func(q agents.QueueRow) core.QueuedPrompt { return q.QueuedPrompt })
	s.list.Take(prompts, func(p *core.QueuedPrompt) string { return p.ID })
}

// View draws a row for each prompt, and below them the text of the selected one.
func (s *Screen) View(w *screen.World, r layout.Rect, zones *layout.Zones) []string {
	got := read.In(w)
	if got.Question == any(Question{s.about}) {
		s.gather(&got.Value)
	}
	prompts := s.list.Rows
	head, body := r.Top(1)
	title := "  Queue"
	if s.about.Address != "" {
		title += " of " + s.about.Address
	}
	lines := widget.Bar(w.Theme, head, widget.Styled(theme.Header, title),
		widget.Styled(theme.Dim, screen.Count(len(prompts), "prompt")))
	if unread := screen.Unread(w, body, got); unread != nil {
		return append(lines, unread...)
	}
	rows := widget.Rows{Empty: "no prompt waits; n queues one, which is delivered once its agent is idle"}
	several := s.about.Pane == ""
	for i := range prompts {
		several = several || prompts[i].Address() != prompts[0].Address()
	}
	for i := range prompts {
		left, right := row(w, &prompts[i], several)
		rows.Left, rows.Right = append(rows.Left, left), append(rows.Right, right)
	}
	if len(prompts) == 0 {
		return append(lines, widget.List(w.Theme, body, rows)...)
	}
	return append(lines, screen.Split(w, body, len(prompts),
		func(r layout.Rect) []string { return s.list.Draw(w, r, rows, zones) },
		func(r layout.Rect) []string { return s.text(w, r) })...)
}

// row draws a prompt: its agent if addressed, its position, its first line, how far it is and since when it waits.
func row(w *screen.World, one *core.QueuedPrompt, addressed bool) (left, right widget.Line) {
	if addressed {
		left = widget.Styled(theme.Strong, one.Address()+" ")
	}
	token := theme.Dim
	if one.Held() || one.AfterInterrupt() || one.Gone {
		token = theme.Warn
	}
	left = append(left, widget.Span{Token: theme.Dim, Text: fmt.Sprintf("%2d  ", one.Position)},
		widget.Span{Token: theme.Text, Text: cells.Clean(screen.OneLine(one.Text, 400))})
	if words := one.Words(); words != "waits" {
		right = widget.Styled(token, "  "+cells.Clean(words))
	}
	return left, append(right, widget.Span{Token: theme.Dim, Text: fmt.Sprintf(" %4s", w.Age(one.At))})
}

// indent is how many cells of a row its text lacks.
const indent = 4

// text draws the whole text of the selected prompt, and what the last try met.
func (s *Screen) text(w *screen.World, r layout.Rect) []string {
	one := s.list.Selected()
	text := screen.Paragraph(theme.Text, one.Text, r.W-indent)
	for _, met := range one.Evidence {
		text = append(text, screen.Paragraph(theme.Warn, met, r.W-indent)...)
	}
	return widget.List(w.Theme, r, widget.Rows{Selected: -1, Left: text[:min(len(text), r.H)]})
}
