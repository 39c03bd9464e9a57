package command

import (
	"context"
	"fmt"

	"cupola/core"
	"cupola/core/report"
	"cupola/robot/registry"
)

type healthIn struct {
	registry.AnySession
	registry.OfPanes
	registry.Detail
	Check bool `help:"Fail with HEALTH_FAILED if a session is not healthy, for scripts"`
}

type healthOut struct {
	Filters filters `json:"filters,omitzero"`
	// Healthy is true if no agent is degraded, bad or gone, here and in diagnose alike.
	// One that waits for somebody is healthy; attention and problems tell of it.
	Healthy bool `json:"healthy"`
	// Sessions has a row a session.
	Sessions []sessionHealth `json:"sessions"`
	// Problems are the agents that are not ok, the rows of agent-health.
	Problems []agentHealthRow `json:"problems" minimal:"session,ordinal,health"`
	// Details has a row an agent with --verbose, as agent-health has.
	Details  []agentDetail    `json:"agent_details,omitempty"`
	Alerts   core.AlertCounts `json:"alerts"`
	EngineUp bool             `json:"engine_up"`

	snap *core.Snapshot
}

// sessionHealth is how a session fares.
type sessionHealth struct {
	_    struct{} `minimal:"name,health"`
	Name string   `json:"name"`
	// Health is the worst of its agents'; ok where there is none.
	Health   string `json:"health"`
	Agents   int    `json:"agent_count"`
	OK       int    `json:"ok"`
	Waiting  int    `json:"waiting"`
	Degraded int    `json:"degraded"`
	Bad      int    `json:"bad"`
	Gone     int    `json:"gone"`
	Unknown  int    `json:"unknown"`
}

var health = registry.Define(registry.Spec[healthIn, healthOut]{
	Name: "health", Group: groupSee, Short: "Report the health of sessions, and which agents have problems",
	Scope: registry.Session, Effect: registry.Reads, List: "sessions",
	Examples: []healthIn{{AnySession: registry.AnySession{Session: "api"}}, {}},
	Errors:   append([]core.Code{core.HealthFailed}, observing...),
	Run:      runHealth, Human: healthReport,
	Next: func(_ healthIn, out healthOut) []registry.Action { return remedies(out.Problems) },
}).SeeAlso("attention", "status")

func runHealth(ctx context.Context, deps *registry.Deps, in healthIn) (healthOut, error) {
	snap, panes, err := chosen(ctx, deps, targetOf(in.Session, in.OfPanes, true, nil))
	if err != nil {
		return healthOut{}, err
	}
	out := healthOut{
		Filters: filters{Session: in.Session, Panes: set(in.Panes), Type: set(in.Type)},
		Healthy: true, Sessions: []sessionHealth{}, Problems: []agentHealthRow{}, Alerts: core.CountAlerts(snap.Alerts),
		EngineUp: snap.EngineUp, snap: snap,
	}
	for _, pane := range panes {
		if n := len(out.Sessions); n == 0 || out.Sessions[n-1].Name != pane.Session {
			out.Sessions = append(out.Sessions, sessionHealth{Name: pane.Session, Health: healthOK})
		}
		if !pane.IsAgent() {
			continue
		}
		row := healthOf(pane, snap)
		out.Sessions[len(out.Sessions)-1].count(row.Health)
		if row.Health != healthOK {
			out.Problems = append(out.Problems, row)
		}
		if in.Verbose {
			out.Details = append(out.Details, agentDetailOf(pane))
		}
		out.Healthy = out.Healthy && wellEnough(row.Health)
	}
	if in.Check && !out.Healthy {
		return out, &core.Error{Code: core.HealthFailed, Message: plural(len(out.Problems), "agent") + " not well", Details: out}
	}
	return out, nil
}

func (s *sessionHealth) count(health string) {
	s.Agents++
	s.Health = worst(s.Health, health)
	switch health {
	case healthOK:
		s.OK++
	case healthWaiting:
		s.Waiting++
	case healthDegraded:
		s.Degraded++
	case healthBad:
		s.Bad++
	case healthGone:
		s.Gone++
	default:
		s.Unknown++
	}
}

func healthReport(_ healthIn, out healthOut) *report.Report {
	table := &report.Table{Columns: report.Columns("SESSION", "HEALTH", "AGENTS", "OK", "WAITING", "DEGRADED", "BAD", "GONE"), Empty: "no session yet"}
	for i := range table.Columns[2:] {
		table.Columns[i+2].Right = true
	}
	for _, s := range out.Sessions {
		row := []report.Cell{report.Toned(report.Strong, s.Name), report.Toned(healthTone(s.Health), s.Health)}
		for _, n := range []int{s.Agents, s.OK, s.Waiting, s.Degraded, s.Bad, s.Gone} {
			row = append(row, report.Text(fmt.Sprint(n)))
		}
		table.Rows = append(table.Rows, row)
	}
	r := (&report.Report{}).Add(report.Block{Table: table})
	if len(out.Problems) > 0 {
		r.Add(report.Block{Heading: "Not ok", Table: healthTable(out.Problems, out.snap)})
	}
	for _, action := range remedies(out.Problems) {
		r.Next = append(r.Next, report.Tip{Command: action.Command, Does: action.Description})
	}
	return r
}
