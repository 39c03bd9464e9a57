package agents

import (
	"cmp"
	"context"
	"slices"
	"time"

	"cupola/core"
	"cupola/core/fleet/deliver"
	"cupola/core/fleet/resolve"
	"cupola/core/text/report"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

// InterruptIn is the input of the verb interrupt.
type InterruptIn struct {
	registry.InSession
	registry.OfPanes
	registry.TeamMembers
	registry.UserPanes
	Msg string `help:"Prompt to send once the agents have stopped"`
	registry.OverBudget
	Force   bool          `help:"Press the keys even if nothing seems to be running"`
	NoWait  bool          `help:"Do not wait to see which state the agents reach"`
	Timeout time.Duration `default:"10s" help:"How long to wait"`
	registry.Preview
}

// InterruptOut is the answer of the verb interrupt.
type InterruptOut struct {
	Filters verb.Filters `json:"filters,omitzero"`
	DryRun  bool         `json:"dry_run"`
	// Panes has one row per pane whose agent was interrupted.
	Panes []interruptedRow `json:"panes" empty:"no agent to interrupt"`
}

// interruptedRow is the outcome of one agent.
type interruptedRow struct {
	_ struct{} `minimal:"session,ordinal,state" table:"PANE,AGENT,KEYS,STATE,SCREEN,MESSAGE"`
	verb.PaneRow
	// Keys are the keys that were pressed, or would be without --dry-run; absent with a Why if none is.
	Keys []string `json:"keys" table:"KEYS,code,join="`
	Why  string   `json:"why,omitempty"`
	// Before is the state before the keys; State is the one reached, absent with --no-wait.
	Before core.State `json:"before,omitempty"`
	// Changed is true if the screen changed after the keys.
	Changed bool `json:"changed" table:"SCREEN"`
	// Delivery is the outcome of the message, DeliveryEvidence what was seen of it; absent
	// without one.
	Delivery         core.Outcome `json:"delivery,omitempty" table:"MESSAGE,ifany"`
	DeliveryEvidence string       `json:"delivery_evidence,omitempty"`
}

var interrupt = registry.Define(registry.Spec[verb.OnFleet, InterruptIn, InterruptOut]{
	Name: "interrupt", Group: verb.GroupAgents, Doing: "interrupting",
	Short:   "Interrupt what agents are doing",
	Aliases: []string{"agent interrupt", "session interrupt"},
	Long: "Presses each agent's own interrupt keys, waits to see which state it reaches, and then sends --msg if " +
		"given.",
	Scope: registry.Session, Effect: registry.Answers, OnTerminals: true, List: "panes",
	Deprecated: registry.Prefixed{Prefix: "interrupt", Flags: []string{"all", "force", "msg", "no-wait", "timeout"}},
	Examples:   []string{"api --no-wait", "api.1 --dry-run"},
	Errors: []core.Code{
		core.SessionNotFound, core.PaneNotFound, core.AgentNotFound, core.DeliveryFailed, core.Timeout,
		core.EngineUnavailable, core.NotReady, core.BudgetExceeded, core.StoreError, core.StoreLocked,
		core.MigrationFailed, core.PermissionDenied,
	},
	Run: runInterrupt,
})

func runInterrupt(ctx context.Context, deps verb.OnFleet, in InterruptIn) (InterruptOut, error) {
	target := verb.WithTeam(verb.TargetOf(in.Session, in.OfPanes, in.All, nil), in.TeamMembers)
	target = deps.Acting(ctx, target, in.Msg != "")
	results, err := deps.Fleet.Sender.Interrupt(ctx,
		deliver.InterruptRequest{
			Target: target, Force: in.Force, Text: in.Msg, OverrideBudget: in.OverrideBudget,
			NoWait: in.NoWait, Timeout: in.Timeout, DryRun: in.DryRun,
		})
	out := InterruptOut{Filters: verb.Echo(target), DryRun: in.DryRun}
	for _, result := range results {
		row := interruptedRow{
			PaneRow: verb.RowAt(result.PaneRef, &result.After), Keys: result.Keys,
			Before: result.Before.State, Changed: result.Changed, Why: result.Why,
		}
		if result.Delivery != nil {
			row.Delivery, row.DeliveryEvidence = result.Delivery.Outcome, result.Delivery.Saw()
		}
		out.Panes = append(out.Panes, row)
	}
	if !in.DryRun && in.Msg == "" {
		warnHeld(ctx, deps, target)
	}
	return out, err
}

// warnHeld says how many queued prompts wait behind the turns that were interrupted.
func warnHeld(ctx context.Context, deps verb.OnFleet, target resolve.Target) {
	waiting, err := deps.Fleet.Queue.List(ctx, target)
	if err != nil || len(waiting) == 0 {
		return // the interrupt succeeded all the same
	}
	deps.Env.Warn(verb.Plural(len(waiting), "queued prompt") +
		" held until the next turn there ends; 'cupola queue' lists what waits")
}

// Said names the agents that were interrupted, and says where there was nothing to interrupt.
func (o InterruptOut) Said() string {
	stopped := slices.DeleteFunc(slices.Clone(o.Panes), func(row interruptedRow) bool { return !row.Changed })
	if len(stopped) == 0 {
		return "nothing to interrupt in " + cmp.Or(verb.PanesNamed(o.Panes), o.Filters.Session)
	}
	return "interrupted " + verb.PanesNamed(stopped)
}

// Cell shows what the agent did after the keys, as far as it was waited for.
func (r *interruptedRow) Cell(title string) (report.Cell, bool) {
	switch {
	case title == "STATE" && r.State == "":
		return report.Toned(report.Dim, "not waited for"), true
	case title == "MESSAGE" && r.Delivery != "":
		return report.Text(string(r.Delivery) + ": " + r.DeliveryEvidence), true
	case title != "SCREEN":
		return r.PaneRow.Cell(title)
	case r.State == "":
		return report.Toned(report.Dim, "-"), true
	case r.Changed:
		return report.Toned(report.Good, "changed"), true
	}
	return report.Toned(report.Dim, cmp.Or(r.Why, "unchanged")), true
}
