package overview

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"cupola/core"
	"cupola/core/fleet/observe"
	"cupola/core/text/report"
	"cupola/core/verb"
	"cupola/core/verb/registry"
	"cupola/core/verb/work"
)

type markdownIn struct {
	registry.OfSession
	Compact   bool     `help:"Only counts and sessions"`
	Sections  []string `enum:"summary,sessions,agents,alerts,beads" help:"Only these sections"`
	MaxAlerts int      `min:"0" help:"Alerts to show, at most; 0 is all"`
	MaxBeads  int      `min:"0" default:"10" help:"Work items to show for each project, at most; 0 is all"`
}

type markdownOut struct {
	// Text is the page.
	Text string `json:"markdown"`
}

var markdown = registry.Define(registry.Spec[verb.OnFleet, markdownIn, markdownOut]{
	Name: "markdown", Of: "status --robot-format=markdown", Group: verb.GroupSee,
	Short: "Show the fleet as Markdown tables, for a chat or a pull request",
	Long:  "Beside another verb, --robot-markdown chooses the markdown format instead.",
	Scope: registry.Global, Effect: registry.Reads, Format: "markdown",
	Deprecated: registry.Prefixed{
		Prefix: "md",
		Flags:  []string{"compact", "max-alerts", "max-beads", "sections", "session"},
	},
	Examples: []string{"", "--compact", "--sections=agents"},
	Errors:   []core.Code{core.EngineUnavailable, core.SessionNotFound, core.PermissionDenied}, Run: runMarkdown,
}).SeeAlso("status", "attention")

func (o markdownOut) Report() *report.Report {
	return (&report.Report{}).Add(report.Block{Raw: o.Text + "\n"})
}

func runMarkdown(ctx context.Context, deps verb.OnFleet, in markdownIn) (markdownOut, error) {
	beads := in.shows("beads")
	snap, err := deps.Fleet.Overview.Snapshot(ctx, observe.View{Session: in.Session, Brief: true, Dirs: beads})
	if err != nil {
		return markdownOut{}, err
	}
	out := markdownOut{Text: markdownPage(snap, in)}
	if !beads {
		return out, nil
	}
	projects, err := work.ProjectsOf(ctx, deps.Env, snap)
	if err != nil {
		return out, err
	}
	out.Text = strings.TrimSpace(out.Text + "\n\n" + work.MarkdownBeads(projects, in.MaxBeads))
	return out, nil
}

// Markdown returns the page.
func (o markdownOut) Markdown() string { return o.Text }

// shows reports whether the page has a section.
func (in *markdownIn) shows(section string) bool {
	if len(in.Sections) > 0 {
		return slices.Contains(in.Sections, section)
	}
	return !in.Compact || section != "agents" && section != "beads"
}

func markdownPage(snap *core.Snapshot, in markdownIn) string {
	page := &strings.Builder{}
	if in.shows("summary") {
		markdownSummary(page, snap)
	}
	if in.shows("sessions") {
		markdownSessions(page, snap)
	}
	if in.shows("agents") {
		markdownAgents(page, snap)
	}
	if in.shows("alerts") && len(snap.Alerts) > 0 {
		markdownAlerts(page, snap.Alerts, in.MaxAlerts)
	}
	return strings.TrimSpace(page.String())
}

func markdownSummary(page *strings.Builder, snap *core.Snapshot) {
	counts := snap.Counts()
	fmt.Fprintf(page, "## Fleet\n\n%s, %s",
		verb.Plural(counts.Sessions, "session"), verb.Plural(counts.Agents, "agent"))
	for _, state := range core.States {
		if n := counts.ByState[state]; n > 0 {
			fmt.Fprintf(page, ", %d %s", n, state)
		}
	}
	if !snap.EngineUp {
		page.WriteString(" (no terminal server is running)")
	}
	page.WriteString("\n\n")
}

func markdownSessions(page *strings.Builder, snap *core.Snapshot) {
	page.WriteString("## Sessions\n\n")
	rows := core.Map(verb.SessionRows(snap), func(s verb.SessionRow) []string {
		return []string{
			s.Name, fmt.Sprint(s.Agents), fmt.Sprint(s.Working), fmt.Sprint(s.Waiting),
			fmt.Sprint(s.Trouble),
		}
	})
	verb.MarkdownTable(page, []string{"Session", "Agents", "Working", "Waiting", "Trouble"}, rows)
}

func markdownAgents(page *strings.Builder, snap *core.Snapshot) {
	page.WriteString("## Agents\n\n")
	rows := [][]string{}
	for _, pane := range snap.Panes() {
		if pane.IsAgent() {
			state := report.State(pane.Status).Text
			rows = append(rows,
				[]string{
					pane.Address(), pane.Agent.Name, string(pane.Agent.Kind), state,
					report.Age(pane.Status.Since, snap.Taken),
				})
		}
	}
	verb.MarkdownTable(page, []string{"Pane", "Agent", "Kind", "State", "Since"}, rows)
}

func markdownAlerts(page *strings.Builder, alerts []core.Alert, most int) {
	page.WriteString("## Alerts\n\n")
	if most > 0 && len(alerts) > most {
		alerts = alerts[:most]
	}
	rows := core.Map(alerts, func(alert core.Alert) []string {
		return []string{string(alert.Severity), string(alert.Type), alert.Subject, alert.Message}
	})
	verb.MarkdownTable(page, []string{"Severity", "Type", "Subject", "Message"}, rows)
}
