package agents

import (
	"context"
	"time"

	"cupola/core"
	"cupola/core/fleet/deliver"
	"cupola/core/text/report"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

// ruleRow is a rule of one agent.
type ruleRow struct {
	_ struct{} `minimal:"session,ordinal,id,allow" table:"PANE,AGENT,ID,COMMAND,USED,UNTIL"`
	core.PaneRef
	core.Rule
}

// Cell shows the pane, the id, and how often the rule was used.
func (r *ruleRow) Cell(title string) (report.Cell, bool) {
	switch title {
	case "PANE":
		return report.Toned(report.Strong, r.Address()), true
	case "AGENT":
		return report.Text(r.Agent), true
	case "ID":
		return report.Toned(report.Code, r.ID), true
	case "USED":
		return report.Text(r.Words()), true
	case "UNTIL":
		return report.Toned(report.Dim, r.Until.Local().Format("Mon 15:04")), true
	}
	return report.Cell{}, false
}

// ofRules reports whether the input is about rules, and not about an open dialog.
func (in *AnswerIn) ofRules() bool { return in.Allow != "" || in.Rules || in.Revoke != "" }

// checkRules sees that rules and an answer are not asked for together.
func (in *AnswerIn) checkRules() error {
	given := []string{}
	for _, one := range []struct {
		given bool
		flag  string
	}{
		{in.Allow != "", "--allow"},
		{in.Rules, "--rules"},
		{in.Revoke != "", "--revoke"},
		{in.Approve, "--approve"},
		{in.Deny, "--deny"},
		{in.Choose != 0, "--choose"},
		{in.Text != "", "--text"},
		{in.Expect != "", "--expect"},
		{in.Showing != "", "--showing"},
		{in.Dialog != "", "--dialog"},
	} {
		if one.given {
			given = append(given, one.flag)
		}
	}
	switch {
	case !in.ofRules():
		return nil
	case len(given) > 1:
		return registry.Conflict(given[0], given[1])
	case in.Allow != "" && (in.For <= 0 || in.For > ruleHolds):
		return &core.Error{
			Code: core.InvalidInput, Message: "a rule cannot hold for " + in.For.String(),
			Hint: "Give --for a duration of at most 24h, such as 2h.",
		}
	case in.Allow != "":
		return core.CheckRule(in.Allow)
	}
	return nil
}

// ruleHolds is how long a rule may hold.
const ruleHolds = 24 * time.Hour

// runRules makes, lists or ends rules.
func runRules(ctx context.Context, deps verb.OnFleet, in *AnswerIn) (AnswerOut, error) {
	target := deps.Acting(ctx, verb.TargetOf(in.Session, in.OfPanes, false, nil), true)
	ruled, err := deps.Fleet.Sender.Rule(ctx, deliver.RuleRequest{
		Target: target, Allow: in.Allow, For: in.For, Times: in.Times, Revoke: in.Revoke, DryRun: in.DryRun,
		Origin: deps.Env.Origin,
	})
	out := AnswerOut{Filters: verb.Echo(target), DryRun: in.DryRun, act: core.ActLook}
	switch {
	case in.Allow != "":
		out.act = core.ActAllow
	case in.Revoke != "":
		out.act = core.ActRevoke
	}
	for i := range ruled {
		rules := ruled[i].Rules
		if out.act != core.ActLook {
			rules = ruled[i].Changed
		}
		for _, rule := range rules {
			out.Rules = append(out.Rules, ruleRow{PaneRef: ruled[i].PaneRef, Rule: rule})
		}
	}
	return out, err
}

// saidOfRules says which rule was made or ended, and for whom.
func (o AnswerOut) saidOfRules() string {
	if len(o.Rules) == 0 {
		return "no rule approves anything"
	}
	allow := o.Rules[0].Allow
	switch o.act {
	case core.ActAllow:
		return "approves from now on by itself: " + allow + ", for " + verb.PanesNamed(o.Rules)
	case core.ActRevoke:
		return "ended " + verb.Plural(len(o.Rules), "rule") + " of " + verb.PanesNamed(o.Rules)
	}
	return verb.Plural(len(o.Rules), "rule")
}

// reportRules shows rules.
func (o AnswerOut) reportRules() *report.Report {
	return report.TableOf(o.Rules, time.Time{}, "no rule").Report()
}

// nextOfRules offers to end the rules that were made.
func (o AnswerOut) nextOfRules() []registry.Action {
	var actions []registry.Action
	if o.act == core.ActRevoke || o.DryRun {
		return nil
	}
	for i := range o.Rules {
		row := &o.Rules[i]
		actions = append(actions, verb.NextAction("answer", row.Address()+": end the rule "+row.Allow, "answer",
			row.Address(), "--revoke="+row.ID))
	}
	return actions
}
