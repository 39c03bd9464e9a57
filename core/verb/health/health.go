// Package health declares the verbs that judge agents: what each does, since when, how it is known, and what is
// wrong with it.
package health

import (
	"context"
	"slices"
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
	Strict bool     `flag:"check" help:"Fail with HEALTH_FAILED if a session is not healthy, for scripts"`
	Show   []string `enum:"agents,rates,context,findings" help:"Also agents: what each does, since when, and what to do with it; rates: how fast each writes, too; context: how much of its context window each has used; findings: what is wrong, why, and what repairs it"`
	Fix    bool     `raises:"writes" help:"With findings: fix what can be fixed without losing anything, by adopting agents that have no name yet"`
}

// shows reports whether a part was asked for.
func (in *healthIn) shows(part string) bool { return slices.Contains(in.Show, part) }

// Check sees that findings are shown where they are to be repaired.
func (in healthIn) Check() error {
	if in.Fix && !in.shows("findings") {
		return registry.Missing("--fix repairs findings", "Give --show=findings too.", "--show")
	}
	return nil
}

type healthOut struct {
	Filters verb.Filters `json:"filters,omitzero"`
	// Healthy is true if no agent is degraded, bad or gone.
	// One that waits for the user is healthy; attention and problems list it.
	Healthy bool `json:"healthy"`
	// Sessions has one row per session.
	Sessions []sessionHealth `json:"sessions"`
	// Problems are the agents that are not ok.
	Problems []agentHealthRow `json:"problems" minimal:"session,ordinal,health"`
	// Agents has one row per agent with --show=agents, and Findings one per cause of trouble with --show=findings, the
	// most severe first. Fixed counts those that --fix repaired.
	Agents   []agentRow `json:"agents,omitempty"`
	Findings []finding  `json:"findings,omitempty"`
	// Context has one row per agent with --show=context.
	Context []contextRow `json:"context,omitempty"`
	Fixed   int          `json:"fixed_count,omitempty"`
	// Details has one row per agent with --verbose: process, age, evidence.
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
	Name: "health", Group: verb.GroupSee, Short: "Judge sessions and agents, and repair them",
	Long: "One row for each session, and the agents with problems; --show adds what each does, and what is " +
		"wrong and how it is repaired. " +
		"--fix applies only remedies that lose nothing; the others are given as commands.",
	Scope: registry.Session, Effect: registry.Reads, List: "sessions",
	Examples: []string{"api", "", "api --show=agents,rates,findings"},
	Errors:   append([]core.Code{core.HealthFailed, core.Conflict}, verb.Observing...), Run: runHealth,
}).SeeAlso("attention", "status")

func (o healthOut) Next() []registry.Action {
	return append(remedies(o.Problems), diagnoseOut{Findings: o.Findings}.Next()...)
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
	agents := slices.DeleteFunc(slices.Clone(panes), func(pane *core.Pane) bool { return !pane.IsAgent() })
	if err := out.show(ctx, deps, snap, agents, in); err != nil {
		return out, err
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
	if in.Strict && !out.Healthy {
		return out, &core.Error{
			Code: core.HealthFailed, Message: verb.Plural(len(out.Problems), "agent") + " not well",
			Details: healthDetails(out),
		}
	}
	return out, nil
}

// show adds the parts that were asked for.
func (o *healthOut) show(ctx context.Context, deps verb.OnFleet, snap *core.Snapshot, agents []*core.Pane, in healthIn,
) (err error) {
	if in.shows("agents") || in.shows("rates") {
		o.Agents = core.Map(agents, func(pane *core.Pane) agentRow { return agentRowOf(pane, snap) })
	}
	if in.shows("rates") {
		rates, err := ratesOf(ctx, deps, agents)
		if err != nil {
			return err
		}
		for i := range o.Agents {
			o.Agents[i].outputRate = rates.of(o.Agents[i].Pane)
		}
	}
	if in.shows("findings") {
		o.Findings = findings(snap, agents)
	}
	if in.shows("context") {
		uses, err := deps.Fleet.Conversations.ContextUsed(ctx, verb.TargetOf(in.Session, in.OfPanes, false, nil))
		if err != nil {
			return err
		}
		o.Context = contextRows(uses)
	}
	if in.Fix {
		o.Fixed, err = repairAll(ctx, deps.Fleet, o.Findings)
	}
	return err
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
	r := report.TableOf(o.Sessions, o.at, "no session yet").Report()
	if len(o.Agents) > 0 {
		r.AddRows("Agents", o.Agents, o.at)
	} else {
		r.AddRows("Not ok", o.Problems, o.at)
	}
	r.AddRows("Context", o.Context, o.at)
	if len(o.Findings) > 0 {
		r.AddTable("Findings", report.TableOf(o.Findings, time.Time{}, ""))
	}
	r.Next = verb.Tips(remedies(o.Problems))
	return r
}
