package form

import (
	"strings"

	"cupola/core/verb/checkpoints"
	"cupola/tui/intent"
)

// Undoing is the intent that takes acts back.
func Undoing(acts []intent.Undo) intent.Intent {
	var each intent.Each
	for _, one := range acts {
		each.Acts = append(each.Acts, intent.Act{
			Input: checkpoints.UndoIn{Act: one.ID, Consent: agreed}, What: one.Did,
		})
	}
	if len(each.Acts) == 1 {
		return each.Acts[0]
	}
	return each
}

// Undo asks whether to take acts back.
func Undo(acts []intent.Undo) *Form {
	var did, back []string
	for _, one := range acts {
		did, back = append(did, one.Did), append(back, "It "+one.Back+".")
	}
	return &Form{
		title: "Undo: " + strings.Join(did, ", ") + "?", verb: "undo it", says: strings.Join(back, "\n"),
		make: func([]string) (intent.Intent, string) { return Undoing(acts), "" },
	}
}
