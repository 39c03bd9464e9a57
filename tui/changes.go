package tui

import (
	"cupola/tui/intent"
	"cupola/tui/screen/form"
)

// changesPart opens the forms about what changed.
type changesPart struct{ model *model }

// ask opens a form about what changed.
func (p *changesPart) ask(wanted intent.Intent) {
	switch w := wanted.(type) {
	case intent.AskCommit:
		p.model.form = p.model.refusals.open(form.Commit(w))
	case intent.AskDiscard:
		p.model.form = form.Discard(w)
	case intent.AskMergeTree:
		p.model.form = form.MergeTree(w)
	}
}
