package form

import (
	"fmt"
	"strings"

	"cupola/core"
	"cupola/tui/intent"
)

// Decision is a question that an agent has put.
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

// askedLines is how much of a dialog is shown: its end, where the question
// stands.
const askedLines = 8

// Decide asks how to answer what an agent waits for.
func Decide(d Decision) *Form {
	var lines []string
	for _, line := range d.Asked {
		if text := strings.TrimSpace(line); text != "" {
			lines = append(lines, text)
		}
	}
	lines = lines[max(0, len(lines)-askedLines):]
	if len(lines) > 0 {
		lines = append(lines, "")
	}
	for _, o := range d.Options {
		mark := "  "
		if o.Selected {
			mark = "› "
		}
		lines = append(lines, fmt.Sprintf("%s%d. %s", mark, o.N, o.Label))
	}
	what := string(d.Reason)
	if what == "" {
		what = "a dialog"
	}
	return &Form{title: d.Target.Address + " waits: " + what, verb: "take it", says: strings.Join(lines, "\n"), decision: &d}
}

// Deciding returns the pane whose question is open; empty in other forms.
func (f *Form) Deciding() core.PaneID {
	if f.decision == nil {
		return ""
	}
	return f.decision.Target.Pane
}

// decide turns a key into the answer to this question.
func (f *Form) decide(wanted intent.Intent) intent.Intent {
	d := f.decision
	answer := intent.Answer{Target: d.Target, Expect: d.Reason, Showing: d.showing()}
	switch w := wanted.(type) {
	case intent.Back:
		return w
	case intent.AskText:
		*f = *spoken(answer)
		return nil
	case intent.Submit:
		for _, o := range d.Options {
			if o.Selected {
				answer.N = o.N
				return answer
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
		return answer
	}
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

// showing is the last line that the dialog says, by which it is known again.
func (d *Decision) showing() string {
	for i := len(d.Asked) - 1; i >= 0; i-- {
		if text := strings.TrimSpace(d.Asked[i]); text != "" {
			return text
		}
	}
	return ""
}

// spoken asks for the words of an answer.
func spoken(answer intent.Answer) *Form {
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
