package agents

import (
	"context"
	"time"

	"cupola/core"
	"cupola/core/fleet/deliver"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

type probeIn struct {
	registry.InSession
	ProbeMethod string        `default:"auto" enum:"auto,process,screen,keystroke-echo" raises:"keystroke-echo=answers" help:"auto checks the process and watches the screen; keystroke-echo types a space at a shell prompt and removes it"`
	Timeout     time.Duration `default:"2s" help:"How long to watch the screen"`
	registry.OfPanes
	registry.UserPanes
}

type probeOut struct {
	Filters verb.Filters `json:"filters,omitzero"`
	// Panes has one row per pane.
	Panes   []probedRow  `json:"panes" empty:"no panes"`
	Summary probeSummary `json:"summary"`
}

// probeSummary counts panes by verdict.
type probeSummary struct {
	Responsive   int `json:"responsive"`
	Unresponsive int `json:"unresponsive"`
	Unproven     int `json:"unproven"`
}

// probedRow is whether one pane responds.
type probedRow struct {
	_ struct{} `minimal:"session,ordinal,verdict" table:"PANE,AGENT,VERDICT,PROCESS,EVIDENCE"`
	_ struct{} `standard:"session,ordinal,agent,state,verdict,method,alive,moved,unread_bytes"`
	verb.PaneRow
	deliver.Response
	// Unread counts bytes that were typed and not read.
	Unread verb.MaybeInt `json:"unread_bytes,omitzero"`
}

var probe = registry.Define(registry.Spec[verb.OnFleet, probeIn, probeOut]{
	Name: "probe", Of: "inspect-pane --probe-method=auto", Group: verb.GroupAgents,
	Short: "Say whether a pane responds, and what proves it",
	Long: "Checks whether the foreground program is running, has read what was typed, and changes its screen. " +
		"Nothing is typed unless keystroke-echo is chosen, which works in shells only.",
	Scope: registry.Session, Effect: registry.Reads, OnTerminals: true,
	Examples: []string{"api.1", "api --probe-method=process --all"},
	List:     "panes",
	Errors:   probing, Run: probed,
}).SeeAlso("tail", "health")

// probing are the codes of verbs that probe panes.
var probing = []core.Code{
	core.SessionNotFound, core.PaneNotFound, core.AgentNotFound, core.Conflict, core.NotReady, core.Timeout,
	core.EngineUnavailable,
}

func probed(ctx context.Context, deps verb.OnFleet, in probeIn) (probeOut, error) {
	target := verb.TargetOf(in.Session, in.OfPanes, in.All, nil)
	found, err := deps.Fleet.Sender.Probe(ctx,
		deliver.ProbeRequest{Target: target, Method: deliver.ProbeMethod(in.ProbeMethod), Timeout: in.Timeout})
	if err != nil {
		return probeOut{}, err
	}
	out := probeOut{Filters: verb.Echo(target)}
	for i := range found {
		p := &found[i]
		out.Panes = append(out.Panes,
			probedRow{PaneRow: verb.RowAt(p.PaneRef, &p.Status), Response: p.Response, Unread: verb.MaybeInt(p.Unread)})
		switch p.Verdict {
		case deliver.Responsive:
			out.Summary.Responsive++
		case deliver.Unresponsive:
			out.Summary.Unresponsive++
		default:
			out.Summary.Unproven++
		}
	}
	return out, nil
}
