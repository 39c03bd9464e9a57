package scripted

import "time"

// act is one step of a turn. It shows itself for its time, prints its block,
// and then ends the turn or lets the next act begin. An act with a dialog
// takes as long as the answer does.
type act struct {
	hold   time.Duration
	verb   string
	shows  block
	prints block
	asks   *dialog
	ends   *ending
}

// ending is how a turn ends early. Reason is empty unless the program ends
// with it, with the status code.
type ending struct {
	reason string
	code   int
}

// turn is the work on one prompt: acts, the one it is at, when that began and
// when the first did.
type turn struct {
	acts  []act
	at    int
	since time.Time
	began time.Time
}

// current is the running act, or nil after the last.
func (t *turn) current() *act {
	if t.at >= len(t.acts) {
		return nil
	}
	return &t.acts[t.at]
}

// pass ends the running act at the given moment.
func (t *turn) pass(at time.Time) {
	t.at++
	t.since = at
}

// dialog asks for one of several choices.
type dialog struct {
	title    string
	detail   string
	choices  []choice
	selected int
}

// choice is an answer; one that stops ends the turn.
type choice struct {
	label string
	stops bool
}

// move selects the choice that many below, and stays within the list.
func (d *dialog) move(by int) {
	d.selected = max(0, min(len(d.choices)-1, d.selected+by))
}

// pick selects the choice with that digit and reports whether there is one.
func (d *dialog) pick(digit string) bool {
	if len(digit) != 1 || digit[0] < '1' || int(digit[0]-'1') >= len(d.choices) {
		return false
	}
	d.selected = int(digit[0] - '1')
	return true
}

// answer is the selected choice.
func (d *dialog) answer() choice { return d.choices[d.selected] }

func approval(command string) *dialog {
	return &dialog{
		title:   TitleApproval,
		detail:  "$ " + command,
		choices: []choice{{label: "Yes"}, {label: "No", stops: true}},
	}
}

func question() *dialog {
	return &dialog{
		title:  TitleQuestion,
		detail: "Both tables could hold the column.",
		choices: []choice{
			{label: "Add a migration"},
			{label: "Change the query"},
			{label: "Leave it as it is"},
		},
	}
}

func plan() *dialog {
	return &dialog{
		title:  TitlePlan,
		detail: "a. Read the handlers\nb. Move the check into one place\nc. Run the tests",
		choices: []choice{
			{label: "Yes, go ahead"},
			{label: "No, keep planning", stops: true},
		},
	}
}
