package agents

import (
	"cmp"
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"cupola/core"
	"cupola/core/agent"
	"cupola/core/fleet/deliver"
	"cupola/core/system/shell"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

// AnswerIn is the input of the verb answer.
type AnswerIn struct {
	registry.InSession
	Approve bool          `help:"Choose the option that says yes, this once"`
	Deny    bool          `help:"Choose the option that says no; if there is none, close the dialog, unless it is answered in writing"`
	Choose  int           `min:"1" help:"Choose the option with this number, counted from 1"`
	Text    string        `help:"Reply in your own words: typed into a question that is answered in writing; another dialog with no text field is denied, and they are sent as a prompt"`
	Expect  string        `enum:"approval,question,plan,trust,login,dialog" help:"Refuse unless it is this kind of dialog"`
	Showing string        `help:"Refuse unless the dialog contains this text, ignoring case and spaces"`
	Dialog  string        `empty:"none" help:"Refuse unless the dialog has this id, as --dry-run shows it"`
	All     bool          `help:"Answer every waiting agent (default: refuse if more than one is waiting)"`
	Timeout time.Duration `default:"10s" help:"How long to wait for the dialog to close"`
	Allow   string        `help:"Instead: let a rule approve this command by itself: exactly it, or with a last word * all that begins so"`
	For     time.Duration `default:"1h" help:"How long the rule holds: at most 24h"`
	Times   int           `default:"20" min:"1" max:"1000" help:"How often it may be used"`
	Rules   bool          `help:"Instead: list the rules"`
	Revoke  string        `empty:"none" help:"Instead: end the rule with this id, or all"`
	registry.OfPanes
	registry.OverBudget
	registry.Preview
}

// OnlyShows reports whether the dialog is only shown: no answer is given.
func (in AnswerIn) OnlyShows() bool {
	return in.Rules || in.Allow == "" && in.Revoke == "" && !in.Approve && !in.Deny && in.Choose == 0 && in.Text == ""
}

// AnswerOut is the answer of the verb answer.
type AnswerOut struct {
	Filters verb.Filters `json:"filters,omitzero"`
	DryRun  bool         `json:"dry_run"`
	// Answers has one row per agent that was answered, or would be.
	Answers []answerRow `json:"answers"`

	// Rules has the rules of the agents, where they were asked for or changed.
	Rules []ruleRow `json:"rules"`

	// looked is true if no answer was given, and act the act on rules.
	looked bool
	act    core.Act
}

// answerRow is the outcome of one dialog.
type answerRow struct {
	_ struct{} `minimal:"session,ordinal,chosen,resolved"`
	_ struct{} `standard:"session,ordinal,agent,before_reason,chosen,keys,resolved,state"`
	verb.PaneRow
	// Before is the state in which the dialog was open, BeforeReason the subject of its question; State is the one
	// reached.
	Before       core.State  `json:"before,omitempty"`
	BeforeReason core.Reason `json:"before_reason,omitempty"`
	deliver.Dialogue
	// Delivery is the outcome of words that were sent as a prompt; absent without.
	Delivery core.Outcome `json:"delivery,omitempty"`
}

var answer = registry.Define(registry.Spec[verb.OnFleet, AnswerIn, AnswerOut]{
	Name: "answer", Group: verb.GroupAgents, Doing: "answering",
	Short: "Answer an agent's dialog",
	Long: "Approves, denies, chooses an option, or replies in words. " +
		"Reads the dialog, finds the keys that give your answer, checks that the dialog is still the same, presses " +
		"them, and sees it close. It refuses if no dialog is open, if the dialog is not the one you expect, or if it " +
		"is unclear what a key would choose. If another dialog follows, it is reported but not answered. With " +
		"--dry-run and no answer it shows the dialog and its options. With --allow no dialog is answered, but a rule " +
		"is made for the agents that are there: while a dashboard, a server or a watch runs, it approves what they " +
		"ask, if their hook or protocol says that it is this command and the dialog shows nothing else. Each use is " +
		"counted, shown and on record. A rule with * leaves all further words to the agent.",
	Scope: registry.Session, Effect: registry.Answers, OnTerminals: true, List: "answers",
	Examples: []string{
		"api.1 --approve --expect=approval",
		"api.1 --dry-run",
		"api.1 --text='use the staging database'",
		"api.1 --rules",
	},
	Errors: []core.Code{
		core.SessionNotFound, core.PaneNotFound, core.AgentNotFound, core.NotReady, core.Conflict, core.Ambiguous,
		core.Timeout, core.DeliveryFailed, core.EngineUnavailable, core.BudgetExceeded, core.StoreError,
		core.StoreLocked, core.MigrationFailed, core.PermissionDenied,
	},
	Run: runAnswer,
})

func runAnswer(ctx context.Context, deps verb.OnFleet, in AnswerIn) (AnswerOut, error) {
	act, err := in.act()
	if err != nil {
		return AnswerOut{}, err
	}
	if in.ofRules() {
		return runRules(ctx, deps, &in)
	}
	target := deps.Acting(ctx, verb.TargetOf(in.Session, in.OfPanes, false, nil), true)
	answers, err := deps.Fleet.Sender.Answer(ctx, deliver.AnswerRequest{
		Target: target, Act: act, N: in.Choose, Text: in.Text, Expect: core.Reason(in.Expect), Showing: in.Showing,
		Dialog: in.Dialog, Every: in.All, OverrideBudget: in.OverrideBudget, DryRun: in.DryRun, Timeout: in.Timeout,
		Origin: deps.Env.Origin,
	})
	out := AnswerOut{
		Filters: verb.Echo(target), DryRun: in.DryRun,
		Answers: core.Map(answers, answerRowOf), looked: act == core.ActLook,
	}
	if failed := new(core.Error); errors.As(err, &failed) && len(out.Answers) > 0 {
		failed.Details = answerDetails(out)
	}
	if err == nil && act == core.ActLook && !in.DryRun {
		err = unanswered(out)
	}
	return out, err
}

// unanswered is the error of an answer that was not given: it shows what there is
// to choose.
func unanswered(out AnswerOut) error {
	err := &core.Error{
		Code: core.MissingRequired, Message: "the answer is missing",
		Hint:    "Give --approve, --deny, --choose N or --text; the dialog and its options are in the details.",
		Details: undecided(out),
	}
	err.Actions = core.Map(choices(out.Answers), func(a registry.Action) string { return a.Command })
	return err
}

// act returns the one answer that was asked for; Look if none was.
func (in *AnswerIn) act() (core.Act, error) {
	var acts []core.Act
	for _, one := range []struct {
		given bool
		act   core.Act
	}{
		{in.Approve, core.ActApprove},
		{in.Deny, core.ActDeny},
		{in.Choose != 0, core.ActChoose},
		{in.Text != "", core.ActSay},
	} {
		if one.given {
			acts = append(acts, one.act)
		}
	}
	switch len(acts) {
	case 1:
		return acts[0], nil
	case 0:
		return core.ActLook, nil
	}
	return "", registry.Conflict("--"+string(acts[0]), "--"+string(acts[1]))
}

func answerRowOf(a deliver.Answered) answerRow {
	row := answerRow{
		PaneRow: verb.RowAt(a.PaneRef, &a.After), Dialogue: a.Dialogue,
		Before: a.Before.State, BeforeReason: a.Before.Reason,
	}
	if a.Delivery != nil {
		row.Delivery = a.Delivery.Outcome
	}
	return row
}

// Next offers each choice of a dialog that was only looked at, to look at one
// that came next, and else to wait for the agent.
func (o AnswerOut) Next() []registry.Action {
	if o.act != "" {
		return o.nextOfRules()
	}
	if o.looked {
		return choices(o.Answers)
	}
	for _, row := range o.Answers {
		if len(row.Next) > 0 {
			return verb.NextOnly("answer", "See the dialog that came next", "answer", row.Address(), "--dry-run")
		}
	}
	if o.DryRun {
		return nil
	}
	answered := core.Map(o.Answers, func(a answerRow) core.PaneRef { return a.PaneRef })
	at := verb.Places(answered)
	return append(
		verb.Suggest(at, "wait", "Wait until it is idle"),
		verb.Suggest(at, "reply", "Read the last message")...)
}

// choices are the answers that dialogs offer, each for the dialog that was seen
// alone. Options that take words are left out.
func choices(rows []answerRow) []registry.Action {
	var actions []registry.Action
	for _, row := range rows {
		at := row.Address()
		for _, o := range row.Options {
			if o.Means != agent.Takes {
				actions = append(actions, registry.Action{
					Action: cmp.Or(string(o.Means), "choose"), Description: at + ": " + o.Label,
					Command: answerLine(at, row.BeforeReason, row.Asks, "--choose="+strconv.Itoa(o.N)),
				})
			}
		}
	}
	return actions
}

// answerLine is the command that gives an answer to a dialog and to no other.
func answerLine(at string, reason core.Reason, asks, how string) string {
	line := shell.Line("cupola", "answer", at, how)
	if reason != "" {
		line += " --expect=" + string(reason)
	}
	if shown := strings.TrimSuffix(asks, "…"); shown != "" {
		line += " --showing=" + shell.Quote(shown)
	}
	return line
}

// Check sees that what was given can be read.
func (in AnswerIn) Check() error {
	if _, err := in.act(); err != nil {
		return err
	}
	return in.checkRules()
}
