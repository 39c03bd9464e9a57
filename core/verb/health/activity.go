package health

import (
	"context"
	"sync"
	"time"

	"cupola/core"
	"cupola/core/agent/usage"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

type activityIn struct {
	registry.AnySession
	registry.OfPanes
	registry.Page
}

type activityOut struct {
	Filters verb.Filters `json:"filters,omitzero"`
	// Panes has one row per agent.
	Panes   []activityRow `json:"panes" empty:"no agent here"`
	Summary verb.Summary  `json:"summary"`
	verb.Paged
}

// activityRow is the activity of one agent, and its evidence.
type activityRow struct {
	_ struct{} `minimal:"session,ordinal,state" standard:"session,ordinal,agent,state,reason,for_s,evidence"`
	_ struct{} `table:"PANE,AGENT,STATE,SINCE,LINES/MIN,TOKENS/MIN,NOTES,WHAT SHOWS IT"`
	verb.PaneRow
	// ForSeconds is how long the state has held.
	ForSeconds verb.MaybeInt `json:"for_s,omitzero"`
	// Confidence is how sure the evidence makes the state, from 0 to 1.
	Confidence float64 `json:"confidence"`
	// Evidence is the signal that weighed most.
	Evidence []string `json:"evidence" table:"WHAT SHOWS IT,dim,flex,join=;"`
	// ResetsAt is when a limit ends, where the agent shows it.
	ResetsAt time.Time `json:"resets_at,omitzero"`
	outputRate
}

var activity = registry.Define(registry.Spec[verb.OnFleet, activityIn, activityOut]{
	Name: "activity", Of: "health --show=rates", Group: verb.GroupSee,
	Short: "Say what each agent is doing, since when, and how that is known",
	Scope: registry.Session, Effect: registry.Reads, OnTerminals: true, List: "panes",
	Deprecated: registry.Prefixed{Prefix: "activity", Flags: []string{"type"}},
	Examples:   []string{"api", ""},
	Errors:     verb.Observing, Run: runActivity,
}).SeeAlso("attention", "tail")

func runActivity(ctx context.Context, deps verb.OnFleet, in activityIn) (activityOut, error) {
	target := verb.TargetOf(in.Session, in.OfPanes, false, nil).ForPrompts()
	snap, panes, err := deps.Chosen(ctx, target)
	if err != nil {
		return activityOut{}, err
	}
	shown, page := verb.Cut(panes, in.Page)
	out := activityOut{
		Filters: verb.Echo(target), Panes: make([]activityRow, 0, len(shown)), Summary: summariseOf(panes), Paged: page,
	}
	rates, err := ratesOf(ctx, deps, shown)
	if err != nil {
		return activityOut{}, err
	}
	for _, pane := range shown {
		row := agentRowOf(pane, snap)
		out.Panes = append(out.Panes, activityRow{
			PaneRow: row.PaneRow, ForSeconds: row.ForSeconds, Confidence: row.Confidence, Evidence: row.Evidence,
			ResetsAt: row.ResetsAt, outputRate: rates.of(pane.ID),
		})
	}
	return out, nil
}

// summariseOf counts chosen panes.
func summariseOf(panes []*core.Pane) verb.Summary {
	counts, sessions := core.CountPanes(panes), map[string]bool{}
	for _, pane := range panes {
		sessions[pane.Session] = true
	}
	counts.Sessions = len(sessions)
	return verb.SummaryOf(counts)
}

// rateSpan is the time over which tokens a minute are counted.
const rateSpan = 5 * time.Minute

// rates are how fast agents work.
type rates struct {
	activity map[core.PaneID]float64
	output   map[core.PaneID]float64
}

// ratesOf finds out how fast agents work: what the keeper sees,
// and what the ends of their transcripts say.
func ratesOf(ctx context.Context, deps verb.OnFleet, panes []*core.Pane) (rates, error) {
	r := rates{output: map[core.PaneID]float64{}}
	if len(panes) == 0 {
		return r, nil
	}
	r.activity, _ = deps.Fleet.Overview.Activity(ctx)
	writers, err := deps.Fleet.Conversations.Writers(ctx)
	if err != nil {
		return r, err
	}
	wanted := make(map[core.PaneID]bool, len(panes))
	for _, pane := range panes {
		wanted[pane.ID] = true
	}
	var all sync.WaitGroup
	var mu sync.Mutex
	for i := range writers {
		w := &writers[i]
		if !wanted[w.Pane] || !w.Certain || w.Record == "" {
			continue
		}
		all.Go(func() {
			if written, known := wrote(ctx, w.Kind, w.Record, deps.Env.Now()); known {
				mu.Lock()
				defer mu.Unlock()
				r.output[w.Pane] = written
			}
		})
	}
	all.Wait()
	return r, ctx.Err()
}

// wrote is how many tokens a minute an agent wrote lately.
func wrote(ctx context.Context, kind core.Kind, path string, now time.Time) (perMinute float64, known bool) {
	requests, err := usage.Recent(ctx, kind, path)
	if err != nil || len(requests) == 0 {
		return 0, false
	}
	for i := range requests {
		if at := requests[i].At; at.After(now.Add(-rateSpan)) && !at.After(now) {
			perMinute += float64(requests[i].Output) / rateSpan.Minutes()
		}
	}
	return verb.Rounded(perMinute, 1), true
}

// of is how fast one agent writes.
func (r *rates) of(pane core.PaneID) outputRate {
	return outputRate{known(r.activity, pane), known(r.output, pane)}
}

// known is a pane's rate; -1 where there is none.
func known(of map[core.PaneID]float64, pane core.PaneID) verb.MaybeNumber {
	if rate, is := of[pane]; is {
		return verb.MaybeNumber(verb.Rounded(rate, 1))
	}
	return -1
}
