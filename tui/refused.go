package tui

import (
	"cupola/tui/intent"
	"cupola/tui/screen/form"
)

// refusals bring a form back whose act failed, and one that was left, with what was typed into it.
type refusals struct {
	// pending are the forms of acts that run, by the key of the act.
	pending map[string]pending
	// left are forms that were closed by moving to another screen, or whose act failed after that, by their titles.
	left map[string]*form.Form
	// inputs counts keys and clicks: a form comes back by itself only if there were none since.
	inputs int
}

type pending struct {
	form   *form.Form
	inputs int
}

func newRefusals() refusals {
	return refusals{pending: map[string]pending{}, left: map[string]*form.Form{}}
}

// accepted keeps the form of an act until that has ended.
func (r *refusals) accepted(f *form.Form, wanted intent.Intent) {
	acts := intent.ActsOf(wanted)
	if f.Asks() || len(acts) != 1 || promptOf(acts[0]) != "" { // prompts are kept as drafts
		return
	}
	r.pending[actKey(wanted)] = pending{f, r.inputs}
}

// leave keeps a form that the user left. Those of one field are soon typed again.
func (r *refusals) leave(f *form.Form) {
	if f.Several() && f.Typed() {
		r.left[f.Title()] = f
	}
}

// open returns a form as it was left before, or the new one.
func (r *refusals) open(f *form.Form) *form.Form {
	kept := r.left[f.Title()]
	if kept == nil || f.Typed() {
		return f
	}
	delete(r.left, f.Title())
	return kept
}

// succeeded forgets the form of an act.
func (r *refusals) succeeded(wanted intent.Intent) { delete(r.pending, actKey(wanted)) }

// failed returns the form of an act that failed, if it may be shown at once, with what was wrong. Otherwise kept is
// true if it is shown when the user asks for it again.
func (r *refusals) failed(wanted intent.Intent, wrong string) (back *form.Form, kept bool) {
	key := actKey(wanted)
	p, had := r.pending[key]
	delete(r.pending, key)
	if !had {
		return nil, false
	}
	p.form.Refuse(wrong)
	if p.inputs == r.inputs {
		return p.form, false
	}
	r.left[p.form.Title()] = p.form
	return nil, true
}
