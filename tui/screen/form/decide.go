package form

import (
	"fmt"
	"slices"
	"strings"

	"cupola/core"
	"cupola/core/agent"
	"cupola/core/verb/agents"
	"cupola/tui/intent"
)

// Decision is an open dialog of an agent.
type Decision struct {
	Target intent.Target
	Reason core.Reason
	// Asked is the text of its dialog, Options are its choices. The one that Enter takes is selected. Runs is the
	// command that it asks to run, if that is proven.
	Asked   []string
	Runs    string
	Options []agent.Option
}

// Decide asks how to answer what an agent waits for.
func Decide(d Decision) *Form {
	what := string(d.Reason)
	if what == "" {
		what = "a dialog"
	}
	d.Options = slices.Clone(d.Options)
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
	if f.wrong = d.refusal(wanted); f.wrong != "" {
		return nil
	}
	if wanted == (intent.AskRule{}) {
		*f = *Rule(intent.AskRule{Target: d.Target, Runs: d.Runs})
		return nil
	}
	answer := agents.AnswerIn{Expect: string(d.Reason), Showing: d.showing()}
	switch w := wanted.(type) {
	case intent.Back:
		return w
	case intent.Turn:
		d.page.Handle(w)
		return nil
	case intent.AskText:
		*f = *textForm(d.Target, answer)
		return nil
	case intent.Move:
		d.move(w.By)
		return nil
	case intent.Option:
		d.choose(w.N)
		return nil
	case intent.Submit:
		answer.Choose = d.chosen()
		return f.checked(answer)
	case intent.Answer:
		answer.Approve, answer.Deny, answer.Choose = w.Approve, w.Deny, w.N
		return f.checked(answer)
	}
	return nil
}

// checked returns an answer, unless it may approve a text that was not wholly on the display.
func (f *Form) checked(answer agents.AnswerIn) intent.Intent {
	if answer.Deny || !f.question.unread() {
		return act(f.question.Target, answer)
	}
	f.wrong = "There is more of it: PgDn shows the rest."
	return nil
}

// refusal says why what a key wants is no answer to this dialog; empty if it is one.
func (d *Decision) refusal(wanted intent.Intent) string {
	if wanted == (intent.AskRule{}) && d.Reason != core.ReasonApproval {
		return "Rules approve commands; it does not ask to run one."
	}
	switch w := wanted.(type) {
	case intent.Submit:
		if d.chosen() == 0 {
			return "Nothing is selected; choose by number."
		}
	case intent.AskText:
		if slices.Contains([]core.Reason{core.ReasonTrust, core.ReasonLogin, core.ReasonDialog}, d.Reason) {
			return "It takes no words."
		}
	case intent.Answer:
		switch {
		case w.Approve && !d.offers(agent.Approves):
			return "No option just approves; choose one."
		case w.Deny && !d.offers(agent.Denies) && (d.Reason == core.ReasonTrust || d.Reason == core.ReasonLogin):
			return "No option denies; choose one."
		case w.N > 0 && !slices.ContainsFunc(d.Options, func(o agent.Option) bool { return o.N == w.N }):
			return fmt.Sprintf("There is no option %d.", w.N)
		}
	case intent.Move:
		if len(d.Options) < 2 {
			return "There is nothing to choose between."
		}
	}
	return ""
}

func (d *Decision) offers(means agent.Means) bool {
	return slices.ContainsFunc(d.Options, func(o agent.Option) bool { return o.Means == means })
}

// chosen is the number of the selected option; 0 if none is.
func (d *Decision) chosen() int {
	for i := range d.Options {
		if d.Options[i].Selected {
			return d.Options[i].N
		}
	}
	return 0
}

// choose selects the option with a number.
func (d *Decision) choose(n int) {
	for i := range d.Options {
		d.Options[i].Selected = d.Options[i].N == n
	}
}

// move selects the option below the selected one, or above it. Without one it begins at the first or the last.
func (d *Decision) move(by int) {
	at := slices.IndexFunc(d.Options, func(o agent.Option) bool { return o.Selected })
	if at < 0 && by < 0 {
		at = len(d.Options)
	}
	d.choose(d.Options[max(0, min(at+by, len(d.Options)-1))].N)
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
func textForm(at intent.Target, answer agents.AnswerIn) *Form {
	return &Form{
		title: "Answer " + at.Address, verb: "answer", fields: []field{line("", "in your own words", "")},
		make: func(values []string) (intent.Intent, string) {
			answer.Text = strings.TrimSpace(values[0])
			if answer.Text == "" {
				return nil, "There is nothing to say yet."
			}
			return act(at, answer), ""
		},
	}
}
