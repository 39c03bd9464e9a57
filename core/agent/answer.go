package agent

import (
	"cmp"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/BurntSushi/toml"

	"cupola/core"
)

// answerSpec says how the dialogs of a kind are answered. A kind has one for
// each rule or reason that needs its own, and one named "default" that fills in
// what the others leave empty.
type answerSpec struct {
	// Option is the row of a numbered choice, with the groups "n" and "label", and
	// "at", which is empty unless the row is selected. Pointed is the selected row
	// of a list without numbers, with the group "label". Across finds the choices
	// that are side by side in one row; the selected one has a background.
	Option, Pointed, Across *Pattern
	// Top is the row above the first that belongs to the dialog.
	Top *Pattern
	// About matches the row with which the subject of the dialog begins: a command, a file, a question. The subject is
	// the group "what" or, in patterns without one, the rows below. The first pattern that matches any row is used. The
	// subject extends to a row of Until, or to the first choice.
	About, Until []*Pattern
	// Pick is the effect of a digit: "digit" takes that choice at once; with "move" digits do nothing, so that the
	// selection is moved with Next and Previous and then taken with Confirm.
	Pick           string
	Next, Previous []string
	Confirm        []string
	// Cancel closes the dialog without a choice; empty where that would do more.
	Cancel []string
	// Approve, Deny and Text match the labels of the choice that says yes, that
	// says no, and that takes words of one's own. The first pattern that matches
	// any choice counts.
	Approve, Deny, Text []*Pattern
	// Always match the labels of choices that say yes to more than what is asked now:
	// to its like, or for good. They are never taken for the one of Approve.
	Always []*Pattern
	// Open opens the field for words of one's own behind the choice of Text once
	// it was moved to; empty where to pick that choice is enough.
	Open []string
	// Settle is how long a dialog must have been seen before a key counts: agents
	// swallow what comes as soon as they have drawn one.
	Settle time.Duration
	// Shows is the pattern of all text of a dialog that asks to run one command and nothing else, without blanks once
	// {command} and {description} are put in; empty where that is not known.
	Shows string
	// Follow match labels of a dialog that comes next only to ask once more.
	Follow []*Pattern
}

// The values of answerSpec.Pick.
const (
	pickDigit = "digit"
	pickMove  = "move"
)

// defaultAnswer names the table that fills in the others.
const defaultAnswer = "default"

// answerFor returns how a dialog is answered: the table of its rule, of its
// reason, or the default one. It is nil for kinds without tables.
func (s *screenSpec) answerFor(block Block) *answerSpec {
	answers := s.answers
	base := answers[defaultAnswer]
	own := cmp.Or(answers[block.Rule.ID], answers[string(block.Reason)], base)
	if own == nil {
		return nil
	}
	return own.over(base)
}

// over returns the table with what it leaves empty taken from another, which may be nil.
func (s *answerSpec) over(base *answerSpec) *answerSpec {
	merged := *s
	if base != nil {
		fields, others := reflect.ValueOf(&merged).Elem(), reflect.ValueOf(base).Elem()
		for i := range fields.NumField() {
			field := fields.Field(i)
			if p, is := field.Interface().(*Pattern); field.IsZero() || is && !p.given() {
				field.Set(others.Field(i))
			}
		}
	}
	merged.Pick = cmp.Or(merged.Pick, pickMove)
	return &merged
}

// check holds a table to its meaning.
func (s *answerSpec) check(src source, name string) error {
	key := func(field string) toml.Key { return toml.Key{"answer", name, field} }
	if s.Pick != "" && s.Pick != pickDigit && s.Pick != pickMove {
		return src.errorf(key("pick"), "%q is neither %q nor %q", s.Pick, pickDigit, pickMove)
	}
	if err := src.checkPatterns(s, "answer", name); err != nil {
		return err
	}
	if _, err := s.shown("x", ""); err != nil {
		return src.errorf(key("shows"), "%w", err)
	}
	for _, part := range []struct {
		field   string
		pattern *Pattern
		groups  []string
	}{{"option", s.Option, []string{"at", "n", "label"}}, {"pointed", s.Pointed, []string{"label"}}} {
		for _, group := range part.groups {
			if part.pattern.given() && part.pattern.regexp().SubexpIndex(group) < 0 {
				return src.errorf(key(part.field), "has no group %q", group)
			}
		}
	}
	return nil
}

// Means is the meaning of an option of a dialog.
type Means string

// The meanings. An option without a meaning is known by its label only.
const (
	Approves Means = "approve"
	Denies   Means = "deny"
	Takes    Means = "text"
	// ApprovesAlways says yes to more than what is asked now.
	ApprovesAlways Means = "approve_always"
)

// choice returns the index of the option with a meaning, -1 if there is none.
func (d *OpenDialog) choice(means Means) int {
	list := map[Means][]*Pattern{Approves: d.rules.Approve, Denies: d.rules.Deny, Takes: d.rules.Text}[means]
	return d.labelled(list)
}

// lasts reports whether an option says yes to more than what is asked now.
func (d *OpenDialog) lasts(o Option) bool {
	return matchesAny(d.rules.Always, o.Label) && !matchesAny(d.rules.Deny, o.Label)
}

// labelled returns the index of the option that a list means, -1 if there is none.
func (d *OpenDialog) labelled(list []*Pattern) int {
	for _, re := range list {
		for i, option := range d.Options {
			if re.MatchString(option.Label) && !d.lasts(option) {
				return i
			}
		}
	}
	return -1
}

// Choice returns the option that approves, denies or takes text.
func (d *OpenDialog) Choice(means Means) (Option, bool) { return d.option(d.choice(means)) }

// option returns the option with an index; false for -1.
func (d *OpenDialog) option(i int) (Option, bool) {
	if i < 0 {
		return Option{}, false
	}
	return d.Options[i], true
}

// Follows returns the option of a dialog that only confirms what was chosen in
// the one before it.
func (d *OpenDialog) Follows() (Option, bool) {
	return d.option(slices.IndexFunc(d.Options, func(o Option) bool { return matchesAny(d.rules.Follow, o.Label) }))
}

// Direct returns the keys that choose an option at once; false if the selection must be moved to it, or a word typed.
func (d *OpenDialog) Direct(o Option) ([]string, bool) {
	switch {
	case o.press != nil:
		return o.press, true
	case o.typed != "" || d.rules.Pick != pickDigit || !o.numbered || o.N > 9:
		return nil, false
	}
	return []string{string(rune('0' + o.N))}, true
}

// Typed returns the word that chooses an option once it was typed and confirmed; empty if the option is chosen
// otherwise.
func (o Option) Typed() string { return o.typed }

// Written reports whether the dialog is a question that is answered in writing behind it: it takes words and Enter, and
// any other key is typed into it.
func (d *OpenDialog) Written() bool {
	return slices.ContainsFunc(d.Options, func(o Option) bool { return o.typed != "" })
}

// Spelled returns the option of a written question that a text names. It takes any other text too, unless each of its
// options is a single letter.
func (d *OpenDialog) Spelled(text string) (option Option, named, other bool) {
	for _, o := range d.Options {
		if strings.EqualFold(o.typed, text) || strings.EqualFold(o.Label, text) {
			option, named = o, true
		}
		other = other || len(o.typed) != 1
	}
	return option, named, other
}

// keys returns the keys that choose an option, from where the selection is; none if that is not known.
func (d *OpenDialog) keys(o Option) []string {
	if o.typed != "" {
		return slices.Concat(strings.Split(o.typed, ""), d.Confirm())
	}
	if keys, direct := d.Direct(o); direct {
		return keys
	}
	keys, known := d.Moves(o)
	if !known {
		return nil
	}
	return slices.Concat(keys, d.Confirm())
}

// Moves returns the keys that move the selection to an option; ok is false if no option is
// known to be selected.
func (d *OpenDialog) Moves(o Option) (keys []string, ok bool) {
	from := -1
	for i, option := range d.Options {
		if option.Selected {
			from = i
		}
	}
	to := d.index(o)
	if from < 0 || to < 0 {
		return nil, false
	}
	for ; from < to; from++ {
		keys = append(keys, d.rules.Next...)
	}
	for ; from > to; from-- {
		keys = append(keys, d.rules.Previous...)
	}
	return keys, true
}

// ShowsOnly reports whether the dialog asks to run a command with a description and says nothing else: nothing was cut
// off or added. It is false if the kind does not say what such a dialog shows.
func (d *OpenDialog) ShowsOnly(command, description string) bool {
	if d.rules.Shows == "" || unspaced(command) == "" || d.Reason != core.ReasonApproval {
		return false
	}
	expr, err := d.rules.shown(command, description)
	return err == nil && expr.MatchString(unspaced(strings.Join(d.Text, "")))
}

// unspaced returns a text without blanks.
func unspaced(text string) string { return strings.Join(strings.Fields(text), "") }

// shown compiles Shows for a command and its description.
func (s *answerSpec) shown(command, description string) (*regexp.Regexp, error) {
	return regexp.Compile(strings.NewReplacer(
		"{command}", regexp.QuoteMeta(unspaced(command)), "{description}", regexp.QuoteMeta(unspaced(description)),
	).Replace(strings.ReplaceAll(s.Shows, " ", "")))
}

// Confirm returns the keys that take the selected option.
func (d *OpenDialog) Confirm() []string { return d.rules.Confirm }

// Cancel returns the keys that close the dialog without an answer; none where leaving a dialog would do more than that.
func (d *OpenDialog) Cancel() []string { return d.rules.Cancel }

// Open returns the keys that open the field behind the option that takes text;
// none where picking the option opens the field.
func (d *OpenDialog) Open() []string { return d.rules.Open }

// Settle is how long the dialog must have been seen before a key counts.
func (d *OpenDialog) Settle() time.Duration { return d.rules.Settle }
