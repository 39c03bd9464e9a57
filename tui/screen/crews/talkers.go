package crews

import (
	"slices"

	"cupola/core/run/crew"
	"cupola/tui/intent"
	"cupola/tui/screen"
)

// nextTalker returns the next limit of the conversation: each agent, then each pair that wrote to each other, then
// none.
func (d *Detail) nextTalker() []string {
	all := d.talkers()
	at := slices.IndexFunc(all, func(who []string) bool { return slices.Equal(who, d.who) })
	if at+1 < len(all) {
		return all[at+1]
	}
	return nil
}

// talkers are each agent, and each pair that wrote to each other.
func (d *Detail) talkers() [][]string {
	var all [][]string
	names := d.shown.Value.Crew.Names()
	for _, name := range names {
		all = append(all, []string{name})
	}
	sent := d.sent()
	for i, a := range names {
		for _, b := range names[i+1:] {
			if sent[[2]string{a, b}]+sent[[2]string{b, a}] > 0 {
				all = append(all, []string{a, b})
			}
		}
	}
	return all
}

// sent counts the messages by who wrote and who got them; one to all counts for each.
func (d *Detail) sent() map[[2]string]int {
	sent := map[[2]string]int{}
	for i := range d.shown.Value.Events {
		e := &d.shown.Value.Events[i]
		if e.Type != crew.Message {
			continue
		}
		to := []string{e.To}
		if e.To == crew.All {
			to = slices.DeleteFunc(d.shown.Value.Crew.Names(), func(name string) bool { return name == e.From })
		}
		for _, name := range to {
			sent[[2]string{e.From, name}]++
		}
	}
	return sent
}

// concerns reports whether an event is about the agent, or between the pair, that is shown. What is
// written to all is written to each.
func (d *Detail) concerns(e *crew.Event) bool {
	switch len(d.who) {
	case 0:
		return true
	case 1:
		return e.From == d.who[0] || e.To == d.who[0] || e.To == crew.All
	}
	return slices.Contains(d.who, e.From) && (slices.Contains(d.who, e.To) || e.To == crew.All)
}

// Place selects the pane of the agent that is shown, or of the first; the session where that pane is gone, and
// empty where the crew has none.
func (d *Detail) Place() intent.Intent {
	c := &d.shown.Value.Crew
	if c.Stage != crew.Panes {
		return intent.GoTo{}
	}
	address := c.Members[0].Session
	if len(d.who) > 0 {
		address = c.Member(d.who[0]).Session
	}
	return screen.Place(d.snapshot, address, c.Session)
}
