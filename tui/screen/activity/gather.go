package activity

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"cupola/core"
	"cupola/core/record/timesheet"
	"cupola/core/term/cells"
	"cupola/theme"
	"cupola/tui/screen"
)

// agent is the activity of one agent. An agent that was restarted under its name is the same.
type agent struct {
	key                    string
	session, address, name string
	spans                  []timesheet.Span
	// pane is the agent's pane if it is still there.
	pane *core.Pane
	// working, waiting and troubled are how long it worked, waited for the user, and was limited or failed.
	working, waiting, troubled time.Duration
}

func keyOf(address, name string) string { return address + " " + name }

// agentsOf returns what each agent did: those that are there in the order of the tree, then those that are gone, the
// last ones first.
func agentsOf(w *screen.World) []*agent {
	byKey := map[string]*agent{}
	var all []*agent
	add := func(session, address, name string) *agent {
		key := keyOf(address, name)
		a := byKey[key]
		if a == nil {
			a = &agent{key: key, session: session, address: address, name: name}
			byKey[key], all = a, append(all, a)
		}
		return a
	}
	if w.Snapshot != nil {
		for _, pane := range w.Snapshot.Panes() {
			if pane.IsAgent() {
				add(pane.Session, pane.Address(), pane.Agent.Name).pane = pane
			}
		}
	}
	there := len(all)
	read := &did.In(w).Value
	for _, span := range read.Spans {
		part, ok := span.Within(read.From, read.To)
		if !ok || span.Agent == "" {
			continue
		}
		add(part.Session, part.Address, part.Agent).spent(part)
	}
	for _, a := range all[:there] {
		// Nothing happened to it since its events are on record, but its state and since when are known.
		status := &a.pane.Status
		part, ok := timesheet.Span{State: status.State, Reason: status.Reason, From: status.Since, To: read.To}.
			Within(read.From, read.To)
		if len(a.spans) == 0 && ok && !status.Since.IsZero() {
			a.spent(part)
		}
	}
	slices.SortStableFunc(all[there:], func(a, b *agent) int { return b.last().Compare(a.last()) })
	return all
}

// spent adds a time in a state.
func (a *agent) spent(part timesheet.Span) {
	a.spans = append(a.spans, part)
	took := part.To.Sub(part.From)
	switch part.State {
	case core.Working:
		a.working += took
	case core.Waiting:
		a.waiting += took
	case core.Limited, core.Errored:
		a.troubled += took
	}
}

// last is when its last span ended.
func (a *agent) last() (at time.Time) {
	for i := range a.spans {
		if a.spans[i].To.After(at) {
			at = a.spans[i].To
		}
	}
	return at
}

// weight orders states in a cell of the timeline: what needed the user shows however short it was.
func weight(state core.State, part time.Duration) time.Duration {
	const day = 24 * time.Hour
	switch state {
	case core.Waiting, core.Limited, core.Errored:
		return part + 100*day
	}
	return part
}

// band returns the state that each of n cells shows between two times; empty where none is known.
func (a *agent) band(from, to time.Time, n int) []core.State {
	states, best := make([]core.State, n), make([]time.Duration, n)
	cell := to.Sub(from) / time.Duration(max(1, n))
	if cell <= 0 {
		return states
	}
	for _, span := range a.spans {
		first := max(0, int(span.From.Sub(from)/cell))
		last := min(n-1, int((span.To.Sub(from)-1)/cell))
		for i := first; i <= last; i++ {
			begin := from.Add(time.Duration(i) * cell)
			part, ok := span.Within(begin, begin.Add(cell))
			if w := weight(span.State, part.To.Sub(part.From)); ok && (states[i] == "" || w > best[i]) {
				states[i], best[i] = span.State, w
			}
		}
	}
	return states
}

// entry is a line of what an agent did.
type entry struct {
	at    time.Time
	token theme.Token
	sign  string
	// took is how long it lasted; 0 for a moment.
	took time.Duration
	word string
	text string
}

// entries returns the activity of an agent, the newest first.
func (a *agent) entries(w *screen.World) []entry {
	all := core.Map(a.spans, func(span timesheet.Span) entry {
		return entry{
			at: span.From, took: span.To.Sub(span.From), token: theme.State(span.State),
			sign: w.Theme.Glyph(span.State), word: string(span.State), text: span.Reason.Sentence(),
		}
	})
	read := &did.In(w).Value
	for i := range read.Events {
		e := &read.Events[i]
		if e.Type != core.AlertRaised || e.Alert == nil || e.Alert.Subject != a.address {
			continue
		}
		all = append(all, entry{
			at: e.At, token: theme.Warn, sign: "!", word: "alert",
			text: cells.Clean(screen.OneLine(e.Alert.Message, mostText)),
		})
	}
	for i := range read.Prompts {
		p := &read.Prompts[i]
		for j := range p.Deliveries {
			if d := &p.Deliveries[j]; keyOf(d.Address(), d.Agent) == a.key {
				all = append(all, a.prompt(w, p, d))
			}
		}
	}
	slices.SortStableFunc(all, func(x, y entry) int {
		return cmp.Or(y.at.Compare(x.at), strings.Compare(x.word, y.word))
	})
	return all
}

// mostText is how much of a text a line can show, in bytes.
const mostText = 600

func (a *agent) prompt(w *screen.World, p *core.Prompt, d *core.Delivery) entry {
	token, word := theme.Accent, "prompt"
	switch p.Origin {
	case core.OriginAnswer:
		word = "answer"
	case core.OriginInterrupt:
		word = "interrupt"
	}
	text := cells.Clean(screen.OneLine(p.Text, mostText))
	if d.Outcome.Failed() {
		token, text = theme.Danger, string(d.Outcome)+": "+text
	}
	return entry{at: p.At, token: token, sign: w.Theme.Glyphs().Chosen, word: word, text: text}
}
