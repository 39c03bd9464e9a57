package runs

import (
	"context"
	"slices"

	"cupola/core/run"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

type runFilters struct {
	Kind  []string          `json:"kind,omitempty" enum:"relay,crew,story,pipeline" help:"Only runs of these kinds, separated by commas"`
	State []string          `json:"state,omitempty" enum:"pending,running,paused,needs_you,done,failed,cancelled,interrupted" help:"Only runs in these states, separated by commas"`
	In    registry.ReadPath `json:"in,omitempty" help:"Only runs of the project in this directory"`
	Name  string            `json:"name,omitempty" help:"Only runs with this name: a label, a change, a recipe or a pipeline"`
	Since registry.Since    `json:"since,omitzero" since:"time" help:"Only runs that began since this time"`
}

type runListIn struct {
	runFilters
	registry.Page `default:"limit=50"`
}

type runListOut struct {
	Filters runFilters `json:"filters,omitzero"`
	// Runs has a row for each run, the newest first.
	Runs []RunRow `json:"runs" empty:"nothing was ever run" filtered:"nothing fits the filters"`
	// States count the runs that the other filters choose, by state.
	States StateCounts `json:"state_counts"`
	verb.Paged
}

// RunRow is one run.
type RunRow struct {
	_ struct{} `minimal:"id,kind,state" standard:"id,kind,name,title,dir,state,reason,needs_text,started_at,cost_usd,cost_known,error"`
	_ struct{} `table:"RUN,KIND,NAME,STATE,NEEDS,AGE,COST,ABOUT"`
	run.Head
}

// StateCounts count runs by state.
type StateCounts struct {
	Pending     int `json:"pending_count"`
	Running     int `json:"running_count"`
	Paused      int `json:"paused_count"`
	NeedsYou    int `json:"needs_you_count"`
	Done        int `json:"done_count"`
	Failed      int `json:"failed_count"`
	Cancelled   int `json:"cancelled_count"`
	Interrupted int `json:"interrupted_count"`
}

var runList = registry.Define(registry.Spec[*verb.Env, runListIn, runListOut]{
	Name: "run-list", Group: verb.GroupRuns, Short: "List runs: relays, crews, stories and pipelines",
	Aliases: []string{"runs"},
	Long: "The newest first, also those of other calls and in the background. One that needs_you says in " +
		"'needs_text' what you have to decide. One whose process was killed, or that a reboot ended, is interrupted.",
	Scope: registry.Global, Effect: registry.Reads, List: "runs",
	Examples: []string{"", "--state=running,paused", "--kind=relay --limit=5"},
	Errors:   codes, Run: runRunList,
}).SeeAlso("status", "history")

func runRunList(_ context.Context, env *verb.Env, in runListIn) (runListOut, error) {
	filter := in.filter(env)
	whole := filter
	whole.States = nil
	counts, err := env.Runs.Counts(whole)
	if err != nil {
		return runListOut{}, err
	}
	filter.Limit, filter.Offset, filter.Uncounted = in.Limit, in.Offset, true
	rows, _, err := env.Runs.List(filter)
	if err != nil {
		return runListOut{}, err
	}
	total := 0
	for state, n := range counts {
		if len(filter.States) == 0 || slices.Contains(filter.States, state) {
			total += n
		}
	}
	out := runListOut{Filters: in.runFilters, Runs: make([]RunRow, len(rows)), States: StateCounts{
		counts[run.Pending], counts[run.Running], counts[run.Paused], counts[run.NeedsYou], counts[run.Done],
		counts[run.Failed], counts[run.Cancelled], counts[run.Interrupted],
	}}
	for i := range rows {
		out.Runs[i].Head = rows[i].Head
		out.Runs[i].CostUSD = verb.Rounded(rows[i].CostUSD, 4)
	}
	page := verb.PageOf(len(rows), total, in.Page)
	out.Paged = verb.Paged{
		TotalMatches: page.Total, Offset: page.Offset, Count: page.Count, HasMore: page.HasMore, Pagination: page,
	}
	return out, nil
}

func (f *runFilters) filter(env *verb.Env) run.Filter {
	filter := run.Filter{Name: f.Name, Since: f.Since.AsTime(env.Now())}
	if f.In != "" {
		filter.Dir = verb.Absolute(env.Dir, f.In)
	}
	for _, kind := range run.Kinds() {
		if slices.Contains(f.Kind, string(kind)) {
			filter.Kinds = append(filter.Kinds, kind)
		}
	}
	for _, state := range run.States() {
		if slices.Contains(f.State, string(state)) {
			filter.States = append(filter.States, state)
		}
	}
	return filter
}
