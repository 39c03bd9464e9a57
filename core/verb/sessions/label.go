package sessions

import (
	"cmp"
	"context"
	"time"

	"cupola/core"
	"cupola/core/fleet/lifecycle"
	"cupola/core/record/undo"
	"cupola/core/text/report"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

// LabelIn is the input of the verb label.
type LabelIn struct {
	registry.InSession
	registry.OfPanes
	Label string `arg:"2" help:"The word: letters, digits and any of -_./:+"`
	Clear bool   `help:"Take the label away"`
	// OnLimit leaves the label as it is.
	OnLimit string `enum:"stop,continue" help:"Instead: what the agents do when a usage limit ends their turn: wait for you, or continue once it resets"`
	registry.Preview
}

// LabelOut is the answer of the verb label.
type LabelOut struct {
	Filters verb.Filters `json:"filters,omitzero"`
	DryRun  bool         `json:"dry_run"`
	// Panes has one row per agent.
	Panes []labelRow `json:"panes"`

	onLimit core.OnLimit
}

// labelRow is the result for the label of one agent.
type labelRow struct {
	_ struct{} `minimal:"session,ordinal,label" table:"PANE,AGENT,BEFORE,LABEL"`
	verb.PaneRow
	Before string `json:"before,omitempty" table:"BEFORE,dim,empty=-"`
}

var label = registry.Define(registry.Spec[verb.OnFleet, LabelIn, LabelOut]{
	Name: "label", Group: verb.GroupFleet, Doing: "labelling", Short: "Group agents by a label",
	Aliases: []string{"agent label", "session label"},
	Long: "The label is kept with the pane, shows in lists and answers, and stays when the agent is restarted. The " +
		"dashboard's list can be grouped by it. --on-limit is kept in the same way.",
	Scope: registry.Session, Effect: registry.Answers, OnTerminals: true, List: "panes",
	Examples: []string{"api.1 review", "api backend --panes=1 --dry-run", "api --clear"},
	Errors: []core.Code{
		core.SessionNotFound, core.PaneNotFound, core.AgentNotFound, core.EngineUnavailable, core.Timeout,
	},
	Run: runLabel,
}).SeeAlso("rename", "status")

// Check sees that there is one thing to do, and that the label is a word.
func (in LabelIn) Check() error {
	switch {
	case in.Clear && in.Label != "":
		return registry.Conflict("--clear", in.Label)
	case in.OnLimit != "" && (in.Clear || in.Label != ""):
		return registry.Conflict("--on-limit="+in.OnLimit, cmp.Or(in.Label, "--clear"))
	case in.OnLimit != "":
		return nil
	case !in.Clear && in.Label == "":
		return registry.Missing("label needs a word", "Give one, or --clear to take the label away.", "LABEL")
	}
	return core.CheckLabel(in.Label)
}

func runLabel(ctx context.Context, deps verb.OnFleet, in LabelIn) (LabelOut, error) {
	target := verb.TargetOf(in.Session, in.OfPanes, false, nil)
	results, err := deps.Fleet.Labels.Set(ctx,
		lifecycle.LabelRequest{
			Target: target, Label: in.Label, OnLimit: core.OnLimit(in.OnLimit), DryRun: in.DryRun,
		})
	out := LabelOut{Filters: verb.Echo(target), DryRun: in.DryRun, onLimit: core.OnLimit(in.OnLimit)}
	for i := range results {
		row := labelRow{PaneRow: verb.RowAt(results[i].PaneRef, &results[i].Status), Before: results[i].Before}
		row.Label = results[i].After
		if out.onLimit == core.ContinueAtLimit {
			row.OnLimit = out.onLimit
		}
		out.Panes = append(out.Panes, row)
	}
	if !in.DryRun {
		out.record(ctx, deps.Env)
	}
	return out, err
}

// record lets the labels be undone.
func (o LabelOut) record(ctx context.Context, env *verb.Env) {
	act := undo.Act{Did: o.Said(), Back: "gives back the label that was there before"}
	for i := range o.Panes {
		if row := &o.Panes[i]; row.Before != row.Label {
			act.Labels = append(act.Labels,
				undo.Label{Pane: row.Pane, Agent: row.Agent, Was: row.Before, Now: row.Label})
		}
	}
	if len(act.Labels) > 0 {
		recordOnServer(ctx, env, act)
	}
}

// Said names the agents and their label.
func (o LabelOut) Said() string {
	if len(o.Panes) == 0 {
		return "no agent to label"
	}
	switch o.onLimit {
	case core.ContinueAtLimit:
		return verb.PanesNamed(o.Panes) + " continues by itself after a limit"
	case core.StopAtLimit:
		return verb.PanesNamed(o.Panes) + " waits for you after a limit"
	}
	if label := o.Panes[0].Label; label != "" {
		return "labelled " + verb.PanesNamed(o.Panes) + " " + label
	}
	return "took the label of " + verb.PanesNamed(o.Panes) + " away"
}

// Report shows the labels.
func (o LabelOut) Report() *report.Report {
	return report.TableOf(o.Panes, time.Time{}, "no agent").Report()
}
