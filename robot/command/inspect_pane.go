package command

import (
	"context"
	"fmt"
	"strings"

	"cupola/core"
	"cupola/core/fleet"
	"cupola/core/fleet/observe"
	"cupola/core/fleet/output"
	"cupola/core/report"
	"cupola/robot/registry"
)

type inspectIn struct {
	registry.InSession
	Index int  `min:"-1" help:"Ordinal of the pane, if only the session is named; -1 is its first agent"`
	Lines int  `min:"0" max:"100000" help:"Lines from the bottom; 0 is the whole screen"`
	Code  bool `help:"List the fenced code blocks found in those lines"`
}

type inspectOut struct {
	paneRow
	// Details are those that status gives with --verbose, in one row.
	Details []paneDetail `json:"pane_details"`
	output.Shown
	// CodeBlocks is absent without --code.
	CodeBlocks []output.CodeBlock `json:"code_blocks"`
}

var inspect = registry.Define(registry.Spec[inspectIn, inspectOut]{
	Name: "inspect-pane", Group: groupAgents, Short: "Show everything about one pane", Schema: "inspect",
	Aliases: []string{"pane show"},
	Scope:   registry.Session, Effect: registry.Reads,
	Deprecated: registry.Prefixed{Prefix: "inspect", Flags: []string{"code", "index", "lines"}},
	Default:    inspectIn{Index: -1, Lines: 50},
	Examples: []inspectIn{
		{InSession: registry.InSession{Session: "api.1"}, Index: -1, Lines: 50},
		{InSession: registry.InSession{Session: "api"}, Index: 1, Lines: 20, Code: true},
	},
	Errors: []core.Code{core.SessionNotFound, core.PaneNotFound, core.AgentNotFound, core.EngineUnavailable},
	Run:    runInspect, Human: inspectReport,
}).SeeAlso("tail", "explain")

func runInspect(ctx context.Context, deps *registry.Deps, in inspectIn) (inspectOut, error) {
	f, err := deps.Fleet()
	if err != nil {
		return inspectOut{}, err
	}
	address, err := inspected(ctx, f, in)
	if err != nil {
		return inspectOut{}, err
	}
	seen, err := f.Output.Inspect(ctx, address, in.Lines)
	if err != nil {
		return inspectOut{}, err
	}
	out := inspectOut{
		paneRow: rowOf(&seen.Pane), Details: []paneDetail{detailOf(&seen.Pane)}, Shown: seen.Tail.Shown,
	}
	if in.Code {
		out.CodeBlocks = seen.Code
	}
	return out, nil
}

// inspected is the address of the pane that is meant: where the session alone
// is named, its first agent.
func inspected(ctx context.Context, f *fleet.Fleet, in inspectIn) (string, error) {
	if in.Index >= 0 {
		return core.Address(in.Session, in.Index), nil
	}
	snap, err := f.Overview.Snapshot(ctx, observe.View{})
	if err != nil {
		return "", err
	}
	if session := snap.Session(in.Session); session != nil {
		if agents := session.Agents(); len(agents) > 0 {
			return string(agents[0].ID), nil
		}
	}
	return in.Session, nil
}

func inspectReport(_ inspectIn, out inspectOut) *report.Report {
	status := core.Status{State: out.State, Reason: out.Reason}
	facts := &report.Table{Columns: report.Columns("", "")}
	fact := func(name string, cell report.Cell) {
		if cell.Text != "" {
			facts.Rows = append(facts.Rows, []report.Cell{report.Toned(report.Dim, name), cell})
		}
	}
	d := out.Details[0]
	fact("pane", report.Toned(report.Strong, out.Address()+" ("+string(out.Pane)+")"))
	fact("agent", report.Text(strings.TrimSpace(out.Agent+" "+string(out.Kind)+" "+out.Variant)))
	fact("state", report.State(status))
	fact("evidence", report.Text(strings.Join(d.Evidence, "; ")))
	fact("process", report.Text(fmt.Sprintf("%s (pid %d)", d.Command, d.PID)))
	fact("started as", report.Toned(report.Code, d.Launch))
	fact("folder", report.Text(d.Dir))
	fact("title", report.Text(d.Title))
	fact("size", report.Text(fmt.Sprintf("%dx%d", d.Width, d.Height)))
	r := (&report.Report{}).Add(report.Block{Table: facts}).Add(report.Block{Quote: strings.Join(out.Lines, "\n") +
		"\n"})
	if !out.Complete {
		r.Add(report.Block{Lines: []report.Line{{report.Toned(report.Dim, out.Why)}}})
	}
	return r
}
