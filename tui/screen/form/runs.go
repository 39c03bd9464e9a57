package form

import (
	"cupola/core"
	"cupola/core/run"
	"cupola/core/verb/runs"
	"cupola/tui/intent"
	"cupola/tui/widget"
)

// Start asks which kind of run is to be started.
func Start() *Form {
	kinds := core.Map(run.Kinds(), func(kind run.Kind) string { return string(kind) })
	return &Form{
		title: "New run", verb: "next",
		says: "relay: one prompt to one backend. crew: agents that talk.\n" +
			"story: the stories of a change. pipeline: a file of steps.",
		fields: []field{{label: "Kind", lines: 1, editor: widget.NewChoice(kinds[0], kinds...), begin: kinds[0]}},
		make: func(values []string) (intent.Intent, string) {
			return intent.AskStart{Kind: values[0]}, ""
		},
	}
}

// Cancel asks whether to cancel a run.
func Cancel(w intent.AskCancel) *Form {
	return &Form{
		title: "Cancel " + w.ID + "?", verb: "cancel it", says: w.What + "\nWhat it came to stays on record.",
		make: func([]string) (intent.Intent, string) {
			return intent.Act{Input: runs.CancelIn{OfRun: runs.OfRun{Run: w.ID}}, What: w.ID}, ""
		},
	}
}

// Delete asks whether to remove what is on record of a run.
func Delete(w intent.AskDelete) *Form {
	return &Form{
		title: "Delete the record of " + w.ID + "?", verb: "delete it", danger: true,
		says: w.What + "\nIts panes, worktree and branch stay.",
		make: func([]string) (intent.Intent, string) {
			return intent.Act{Input: runs.DeleteIn{Runs: []string{w.ID}, Consent: agreed}, What: w.ID}, ""
		},
	}
}
