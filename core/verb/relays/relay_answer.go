package relays

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"cupola/core"

	"cupola/core/run/relay"
	"cupola/core/system/shell"
	"cupola/core/text/report"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

// RelayOut is the result of a relay, or of a panel.
type RelayOut struct {
	// Results has a row for each backend, in the order in which they were named; one for a panel with more than one
	// round.
	Results []Answer `json:"results" empty:"no backend was asked"`
	// Opinions put the verdicts of a panel together.
	Opinions *relay.Opinions `json:"opinions,omitempty"`
	// Background is true for relays that run in the background.
	Background bool `json:"background,omitempty"`
	DryRun     bool `json:"dry_run"`
	// Planned are the relays that would run, with --dry-run.
	Planned []*relay.Plan `json:"planned,omitempty"`

	// shown is true where the text was shown while it came.
	shown bool
	// render is true where the Markdown of answers is laid out.
	render bool
}

// Spent is the sum of what the backends cost; it is not known where that of one is not.
func (o RelayOut) Spent() (usd float64, known bool) {
	for i := range o.Results {
		if !o.Results[i].CostKnown() {
			return 0, false
		}
		usd += o.Results[i].CostUSD
	}
	return verb.Rounded(usd, 4), len(o.Results) > 0
}

// Answer is one relay with its answer. What does not apply is absent.
type Answer struct {
	_ struct{} `minimal:"backend,state,text" standard:"id,backend,state,model,text,elapsed_ms,cost_usd,error"`
	relay.Record
	// Verdict, Conclusion and Findings are the answer as a verdict; Value is one that fits a schema.
	Verdict    relay.Opinion   `json:"verdict,omitempty"`
	Conclusion string          `json:"conclusion,omitempty"`
	Findings   []relay.Finding `json:"findings,omitempty"`
	Value      any             `json:"value,omitempty"`
	// Repaired is true if the first answer did not fit the schema, and the second does.
	Repaired bool `json:"repaired,omitempty"`

	// judged is the verdict; nil if none was asked for, or none came.
	judged *relay.Verdict
}

// relayOutOf is the answer about one relay; nil is none.
func relayOutOf(record *relay.Record) RelayOut {
	if record == nil {
		return RelayOut{Results: []Answer{}}
	}
	return RelayOut{Results: []Answer{{Record: *record}}}
}

// untilNow counts the time of a relay that runs.
func untilNow(record *relay.Record, now time.Time) {
	if !record.State.Ended() {
		record.ElapsedMS = max(0, now.Sub(record.Started).Milliseconds())
	}
}

// take takes the verdict that an answer holds.
func (a *Answer) take(v *relay.Verdict) {
	a.judged, a.Verdict, a.Conclusion, a.Findings = v, v.Verdict, v.Conclusion, v.Findings
}

// add counts what an earlier try used.
func (a *Answer) add(earlier *Answer) {
	if a.Used != nil && earlier.Used != nil {
		a.Used.Add(earlier.Used)
	}
	a.CostUSD += earlier.CostUSD
	a.ElapsedMS += earlier.ElapsedMS
}

// Hints warns of faults that did not end a relay.
func (o RelayOut) Hints() *registry.Hints {
	var warnings []string
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

// Next says how to follow relays in the background.
func (o RelayOut) Next() []registry.Action {
	if !o.Background {
		return nil
	}
	ids := core.Map(o.Results, func(a Answer) string { return a.ID })
	return []registry.Action{
		verb.NextAction("wait", "Wait for the answer", append([]string{"relay-wait"}, ids...)...),
		verb.NextAction("show", "See the answer as far as it came", "relay-show", ids[0]),
		verb.NextAction("cancel", "Stop it", "relay-cancel", ids[0]),
	}
}

// Lead leaves the hint of a failure as it is.
func (o RelayOut) Lead() string { return "" }

// Began is the id of the only relay that runs in the background; empty if there is none.
func (o RelayOut) Began() string {
	if !o.Background || len(o.Results) != 1 {
		return ""
	}
	return o.Results[0].ID
}

// Said says in a line what became of the relays, or who is asked by them.
func (o RelayOut) Said() string {
	var said []string
	for i := range o.Results {
		one := &o.Results[i]
		if o.Background {
			said = append(said, one.Backend+" is asked in the background: "+one.ID)
		} else {
			said = append(said, "the relay "+one.ID+" is "+string(one.State))
		}
	}
	return strings.Join(said, "; ")
}

// Report shows the answers to a person.
func (o RelayOut) Report() *report.Report {
	r := &report.Report{}
	switch {
	case o.DryRun:
		for _, plan := range o.Planned {
			reportPlans(r, plan)
		}
	case o.Background:
		for i := range o.Results {
			r.AddLine(report.Text("The relay "), report.Toned(report.Strong, o.Results[i].ID),
				report.Text(" asks "+o.Results[i].Backend+" in the background."))
		}
	case o.shown:
		r.Add(report.Block{Quote: "\n"})
		for i := range o.Results {
			o.Results[i].reportRanking(r)
		}
	case len(o.Results) == 1 && o.Results[0].State == relay.Done:
		o.Results[0].reportAlone(r, o.render)
	default:
		for i := range o.Results {
			o.Results[i].report(r, o.render)
		}
		if o.Opinions != nil {
			reportOpinions(r, o.Opinions)
		}
	}
	return r
}

// reportAlone shows the answer of the only backend, and nothing else.
func (a *Answer) reportAlone(r *report.Report, render bool) {
	switch {
	case a.judged != nil:
		reportVerdict(r, a.judged)
		return
	case a.Rounds != nil:
		a.reportRounds(r, render)
		return
	}
	block := report.Block{}
	a.quote(&block, render)
	r.Add(block)
}

// quote puts the text of an answer into a block, to be laid out or as it is.
func (a *Answer) quote(block *report.Block, render bool) {
	if render {
		block.Markdown = a.Text
	} else {
		block.Quote = a.Text + "\n"
	}
}

// reportRounds shows all rounds of a panel as far as they came: the answers, the ranking, and the summary.
func (a *Answer) reportRounds(r *report.Report, render bool) {
	for i := range a.Rounds.Answers {
		(&Answer{Record: a.Rounds.Answers[i]}).report(r, render)
	}
	a.reportRanking(r)
	if a.Rounds.Chair != nil {
		chair := Answer{Record: *a.Rounds.Chair}
		chair.Backend += " sums up"
		chair.report(r, render)
	}
}

// reportRanking shows how the answers of a panel were ranked; nothing if they were not.
func (a *Answer) reportRanking(r *report.Report) {
	if a.Rounds == nil || a.Rounds.Ranking == nil {
		return
	}
	ranking := a.Rounds.Ranking
	block := report.Block{Heading: "Ranking", Table: &report.Table{
		Columns: report.Columns("RANK", "BACKEND", "MEAN RANK", "RANKINGS"), Empty: "no ranking could be read",
	}}
	for i := range ranking.Standings {
		row := &ranking.Standings[i]
		block.Table.Rows = append(block.Table.Rows, []report.Cell{
			report.Text(row.RankText()), report.Toned(report.Strong, row.Backend),
			report.Text(fmt.Sprintf("%.2f", row.MeanRank)), report.Text(strconv.Itoa(row.Rankings)),
		})
	}
	r.Add(block)
	faults := report.Block{}
	for _, fault := range ranking.Faults() {
		faults.Lines = append(faults.Lines, report.Line{report.Toned(report.Warn, fault)})
	}
	r.Add(faults)
}

// report shows one answer of several, or one that has not come.
func (a *Answer) report(r *report.Report, render bool) {
	facts := []string{string(a.State), (time.Duration(a.ElapsedMS) * time.Millisecond).Round(time.Second / 10).String()}
	if a.Model != "" {
		facts = append([]string{a.Model}, facts...)
	}
	if a.CostUSD > 0 {
		facts = append(facts, fmt.Sprintf("$%.4f", a.CostUSD))
	}
	block := report.Block{Heading: a.Backend + " (" + strings.Join(facts, ", ") + ")"}
	switch {
	case a.Rounds != nil:
		a.reportRounds(r, render)
	case a.judged != nil:
		block.Lines = append(block.Lines, report.Line{
			report.Toned(report.Strong, string(a.Verdict)+": "), report.Text(a.Conclusion),
		})
	case a.Text != "":
		a.quote(&block, render)
	}
	if a.Error != "" {
		block.Lines = append(block.Lines, report.Line{report.Toned(report.Bad, a.Error)})
	}
	r.Add(block)
}

func reportVerdict(r *report.Report, v *relay.Verdict) {
	r.AddLine(report.Toned(report.Strong, string(v.Verdict)+": "), report.Text(v.Conclusion))
	for _, f := range v.Findings {
		r.AddLine(report.Toned(report.Dim, fmt.Sprintf("%-10s", f.Severity)), report.Text(f.Title),
			report.Toned(report.Dim, "  "+f.Location))
		r.AddLine(report.Text("          " + f.Rationale))
	}
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

// reportPlans shows a person what a relay would do, or all rounds of a panel.
func reportPlans(r *report.Report, p *relay.Plan) {
	if p.Members == nil {
		reportPlan(r, p)
		return
	}
	for _, member := range p.Members {
		reportPlan(r, member)
	}
	if p.Ranks {
		r.AddLine(report.Text("Then each ranks the answers of the others: it gets its prompt with these behind it."))
	}
	if p.Chair != nil {
		r.AddLine(report.Text("Then " + p.Chair.Backend + " sums up: it gets this with the answers behind it."))
		reportPlan(r, p.Chair)
	}
}

// reportPlan shows a person what one relay would do.
func reportPlan(r *report.Report, p *relay.Plan) {
	facts := [][2]string{
		{"backend", p.Backend},
		{"model", p.Model},
		{"directory", p.Dir},
		{"sandbox", string(p.Sandbox) + ": " + p.Guarantee},
		{"address", p.URL},
	}
	if p.Program != "" {
		facts = append(facts, [2]string{"command", shell.Line(append([]string{p.Program}, p.Argv...)...)})
	}
	for _, name := range slices.Sorted(maps.Keys(p.Set)) {
		facts = append(facts, [2]string{"sets", name + "=" + p.Set[name]})
	}
	r.AddFacts(10, append(facts, [2]string{"unsets", strings.Join(p.Unset, ", ")})...)
	if p.NativeReview {
		r.AddLine(report.Text("Its own review of the changes since " + p.Base + "; it gets no prompt."))
		return
	}
	r.Add(report.Block{Heading: fmt.Sprintf("Prompt (%d bytes)", p.Bytes), Quote: p.Prompt + "\n"})
}
