package form

import (
	"fmt"
	"strings"

	"cupola/core"
	"cupola/tui/intent"
)

// Decision is an open dialog of an agent.
type Decision struct {
	Target intent.Target
	Reason core.Reason
	// Asked is what its dialog says, Options what there is to choose.
	Asked   []string
	Options []Option
}

// Option is one choice of a dialog.
type Option struct {
	N        int
	Label    string
	Selected bool
}

// Decide asks how to answer what an agent waits for.
func Decide(d Decision) *Form {
	what := string(d.Reason)
	if what == "" {
		what = "a dialog"
	}
	return &Form{title: d.Target.Address + " waits: " + what, verb: "take it", question: &question{Decision: d}}
}

// Deciding returns the pane whose question is open; empty in other forms.
func (f *Form) Deciding() core.PaneID {
	if f.question == nil {
		return ""
	}
	return f.question.Target.Pane
}

// decide turns a key into the answer to this question.
func (f *Form) decide(wanted intent.Intent) intent.Intent {
	d := f.question
	answer := intent.Answer{Target: d.Target, Expect: d.Reason, Showing: d.showing()}
	switch w := wanted.(type) {
	case intent.Back:
		return w
	case intent.Turn:
		d.page.Handle(w)
		f.wrong = ""
		return nil
	case intent.AskText:
		*f = *textForm(answer)
		return nil
	case intent.Submit:
		for _, o := range d.Options {
			if o.Selected {
				answer.N = o.N
				return f.checked(answer)
			}
		}
		f.wrong = "Nothing is selected; choose by number."
		return nil
	case intent.Answer:
		if w.N > 0 && !d.has(w.N) {
			f.wrong = fmt.Sprintf("There is no option %d.", w.N)
			return nil
		}
		answer.Approve, answer.Deny, answer.N = w.Approve, w.Deny, w.N
		return f.checked(answer)
	}
	return nil
}

// checked returns an answer, unless it may approve a text that was not wholly on the display.
func (f *Form) checked(answer intent.Answer) intent.Intent {
	if answer.Deny || !f.question.unread() {
		return answer
	}
	f.wrong = "There is more of it: PgDn shows the rest."
	return nil
}

func (d *Decision) has(n int) bool {
	for _, o := range d.Options {
		if o.N == n {
			return true
		}
	}
	return false
}

// showing is the last line of the dialog's text, by which the fleet recognises it.
func (d *Decision) showing() string {
	for i := len(d.Asked) - 1; i >= 0; i-- {
		if text := strings.TrimSpace(d.Asked[i]); text != "" {
			return text
		}
	}
	return ""
}

// textForm opens a form for the words of an answer.
func textForm(answer intent.Answer) *Form {
	return &Form{
		title: "Answer " + answer.Target.Address, verb: "answer", fields: []field{line("", "in your own words", "")},
		make: func(values []string) (intent.Intent, string) {
			answer.Text = strings.TrimSpace(values[0])
			if answer.Text == "" {
				return nil, "There is nothing to say yet."
			}
			return answer, ""
		},
	}
}
