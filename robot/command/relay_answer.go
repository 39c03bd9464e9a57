package command

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"cupola/core/relay"
	"cupola/core/report"
	"cupola/core/shell"
	"cupola/robot/registry"
)

// relayOut is what became of one relay, or of a panel.
type relayOut struct {
	relayAnswer
	// Results are the answers of a panel, in the order in which its backends were named.
	Results []relayAnswer `json:"results"`
	// Opinions put the verdicts of a panel together.
	Opinions *relay.Opinions `json:"opinions,omitempty"`
	// Background is true for a relay that goes on in the background.
	Background bool `json:"background,omitempty"`
	DryRun     bool `json:"dry_run"`
	// Planned is what would run, with --dry-run.
	Planned []*relay.Plan `json:"planned,omitempty"`

	// shown is true where the text was shown while it came.
	shown bool
}

// relayAnswer is one relay with its answer. What does not apply is absent.
type relayAnswer struct {
	_ struct{} `minimal:"backend,state,text" standard:"id,backend,state,model,text,elapsed_ms,cost_usd,error"`
	*relay.Record
	// Verdict and Value are the answer in the form that was asked for.
	*relay.Verdict
	Value any `json:"value,omitempty"`
	// Repaired is true if the first answer did not fit the schema, and the second does.
	Repaired bool `json:"repaired,omitempty"`
}

func relayOutOf(record *relay.Record) relayOut {
	return relayOut{relayAnswer: relayAnswer{Record: record}, Results: []relayAnswer{}}
}

// add counts what an earlier try used.
func (a *relayAnswer) add(earlier *relayAnswer) {
	if a.Used != nil && earlier.Used != nil {
		a.Used.Add(earlier.Used)
	}
	a.CostUSD += earlier.CostUSD
	a.ElapsedMS += earlier.ElapsedMS
}

// Hints tells what went wrong without ending the relay.
func (o relayOut) Hints() *registry.Hints {
	var warnings []string
	if o.Record != nil {
		warnings = o.Warnings
	}
	for i := range o.Results {
		for _, warning := range o.Results[i].Warnings {
			warnings = append(warnings, o.Results[i].Backend+": "+warning)
		}
	}
	if len(warnings) == 0 {
		return nil
	}
	return &registry.Hints{Warnings: warnings}
}

// Next says how to follow a relay in the background.
func (o relayOut) Next() []registry.Action {
	if !o.Background {
		return nil
	}
	return []registry.Action{
		nextAction("wait", "Wait for the answer", "relay-wait", o.ID),
		nextAction("show", "See the answer as far as it came", "relay-show", o.ID),
		nextAction("cancel", "Stop it", "relay-cancel", o.ID),
	}
}

// Report shows the answer to a person.
func (o relayOut) Report() *report.Report {
	r := &report.Report{}
	switch {
	case o.DryRun:
		for _, plan := range o.Planned {
			reportPlan(r, plan)
		}
		return r
	case o.Background:
		return r.AddLine(report.Text("The relay "), report.Toned(report.Strong, o.ID),
			report.Text(fmt.Sprintf(" asks %s in the background.", o.Backend)))
	case len(o.Results) > 0:
		for i := range o.Results {
			o.Results[i].report(r)
		}
		if o.Opinions != nil {
			reportOpinions(r, o.Opinions)
		}
		return r
	case o.shown:
		return r.Add(report.Block{Quote: "\n"})
	case o.Record == nil:
		return r
	case o.Verdict != nil:
		return reportVerdict(r, o.Verdict)
	}
	return r.Add(report.Block{Quote: o.Text + "\n"})
}

// report shows one answer of several.
func (a *relayAnswer) report(r *report.Report) {
	facts := []string{(time.Duration(a.ElapsedMS) * time.Millisecond).Round(time.Second / 10).String()}
	if a.Model != "" {
		facts = append([]string{a.Model}, facts...)
	}
	if a.CostUSD > 0 {
		facts = append(facts, fmt.Sprintf("$%.4f", a.CostUSD))
	}
	block := report.Block{Heading: a.Backend + " (" + strings.Join(facts, ", ") + ")"}
	switch {
	case a.State != relay.Done:
		block.Lines = append(block.Lines, report.Line{report.Toned(report.Bad, a.Error)})
	case a.Verdict != nil:
		block.Lines = append(block.Lines, report.Line{
			report.Toned(report.Strong, string(a.Verdict.Verdict)+": "), report.Text(a.Conclusion),
		})
	default:
		block.Quote = a.Text + "\n"
	}
	r.Add(block)
}

func reportVerdict(r *report.Report, v *relay.Verdict) *report.Report {
	r.AddLine(report.Toned(report.Strong, string(v.Verdict)+": "), report.Text(v.Conclusion))
	for _, f := range v.Findings {
		r.AddLine(report.Toned(report.Dim, fmt.Sprintf("%-10s", f.Severity)), report.Text(f.Title),
			report.Toned(report.Dim, "  "+f.Location))
		r.AddLine(report.Text("          " + f.Rationale))
	}
	return r
}

func reportOpinions(r *report.Report, o *relay.Opinions) {
	heading := "Together: " + string(o.Verdict)
	if o.Split {
		heading += ", with objections"
	}
	block := report.Block{Heading: heading}
	for i := range o.Places {
		place := &o.Places[i]
		who := "raised by " + strings.Join(place.RaisedBy, ", ")
		if len(place.Objects) > 0 {
			who += "; " + strings.Join(place.Objects, ", ") + " would ship"
		}
		if len(place.Silent) > 0 {
			who += "; not raised by " + strings.Join(place.Silent, ", ")
		}
		block.Lines = append(block.Lines, report.Line{
			report.Toned(report.Dim, fmt.Sprintf("%-10s", place.Severity)), report.Text(place.Findings[0].Title),
			report.Toned(report.Dim, "  "+place.Location+"  "+who),
		})
		for _, f := range place.Findings {
			block.Lines = append(block.Lines,
				report.Line{report.Toned(report.Dim, "          "+f.Backend+": "), report.Text(f.Rationale)})
		}
	}
	r.Add(block)
}

// reportPlan shows a person what a relay would do.
func reportPlan(r *report.Report, p *relay.Plan) {
	fact := func(name, value string) {
		if value != "" {
			r.AddLine(report.Toned(report.Dim, fmt.Sprintf("%-10s", name)), report.Text(value))
		}
	}
	fact("backend", p.Backend)
	fact("model", p.Model)
	fact("directory", p.Dir)
	fact("sandbox", string(p.Sandbox)+": "+p.Guarantee)
	fact("address", p.URL)
	if p.Program != "" {
		fact("command", shell.Line(append([]string{p.Program}, p.Argv...)...))
	}
	for _, name := range slices.Sorted(maps.Keys(p.Set)) {
		fact("sets", name+"="+p.Set[name])
	}
	fact("unsets", strings.Join(p.Unset, ", "))
	if p.NativeReview {
		r.AddLine(report.Text("Its own review of the changes since " + p.Base + "; it gets no prompt."))
		return
	}
	r.Add(report.Block{Heading: fmt.Sprintf("Prompt (%d bytes)", p.Bytes), Quote: p.Prompt + "\n"})
}
