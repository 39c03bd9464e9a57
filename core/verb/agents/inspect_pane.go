package agents

import (
	"context"
	"fmt"
	"strings"
	"time"

	"cupola/core"
	"cupola/core/fleet"
	"cupola/core/fleet/deliver"
	"cupola/core/fleet/observe"
	"cupola/core/fleet/output"
	"cupola/core/text/report"
	"cupola/core/verb"
	"cupola/core/verb/health"
	"cupola/core/verb/registry"
)

type inspectIn struct {
	registry.InSession
	Index int  `min:"-1" default:"-1" help:"Ordinal of the pane, if only the session is named; -1 is its first agent"`
	Lines int  `min:"0" max:"100000" default:"50" help:"Lines from the bottom; 0 is the whole screen"`
	Code  bool `help:"List the fenced code blocks found in those lines"`

	Signals     bool          `help:"Also why it is in its state: every signal, with its rule and line"`
	ProbeMethod string        `enum:"auto,process,screen,keystroke-echo" raises:"keystroke-echo=answers" help:"Also whether it responds: auto checks the process and watches the screen; keystroke-echo types a space at a shell prompt and removes it"`
	Timeout     time.Duration `default:"2s" help:"How long to watch the screen with --probe-method"`
}

type inspectOut struct {
	verb.PaneRow
	// Details are the details of status --verbose, in one row.
	Details []verb.PaneDetail `json:"pane_details"`
	output.Shown
	// CodeBlocks is absent without --code.
	CodeBlocks []output.CodeBlock `json:"code_blocks"`
	// Explanation is why it is in its state, with --signals; Response whether it responds, with --probe-method.
	Explanation *health.Explanation `json:"explanation,omitempty"`
	Response    *probedRow          `json:"response,omitempty"`
}

var inspect = registry.Define(registry.Spec[verb.OnFleet, inspectIn, inspectOut]{
	Name: "inspect-pane", Group: verb.GroupAgents, Short: "Show everything about one pane",
	Schema:  "inspect",
	Aliases: []string{"inspect", "pane show"},
	Long: "Its process, folder, title and last lines; --signals adds why it is in its state, " +
		"--probe-method whether it responds.",
	Scope: registry.Session, Effect: registry.Reads, OnTerminals: true,
	Deprecated: registry.Prefixed{Prefix: "inspect", Flags: []string{"code", "index", "lines"}},
	Examples:   []string{"api.1", "api --index=1 --lines=20 --code", "api.1 --lines=1 --signals"},
	Errors:     probing,
	Run:        runInspect,
}).SeeAlso("tail", "health")

func runInspect(ctx context.Context, deps verb.OnFleet, in inspectIn) (inspectOut, error) {
	address, err := inspected(ctx, deps.Fleet, in)
	if err != nil {
		return inspectOut{}, err
	}
	seen, err := deps.Fleet.Output.Inspect(ctx, address, in.Lines)
	if err != nil {
		return inspectOut{}, err
	}
	out := inspectOut{
		PaneRow: verb.RowOf(&seen.Pane), Details: []verb.PaneDetail{verb.DetailOf(&seen.Pane)}, Shown: seen.Tail.Shown,
	}
	if in.Code {
		out.CodeBlocks = seen.Code
	}
	if in.Signals {
		if out.Explanation, err = health.Explain(ctx, deps, string(seen.Pane.ID)); err != nil {
			return out, err
		}
	}
	if in.ProbeMethod != "" {
		found, err := probed(ctx, deps, probeIn{
			InSession:   registry.InSession{Session: string(seen.Pane.ID)},
			ProbeMethod: in.ProbeMethod, Timeout: in.Timeout, UserPanes: registry.UserPanes{All: true},
		})
		if err != nil {
			return out, err
		}
		out.Response = &found.Panes[0]
	}
	return out, nil
}

// inspected is the address of the pane to inspect: where the session alone
// is named, its first agent.
func inspected(ctx context.Context, f *fleet.Fleet, in inspectIn) (string, error) {
	if in.Index >= 0 {
		return core.AddressOf(in.Session, in.Index).String(), nil
	}
	snap, err := f.Overview.Snapshot(ctx, observe.View{})
	if err != nil {
		return "", err
	}
	if session := snap.Session(in.Session); session != nil {
		if programs := session.Programs(); len(programs) > 0 {
			return string(programs[0].ID), nil
		}
	}
	return in.Session, nil
}

func (o inspectOut) Report() *report.Report {
	status := core.Status{State: o.State, Reason: o.Reason}
	facts := &report.Table{Columns: report.Columns("", "")}
	fact := func(name string, cell report.Cell) {
		if cell.Text != "" {
			facts.Rows = append(facts.Rows, []report.Cell{report.Toned(report.Dim, name), cell})
		}
	}
	d := o.Details[0]
	fact("pane", report.Toned(report.Strong, o.Address()+" ("+string(o.Pane)+")"))
	fact("agent", report.Text(strings.TrimSpace(o.Agent+" "+string(o.Kind)+" "+o.Variant)))
	fact("state", report.State(status))
	fact("evidence", report.Text(strings.Join(d.Evidence, "; ")))
	fact("process", report.Text(fmt.Sprintf("%s (pid %d)", d.Command, d.PID)))
	fact("started as", report.Toned(report.Code, d.Launch))
	fact("folder", report.Text(d.Dir))
	fact("title", report.Text(d.Title))
	fact("size", report.Text(fmt.Sprintf("%dx%d", d.Width, d.Height)))
	r := facts.Report().Add(report.Block{Quote: strings.Join(o.Lines, "\n") +
		"\n"})
	if !o.Complete {
		r.AddLine(report.Toned(report.Dim, o.Why))
	}
	if o.Explanation != nil {
		r.Add(o.Explanation.Block())
	}
	if o.Response != nil {
		r.AddRows("", []probedRow{*o.Response}, time.Time{})
	}
	return r
}

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
