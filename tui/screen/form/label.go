package form

import (
	"cmp"
	"strings"
	"time"

	"cupola/core"
	"cupola/core/verb/sessions"
	"cupola/tui/intent"
)

// Label asks for the label of some agents; them names these, before is the label that is there.
func Label(targets []intent.Target, them, before string) *Form {
	return &Form{
		title: "Label " + them, verb: "label", fields: []field{line("", "one word, such as review", before)},
		says: "Empty takes the label away.",
		make: func(values []string) (intent.Intent, string) {
			label := strings.TrimPrefix(strings.TrimSpace(values[0]), "#")
			if err := core.CheckLabel(label); err != nil {
				return nil, errorText(err)
			}
			return acts(targets, sessions.LabelIn{Label: label, Clear: label == ""}), ""
		},
	}
}

// Pin pins agents, or unpins them.
func Pin(targets []intent.Target, pinned bool) intent.Intent {
	return acts(targets, sessions.LabelIn{Pin: pinned, Unpin: !pinned})
}

// wakeUp is the choice of a snooze that ends it, and snoozes are the others, with what the verb takes for them.
const wakeUp = "no longer"

var (
	snoozes   = []string{"30m", "2h", "until tomorrow 9:00"}
	snoozeFor = map[string]string{snoozes[2]: core.SnoozeTomorrow, wakeUp: core.SnoozeOff}
)

// Snooze asks until when some agents are snoozed; them names these, and snoozed is true if one of them is.
func Snooze(targets []intent.Target, them string, snoozed bool) *Form {
	choices := snoozes
	if snoozed {
		choices = append([]string{wakeUp}, snoozes...)
	}
	return &Form{
		title: "Snooze " + them, verb: "snooze", quick: true,
		fields: []field{pick("For", choices...), line("Or", "another time: 45m, 17:30", "")},
		says:   "Until then they are in no list of needs, and no notice is sent.",
		make: func(values []string) (intent.Intent, string) {
			until := strings.TrimSpace(values[1])
			if until == "" {
				until = cmp.Or(snoozeFor[values[0]], values[0])
			}
			if _, err := core.ParseSnooze(until, time.Now()); err != nil {
				return nil, errorText(err)
			}
			return acts(targets, sessions.LabelIn{Snooze: until}), ""
		},
	}
}
