package observe

import (
	"cmp"
	"slices"
	"strconv"

	"cupola/core"
	"cupola/core/engine"
)

// number gives every pane of a session its ordinal; panes are in the order of
// their ids. A tag decides, for the first pane that has it: a pane that was
// moved here from another session may bring a number that is taken. The others
// count upwards from next.
func number(panes []*engine.Pane, next int) map[core.PaneID]int {
	ordinals := make(map[core.PaneID]int, len(panes))
	taken := make(map[int]bool, len(panes))
	for _, pane := range panes {
		if n, ok := ordinalTag(pane); ok && !taken[n] {
			ordinals[pane.ID], taken[n] = n, true
		}
	}
	for _, pane := range panes {
		if _, ok := ordinals[pane.ID]; ok {
			continue
		}
		for taken[next] {
			next++
		}
		ordinals[pane.ID], taken[next] = next, true
	}
	return ordinals
}

func ordinalTag(pane *engine.Pane) (n int, ok bool) {
	tag, ok := pane.Tags[engine.TagOrdinal]
	if !ok {
		return 0, false
	}
	n, err := strconv.Atoi(tag)
	return n, err == nil && n >= 0
}

// NextOrdinal returns the first ordinal that no managed pane ever had in a session.
func NextOrdinal(session engine.Session) int {
	n, err := strconv.Atoi(session.Tags[engine.TagNext])
	if err != nil || n < 0 {
		return 0
	}
	return n
}

// nameAgents makes every agent's name unique in its session: names from tags
// first, then the kind's short name with the lowest free number.
func (o *Observer) nameAgents(panes []core.Pane) {
	if !slices.ContainsFunc(panes, func(p core.Pane) bool { return !p.IsUser() }) {
		return
	}
	taken := map[string]bool{}
	for i := range panes {
		agent := &panes[i].Agent
		if taken[agent.Name] {
			agent.Name = ""
		}
		taken[agent.Name] = true
	}
	for i := range panes {
		agent := &panes[i].Agent
		if agent.Name == "" && agent.Kind != "" {
			agent.Name = FreeName(o.Short(agent.Kind), taken)
		}
	}
}

// FreeName returns the first of short_1, short_2, ... that is not taken, and marks it as
// taken.
func FreeName(short string, taken map[string]bool) string {
	for n := 1; ; n++ {
		name := short + "_" + strconv.Itoa(n)
		if !taken[name] {
			taken[name] = true
			return name
		}
	}
}

// Short returns a kind's short name, or the id of an unknown kind.
func (o *Observer) Short(kind core.Kind) string {
	if known, ok := o.opts.Kinds.Find(string(kind)); ok {
		return known.Short
	}
	return string(kind)
}

// compareIDs orders the engine's ids ("%2" before "%10").
func compareIDs(a, b string) int {
	return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
}
