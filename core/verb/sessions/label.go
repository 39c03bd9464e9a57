package sessions

import (
	"cmp"
	"context"
	"strings"
	"time"

	"cupola/core"
	"cupola/core/fleet/lifecycle"
	"cupola/core/fleet/resolve"
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
	// The following leave the label as it is.
	OnLimit string `enum:"stop,continue" help:"Instead: what the agents do when a usage limit ends their turn: wait for you, or continue once it resets"`
	Pin     bool   `help:"Put them first in the dashboard's lists"`
	Unpin   bool   `help:"No longer"`
	Snooze  string `help:"They neither need you nor notify you for this long (30m), until a time (15:04, tomorrow), or off"`
	registry.Preview
}

// LabelOut is the answer of the verb label.
type LabelOut struct {
	Filters verb.Filters `json:"filters,omitzero"`
	DryRun  bool         `json:"dry_run"`
	// Panes has one row per agent.
	Panes []labelRow `json:"panes"`
	// Did is the act in words, done or planned.
	Did string `json:"done"`
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
		"dashboard's list can be grouped by it. --on-limit and --pin are kept in the same way. A snooze ends at its " +
		"time, with --snooze=off, or when the agent is restarted; until then status and attention count it.",
	Scope: registry.Session, Effect: registry.Answers, OnTerminals: true, List: "panes",
	Examples: []string{"api.1 review", "api backend --panes=1 --dry-run", "api --clear", "api.1 --pin --snooze=30m"},
	Errors: []core.Code{
		core.SessionNotFound, core.PaneNotFound, core.AgentNotFound, core.EngineUnavailable, core.Timeout,
	},
	Run: runLabel,
}).SeeAlso("rename", "status")

// Check sees that there is something to do, that the label is a word, and that the snooze has an end.
func (in LabelIn) Check() error {
	marks := in.Pin || in.Unpin || in.Snooze != ""
	switch {
	case in.Clear && in.Label != "":
		return registry.Conflict("--clear", in.Label)
	case in.OnLimit != "" && (in.Clear || in.Label != ""):
		return registry.Conflict("--on-limit="+in.OnLimit, cmp.Or(in.Label, "--clear"))
	case in.Pin && in.Unpin:
		return registry.Conflict("--pin", "--unpin")
	case !in.Clear && in.Label == "" && in.OnLimit == "" && !marks:
		return registry.Missing("label needs a word", "Give one, or --clear to take the label away.", "LABEL")
	}
	if in.Snooze != "" {
		if _, err := core.ParseSnooze(in.Snooze, time.Now()); err != nil {
			return err
		}
	}
	return core.CheckLabel(in.Label)
}

// request returns the request that the input makes.
func (in *LabelIn) request(target resolve.Target, now time.Time) (lifecycle.LabelRequest, error) {
	request := lifecycle.LabelRequest{Target: target, OnLimit: core.OnLimit(in.OnLimit), DryRun: in.DryRun}
	if in.Label != "" || in.Clear {
		request.Label = &in.Label
	}
	if in.Pin || in.Unpin {
		request.Pin = &in.Pin
	}
	if in.Snooze != "" {
		until, err := core.ParseSnooze(in.Snooze, now)
		if err != nil {
			return request, err
		}
		request.Snooze = &until
	}
	return request, nil
}

func runLabel(ctx context.Context, deps verb.OnFleet, in LabelIn) (LabelOut, error) {
	target := verb.TargetOf(in.Session, in.OfPanes, false, nil)
	out := LabelOut{Filters: verb.Echo(target), DryRun: in.DryRun}
	request, err := in.request(target, deps.Env.Now().Local())
	if err != nil {
		return out, err
	}
	results, err := deps.Fleet.Labels.Set(ctx, request)
	act := undo.Act{Back: "gives back what was there before"}
	for i := range results {
		result := &results[i]
		before, after := result.Before, result.After
		row := labelRow{PaneRow: verb.RowAt(result.PaneRef, &result.Status), Before: before.Label}
		row.Label, row.Pinned, row.SnoozedUntil = after.Label, after.Pinned, after.Snoozed
		if request.OnLimit == core.ContinueAtLimit {
			row.OnLimit = request.OnLimit
		}
		out.Panes = append(out.Panes, row)
		if before != after {
			act.Labels = append(act.Labels, undo.Label{
				Pane: row.Pane, Agent: row.Agent, Was: before.Label, Now: after.Label,
				WasPinned: before.Pinned, NowPinned: after.Pinned,
				WasSnoozed: before.Snoozed, NowSnoozed: after.Snoozed,
			})
		}
	}
	out.Did = out.said(&request, deps.Env.Now())
	if act.Did = out.Did; !in.DryRun && len(act.Labels) > 0 {
		verb.ActedOnServer(ctx, deps.Env, act)
	}
	return out, err
}

// Said names the agents, and what was done with them.
func (o LabelOut) Said() string { return o.Did }

// said says what a request did.
func (o *LabelOut) said(request *lifecycle.LabelRequest, now time.Time) string {
	if len(o.Panes) == 0 {
		return "no agent to label"
	}
	named := verb.PanesNamed(o.Panes)
	var did []string
	add := func(is bool, yes, no string) {
		if is {
			did = append(did, yes)
		} else {
			did = append(did, no)
		}
	}
	if request.Label != nil {
		add(*request.Label != "", "labelled "+named+" "+*request.Label, "took the label of "+named+" away")
	}
	if request.OnLimit != "" {
		add(request.OnLimit == core.ContinueAtLimit,
			named+" continues by itself after a limit", named+" waits for you after a limit")
	}
	if request.Pin != nil {
		add(*request.Pin, "pinned "+named, "unpinned "+named)
	}
	if request.Snooze != nil {
		add(!request.Snooze.IsZero(), named+" "+core.SnoozedWords(*request.Snooze, now), named+" is no longer snoozed")
	}
	return strings.Join(did, "; ")
}

// Report shows the labels.
func (o LabelOut) Report() *report.Report {
	return report.TableOf(o.Panes, time.Time{}, "no agent").Report()
}
