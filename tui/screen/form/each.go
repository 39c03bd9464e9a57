package form

import (
	"cupola/core/verb/agents"
	"cupola/core/verb/registry"
	"cupola/core/verb/sessions"
	"cupola/tui/intent"
)

// agreed is the consent of a user who says yes to a form.
var agreed = registry.Consent{Yes: true}

// act is a verb's input at one session or pane.
func act(at intent.Target, input any) intent.Intent {
	return intent.Act{Input: input, At: []intent.Target{at}}
}

// acts is a verb's input at some sessions or panes: one call for each session.
func acts(at []intent.Target, input any) intent.Intent {
	session := func(t intent.Target) string { return t.Session }
	return joined(apart(at, session), func([]intent.Target) any { return input })
}

// apart divides targets by a key, in their order.
func apart(at []intent.Target, key func(intent.Target) string) (groups [][]intent.Target) {
	places := map[string]int{}
	for _, target := range at {
		place, known := places[key(target)]
		if !known {
			place = len(groups)
			places[key(target)] = place
			groups = append(groups, nil)
		}
		groups[place] = append(groups[place], target)
	}
	return groups
}

// joined is an act on each group of targets, or the only one.
func joined(groups [][]intent.Target, input func([]intent.Target) any) intent.Intent {
	var each intent.Each
	for _, group := range groups {
		each.Acts = append(each.Acts, intent.Act{Input: input(group), At: group})
	}
	if len(each.Acts) == 1 {
		return each.Acts[0]
	}
	return each
}

// Each asks whether to do something at several targets; what says with which.
func Each(title, verb, what string, danger bool, at []intent.Target, input any) *Form {
	return &Form{
		title: title, verb: verb, says: what, danger: danger,
		make: func([]string) (intent.Intent, string) { return acts(at, input), "" },
	}
}

// Kill asks whether to end sessions or panes; them names these, what says what they are.
func Kill(at []intent.Target, them, verb, what string) *Form {
	return Each("End "+them+"?", verb, what, true, at, sessions.KillIn{Consent: agreed})
}

// Interrupt asks whether to stop the turns of a session, or of panes; what describes them.
func Interrupt(at []intent.Target, them, verb, what string) *Form {
	return Each("Interrupt "+them+"?", verb, what, false, at, agents.InterruptIn{})
}
