// Package health declares the verbs that judge agents: what each does, since when, how it is known, and what is
// wrong with it.
package health

import (
	"context"
	"time"

	"cupola/core"
	"cupola/core/text/report"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

type healthIn struct {
	registry.AnySession
	registry.OfPanes
	registry.Detail
	Check bool `help:"Fail with HEALTH_FAILED if a session is not healthy, for scripts"`
}

type healthOut struct {
	Filters verb.Filters `json:"filters,omitzero"`
	// Healthy is true if no agent is degraded, bad or gone, both here and in diagnose.
	// One that waits for the user is healthy; attention and problems list it.
	Healthy bool `json:"healthy"`
	// Sessions has one row per session.
	Sessions []sessionHealth `json:"sessions"`
	// Problems are the agents that are not ok, the rows of agent-health.
	Problems []agentHealthRow `json:"problems" minimal:"session,ordinal,health"`
	// Details has one row per agent with --verbose, as agent-health has.
	Details  []agentDetail    `json:"agent_details,omitempty"`
	Alerts   core.AlertCounts `json:"alerts"`
	EngineUp bool             `json:"engine_up"`

	at time.Time
}

// sessionHealth is how a session fares.
type sessionHealth struct {
	_    struct{} `minimal:"name,health"`
	Name string   `json:"name" table:"SESSION,strong"`
	// Health is the worst of its agents'; ok where there is none.
	Health   string `json:"health" table:"HEALTH,word"`
	Agents   int    `json:"agent_count" table:"AGENTS"`
	OK       int    `json:"ok" table:"OK"`
	Waiting  int    `json:"waiting" table:"WAITING"`
	Degraded int    `json:"degraded" table:"DEGRADED"`
	Bad      int    `json:"bad" table:"BAD"`
	Gone     int    `json:"gone" table:"GONE"`
	Unknown  int    `json:"unknown"`
}

var health = registry.Define(registry.Spec[verb.OnFleet, healthIn, healthOut]{
	Name: "health", Group: verb.GroupSee, Short: "Report the health of sessions, and which agents have problems",
	Scope: registry.Session, Effect: registry.Reads, List: "sessions",
	Examples: []string{"api", ""},
	Errors:   append([]core.Code{core.HealthFailed}, verb.Observing...), Run: runHealth,
}).SeeAlso("attention", "status")

func (o healthOut) Next() []registry.Action {
	return remedies(o.Problems)
}

func runHealth(ctx context.Context, deps verb.OnFleet, in healthIn) (healthOut, error) {
	snap, panes, err := deps.Chosen(ctx, verb.TargetOf(in.Session, in.OfPanes, true, nil))
	if err != nil {
		return healthOut{}, err
	}
	out := healthOut{
		Filters: verb.Filters{Session: in.Session, Panes: verb.Asked(in.Panes), Type: verb.Asked(in.Type)},
		Healthy: true, Alerts: core.CountAlerts(snap.Alerts),
		EngineUp: snap.EngineUp, at: snap.Taken,
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
		out.Healthy = out.Healthy && acceptable(row.Health)
	}
	if in.Check && !out.Healthy {
		return out, &core.Error{
			Code: core.HealthFailed, Message: verb.Plural(len(out.Problems), "agent") + " not well",
			Details: healthDetails(out),
		}
	}
	return out, nil
}

// healthDetails is an answer without its methods: as details of a failure it is not shown to people.
type healthDetails healthOut

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

func (o healthOut) Report() *report.Report {
	r := report.TableOf(o.Sessions, o.at, "no session yet").Report().AddRows("Not ok", o.Problems, o.at)
	r.Next = verb.Tips(remedies(o.Problems))
	return r
}
