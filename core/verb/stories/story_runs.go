package stories

import (
	"context"
	"slices"
	"time"

	"cupola/core/run/story"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

type runFilters struct {
	State []string       `json:"state,omitempty" enum:"running,paused,completed,failed,stopped,interrupted" help:"Only runs in these states, separated by commas"`
	Since registry.Since `json:"since,omitzero" help:"Only runs that began since this time" since:"time"`
}

type storyRunsIn struct {
	runFilters
	registry.Page `default:"limit=50"`
}

type storyRunsOut struct {
	Filters runFilters `json:"filters,omitzero"`
	// Runs has a row for each run, the newest first.
	Runs []runRow `json:"runs" empty:"there was no run yet" filtered:"nothing fits the filters"`
	verb.Paged
}

type runRow struct {
	_            struct{}     `minimal:"id,state" standard:"id,name,state,reason,stories_done,stories_total,started_at,cost_usd,cost_known,branch"`
	_            struct{}     `table:"RUN,CHANGE,STATE,DONE,OF,AGE,COST,AGENT,BRANCH"`
	ID           string       `table:"RUN,strong" json:"id"`
	Name         string       `table:"CHANGE" json:"name"`
	State        story.State  `table:"STATE,word,with=Reason" json:"state"`
	Reason       story.Reason `json:"reason,omitempty"`
	StoriesDone  int          `table:"DONE" json:"stories_done"`
	StoriesTotal int          `table:"OF" json:"stories_total"`
	StartedAt    time.Time    `table:"AGE,dim,ago" json:"started_at"`
	EndedAt      time.Time    `json:"ended_at,omitzero"`
	CostUSD      float64      `table:"COST,dim,format=$%.4f,empty=-" json:"cost_usd"`
	CostKnown    bool         `json:"cost_known"`
	Backend      string       `table:"AGENT,dim" json:"backend"`
	Branch       string       `table:"BRANCH,dim,flex" json:"branch"`
	Dir          string       `json:"dir"`
	Error        string       `json:"error,omitempty"`
}

var storyRuns = registry.Define(registry.Spec[*verb.Local, storyRunsIn, storyRunsOut]{
	Name: "story-runs", Of: "run-list --kind=story", Group: verb.GroupStory,
	Short: "List runs of stories that work and that worked",
	Long:  "The newest first. One whose process was killed, or that a reboot ended, is interrupted.",
	Scope: registry.Global, Effect: registry.Reads, List: "runs",
	Examples: []string{"", "--state=running"},
	Errors:   codes,
	Run: func(_ context.Context, env *verb.Local, in storyRunsIn) (storyRunsOut, error) {
		all, err := Directory(env).All()
		if err != nil {
			return storyRunsOut{}, err
		}
		out := storyRunsOut{Filters: in.runFilters}
		since, rows := in.Since.AsTime(env.Now()), []runRow{}
		for i := range all {
			r := &all[i]
			if r.Started.Before(since) || len(in.State) > 0 && !slices.Contains(in.State, string(r.State)) {
				continue
			}
			row := runRow{
				ID: r.ID, Name: r.Name, State: r.State, Reason: r.Reason, StartedAt: r.Started, EndedAt: r.Ended,
				CostUSD: verb.Rounded(r.CostUSD, 4), CostKnown: r.CostKnown, Backend: r.Backend, Branch: r.Branch,
				Dir: r.Dir, Error: r.Error,
			}
			row.StoriesDone, row.StoriesTotal = r.Counts()
			rows = append(rows, row)
		}
		out.Runs, out.Paged = verb.Cut(rows, in.Page)
		return out, nil
	},
}).SeeAlso("story-list")
