package verb

import (
	"slices"

	"cupola/core"
	"cupola/core/system/shell"
	"cupola/core/text/report"
	"cupola/core/verb/registry"
)

// Places are the shortest names of panes with agents: a session in place of
// several of its panes.
func Places(panes []core.PaneRef) []string {
	var names []string
	for i, pane := range panes {
		session := func(p core.PaneRef) bool { return p.Session == pane.Session }
		name := pane.Session
		if !slices.ContainsFunc(slices.Delete(slices.Clone(panes), i, i+1), session) {
			name = pane.Address()
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// NextAction is the action that runs a verb with some arguments.
func NextAction(action, does string, words ...string) registry.Action {
	return registry.Action{
		Action: action, Description: does, Command: shell.Line(append([]string{"cupola"}, words...)...),
	}
}

// NextOnly is NextAction for an answer that suggests nothing else.
func NextOnly(action, does string, words ...string) []registry.Action {
	return []registry.Action{NextAction(action, does, words...)}
}

// Tip is a command for people that runs a verb with some arguments.
func Tip(does string, words ...string) report.Tip {
	return report.Tip{Command: shell.Line(append([]string{"cupola"}, words...)...), Does: does}
}

// Tips are actions as people see them.
func Tips(actions []registry.Action) []report.Tip {
	return core.Map(actions, func(a registry.Action) report.Tip {
		return report.Tip{Command: a.Command, Does: a.Description}
	})
}

// MostPlaces bounds how many places get a suggestion each.
const MostPlaces = 3

// Suggest suggests a verb for some places.
func Suggest(places []string, verb, does string) []registry.Action {
	return core.Map(places[:min(MostPlaces, len(places))], func(place string) registry.Action {
		return NextAction(verb, does, verb, place)
	})
}

// ActionLook names the action that shows what is to be decided, and decides nothing.
const ActionLook = "look"
