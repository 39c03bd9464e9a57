package health

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"cupola/core"
	"cupola/core/fleet"
	"cupola/core/fleet/lifecycle"
	"cupola/core/system/shell"
	"cupola/core/text/report"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

type diagnoseIn struct {
	registry.AnySession
	Pane  []string `alias:"panes" names:"panes" help:"Only these panes: ordinals, %IDs or agent names, separated by commas"`
	Brief bool     `help:"Only the findings, without the evidence"`
	Fix   bool     `help:"Fix what can be fixed without losing anything: adopt agents that have no name yet"`
}

// OnlyShows reports whether nothing is fixed.
func (in diagnoseIn) OnlyShows() bool { return !in.Fix }

type diagnoseOut struct {
	Filters verb.Filters `json:"filters,omitzero"`
	// Healthy is true if no agent is degraded, bad or gone, both here and in health.
	// One that waits for the user is healthy, but still a finding.
	Healthy bool `json:"healthy"`
	// Findings has one row per cause, the most severe first.
	Findings []finding `json:"findings"`
	// Fixed counts the rows that --fix repaired.
	Fixed    int  `json:"fixed_count"`
	EngineUp bool `json:"engine_up"`

	brief bool
}

// finding is one cause of trouble, and what repairs it.
type finding struct {
	_        struct{}      `minimal:"severity,subject,problem" standard:"severity,subject,problem,command"`
	_        struct{}      `table:",WHERE,AGENT,WHAT,COMMAND"`
	Severity core.Severity `json:"severity" table:",word"`
	// Subject is a pane's address or "engine".
	Subject string `json:"subject" names:"session" table:"WHERE,strong"`
	Agent   string `json:"agent,omitempty" table:"AGENT"`
	Problem string `json:"problem" table:"WHAT,flex"`
	// Evidence lists the observations, a line each; empty with --brief.
	Evidence []string `json:"evidence"`
	// Command repairs it or shows more.
	Command string `json:"command,omitempty" names:"command" table:"COMMAND,code"`
	// Fixable is true for what --fix repairs, Fixed once it did.
	Fixable bool `json:"fixable"`
	Fixed   bool `json:"fixed"`
}

var diagnose = registry.Define(registry.Spec[verb.OnFleet, diagnoseIn, diagnoseOut]{
	Name: "diagnose", Of: "health --show=findings", Group: verb.GroupSee,
	Short: "Find out what is wrong with agents, why, and how to fix it",
	Long: "Checks every agent and the engine. --fix applies only remedies that lose nothing; the others are given " +
		"as commands.",
	Scope: registry.Session, Effect: registry.Writes, List: "findings",
	Deprecated: registry.Prefixed{Prefix: "diagnose", Flags: []string{"brief", "fix", "pane"}},
	Examples:   []string{"api", "--brief"},
	Errors:     append([]core.Code{core.Conflict}, verb.Observing...), Run: runDiagnose,
}).SeeAlso("health", "tail")

func runDiagnose(ctx context.Context, deps verb.OnFleet, in diagnoseIn) (diagnoseOut, error) {
	target := verb.TargetOf(in.Session, registry.OfPanes{Panes: in.Pane}, false, nil)
	snap, panes, err := deps.Chosen(ctx, target)
	if err != nil {
		return diagnoseOut{}, err
	}
	out := diagnoseOut{
		Filters:  verb.Filters{Session: in.Session, Panes: verb.Asked(in.Pane)},
		Findings: findings(snap, panes), EngineUp: snap.EngineUp, brief: in.Brief,
	}
	if in.Fix {
		if out.Fixed, err = repairAll(ctx, deps.Fleet, out.Findings); err != nil {
			return out, err
		}
	}
	for i := range out.Findings {
		if in.Brief {
			out.Findings[i].Evidence = []string{}
		}
	}
	out.Healthy = !slices.ContainsFunc(panes, func(p *core.Pane) bool { return !acceptable(ConditionOf(p).Health) })
	return out, nil
}

// findings are the causes of trouble of some panes and of the engine, the most severe first.
func findings(snap *core.Snapshot, panes []*core.Pane) []finding {
	var found []finding
	if !snap.EngineUp {
		found = append(found, finding{
			Severity: core.SeverityInfo, Subject: "engine", Problem: "no terminal server runs",
			Command: "cupola spawn api --spawn-cc=1",
		})
	}
	for _, pane := range panes {
		found = append(found, findingsOf(pane, snap.Alerts)...)
	}
	slices.SortStableFunc(found, func(a, b finding) int { return a.Severity.Compare(b.Severity) })
	return found
}

// repairAll repairs what loses nothing, and counts that.
func repairAll(ctx context.Context, f *fleet.Fleet, found []finding) (fixed int, err error) {
	for i := range found {
		if !found[i].Fixable {
			continue
		}
		if err := repair(ctx, f, &found[i]); err != nil {
			return fixed, err
		}
		fixed++
	}
	return fixed, nil
}

// findingsOf says what is wrong with one agent: what its state says, or else the
// open alerts about it.
func findingsOf(pane *core.Pane, alerts []core.Alert) []finding {
	var findings []finding
	c := ConditionOf(pane)
	found := finding{
		Subject: pane.Address(), Agent: pane.Agent.Name, Problem: c.Why,
		Evidence: pane.Status.Evidence, Command: c.Command,
	}
	switch c.Health {
	case healthBad, healthGone:
		found.Severity = core.SeverityError
	case healthWaiting, healthDegraded:
		found.Severity = core.SeverityWarning
	case healthUnknown:
		found.Severity = core.SeverityInfo
	}
	if found.Severity != "" {
		findings = append(findings, found)
	} else {
		findings = alertFindings(pane, alerts)
	}
	if pane.View.InMode {
		findings = append(findings, finding{
			Severity: core.SeverityInfo, Subject: pane.Address(), Agent: pane.Agent.Name,
			Problem: "it is in copy mode; prompts are refused until that ends",
			Command: shell.Line("cupola", "attach", pane.Address()),
		})
	}
	if !pane.Managed {
		findings = append(findings, finding{
			Severity: core.SeverityInfo, Subject: pane.Address(), Agent: pane.Agent.Name, Fixable: true,
			Problem:  "Cupola did not start it: its number can change",
			Evidence: []string{recognised(pane)},
			Command:  shell.Line("cupola", "adopt", pane.Address()),
		})
	}
	return findings
}

// alertFindings are the open alerts about an agent whose state is otherwise fine: that
// its screen does not change, or that it did not take up a prompt.
func alertFindings(pane *core.Pane, alerts []core.Alert) []finding {
	var findings []finding
	for i := range alerts {
		if a := &alerts[i]; a.Pane == pane.ID && a.Open() && a.Severity != core.SeverityInfo {
			findings = append(findings, finding{
				Severity: a.Severity, Subject: pane.Address(), Agent: pane.Agent.Name, Problem: a.Message,
				Evidence: pane.Status.Evidence,
				Command:  shell.Line("cupola", "tail", pane.Address()),
			})
		}
	}
	return findings
}

// repair adopts the agent that a finding is about.
func repair(ctx context.Context, f *fleet.Fleet, found *finding) error {
	pane, err := f.Launcher.Adopt(ctx, lifecycle.AdoptRequest{Pane: found.Subject})
	if err != nil {
		return err
	}
	found.Fixed = true
	found.Evidence = []string{fmt.Sprintf("adopted as %s (%s)", pane.Agent.Name, pane.Address())}
	return nil
}

func (o diagnoseOut) Next() []registry.Action {
	var actions []registry.Action
	for _, found := range o.Findings {
		if found.Command != "" && !found.Fixed && len(actions) < verb.MostPlaces {
			actions = append(actions,
				registry.Action{
					Action: "mend", Description: found.Subject + ": " + found.Problem, Command: found.Command,
				})
		}
	}
	return actions
}

func (o diagnoseOut) Report() *report.Report {
	if len(o.Findings) == 0 {
		return report.Say(report.Toned(report.Good, "Nothing is wrong."))
	}
	r := report.TableOf(o.Findings, time.Time{}, "").Report()
	for _, found := range o.Findings {
		if len(found.Evidence) == 0 || found.Fixed || o.brief || found.Severity == core.SeverityInfo {
			continue
		}
		r.Add(report.Block{
			Heading: found.Subject,
			Lines:   []report.Line{{report.Toned(report.Dim, strings.Join(found.Evidence, "; "))}},
		})
	}
	return r
}

// Cell shows what repaired a finding in place of what would.
func (f *finding) Cell(title string) (report.Cell, bool) {
	if title == "COMMAND" && f.Fixed {
		return report.Toned(report.Good, cmp.Or(strings.Join(f.Evidence, "; "), "fixed")), true
	}
	return report.Cell{}, false
}

// recognised says how the kind of a pane's agent is known.
func recognised(pane *core.Pane) string {
	if len(pane.Agent.Signs) == 0 {
		return "recognised by its " + pane.Agent.Recognised
	}
	return "recognised by " + core.Join(pane.Agent.Signs, ", ")
}
