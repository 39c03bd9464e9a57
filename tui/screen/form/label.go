package form

import (
	"strings"

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
