package overview

import (
	"context"
	"fmt"
	"strings"

	"cupola/core"
	"cupola/core/fleet/observe"
	"cupola/core/text/report"
	"cupola/core/verb"
	"cupola/core/verb/registry"
	"cupola/core/verb/render"
)

type terseIn struct {
	registry.OfSession
}

type terseOut struct {
	// Line is the whole answer; its words keep their order and hold no blanks.
	Line    string           `json:"line"`
	Summary verb.Summary     `json:"summary"`
	Alerts  core.AlertCounts `json:"alerts"`
}

var terse = registry.Define(registry.Spec[verb.OnFleet, terseIn, terseOut]{
	Name: "terse", Of: "status --robot-format=terse", Group: verb.GroupSee,
	Short: "Sum up the fleet in one line, for prompts and status bars",
	Long:  "Beside another verb, --robot-terse chooses the terse format instead.",
	Scope: registry.Global, Effect: registry.Reads, Format: "terse",
	Examples: []string{"", "--session=api"},
	Errors:   []core.Code{core.EngineUnavailable, core.SessionNotFound, core.PermissionDenied}, Run: runTerse,
}).SeeAlso("status", "attention")

func (o terseOut) Report() *report.Report {
	return report.Say(report.Text(o.Line))
}

func runTerse(ctx context.Context, deps verb.OnFleet, in terseIn) (terseOut, error) {
	snap, err := deps.Fleet.Overview.Snapshot(ctx, observe.View{Session: in.Session, Brief: true})
	if err != nil {
		return terseOut{}, err
	}
	return terseOut{Line: terseLine(snap), Summary: verb.Summarise(snap), Alerts: core.CountAlerts(snap.Alerts)}, nil
}

// Terse returns the line.
func (o terseOut) Terse() string { return o.Line }

// terseLine writes a snapshot as one line: counts, alerts, who needs
// the user next, and working/agents of each session.
func terseLine(snap *core.Snapshot) string {
	counts := snap.Counts()
	words := []string{"cupola/1", fmt.Sprintf("sessions=%d", counts.Sessions), fmt.Sprintf("agents=%d", counts.Agents)}
	for _, state := range core.States {
		words = append(words, fmt.Sprintf("%s=%d", state, counts.ByState[state]))
	}
	words = append(words, fmt.Sprintf("done=%d", counts.Done))
	if counts.Snoozed > 0 {
		words = append(words, fmt.Sprintf("snoozed=%d", counts.Snoozed))
	}
	a := core.CountAlerts(snap.Alerts)
	words = append(words, fmt.Sprintf("alerts=%dc%de%dw%di", a.Critical, a.Error, a.Warning, a.Info),
		"next="+terseNext(snap))
	for _, row := range verb.SessionRows(snap) {
		words = append(words, fmt.Sprintf("%s=%d/%d", render.TerseValue(row.Name), row.Working, row.Agents))
	}
	return strings.Join(words, " ")
}

// terseNext names the pane that has waited longest: address/state/reason/age.
func terseNext(snap *core.Snapshot) string {
	var next *core.Pane
	for _, pane := range snap.Panes() {
		if pane.Status.State == core.Waiting && pane.IsAgent() && !pane.IsSnoozed() &&
			(next == nil || pane.Status.Since.Before(next.Status.Since)) {
			next = pane
		}
	}
	if next == nil {
		return "-"
	}
	parts := []string{
		next.Address(), string(next.Status.State), string(next.Status.Reason),
		report.Age(next.Status.Since, snap.Taken),
	}
	for i, part := range parts {
		parts[i] = strings.ReplaceAll(render.TerseValue(part), "/", "%2F")
	}
	return strings.Join(parts, "/")
}
