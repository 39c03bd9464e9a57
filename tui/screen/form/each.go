package form

import "cupola/tui/intent"

// Each asks whether to do something with several targets; what says with which, act what with each.
func Each(title, verb, what string, danger bool, targets []intent.Target,
	act func(intent.Target) intent.Intent,
) *Form {
	return &Form{
		title: title, verb: verb, says: what, danger: danger,
		make: func([]string) (intent.Intent, string) { return eachOf(targets, act), "" },
	}
}

// eachOf is an act on several targets.
func eachOf(targets []intent.Target, act func(intent.Target) intent.Intent) intent.Each {
	var each intent.Each
	for _, target := range targets {
		each.Acts = append(each.Acts, act(target))
	}
	return each
}

// SendEach asks for a prompt for several agents.
func SendEach(targets []intent.Target, who Addressed, draft string, earlier []string, keep func(string)) *Form {
	f := Send(intent.Target{}, who, draft, earlier, keep)
	one := f.make
	f.make = func(values []string) (intent.Intent, string) {
		wanted, wrong := one(values)
		send, is := wanted.(intent.Send)
		if !is {
			return nil, wrong
		}
		return eachOf(targets, func(t intent.Target) intent.Intent {
			return intent.Send{Target: t, Text: send.Text}
		}), ""
	}
	return f
}

// RestartEach asks how to restart several agents.
func RestartEach(targets []intent.Target, them, what string) *Form {
	f := Restart(intent.Target{Address: them}, what)
	f.make = func(values []string) (intent.Intent, string) {
		return eachOf(targets, func(t intent.Target) intent.Intent {
			return intent.Restart{Target: t, Fresh: values[0] == fresh}
		}), ""
	}
	return f
}
